// SPDX-License-Identifier: Apache-2.0
// Links heddle::halo and what it stands on, nothing above: fills the ghost cells of a periodic row of two
// blocks.
#include <heddle/grid/block_grid.hpp>
#include <heddle/grid/field.hpp>
#include <heddle/halo/exchange.hpp>
#include <heddle/halo/halo_exchange.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

// Calls copy(cell, place) for the boxes, which are one cell each here.
template <class F>
void for_cells(heddle::FieldView<double> view, const heddle::MessageBoxes& boxes, F&& copy) {
  for (std::int64_t b = 0; b < boxes.count; ++b) {
    const std::int32_t* row = boxes.rows + b * heddle::MessageBoxes::columns;
    copy(view(row[2], row[3], row[4]), row[8]);
  }
}

} // namespace

int main() {
  const heddle::BlockGrid grid({{0, 0, 0}, {6, 1, 1}}, {2, 1, 1}, {true, false, false});
  heddle::Field<double> field(grid, {.ghost_layers = {1, 0, 0}});
  field.fill([](std::int64_t x, std::int64_t, std::int64_t, int) { return static_cast<double>(10 + x); });

  const std::vector<heddle::HaloRegion> shell = heddle::ghost_shell(1, field.ghost_layers());
  heddle::DenseExchange exchange("shell", heddle::Direction::owner_to_ghost, shell, 1, sizeof(double));
  exchange.add(field);
  exchange.pack = [&field](int block, const heddle::MessageBoxes& boxes, void* buffer, heddle::Stream&) {
    for_cells(field.view(block), boxes,
              [buffer](double& cell, std::int32_t at) { static_cast<double*>(buffer)[at] = cell; });
  };
  exchange.unpack = [&field](int block, const heddle::MessageBoxes& boxes, const void* buffer,
                             heddle::Stream&) {
    for_cells(field.view(block), boxes,
              [buffer](double& cell, std::int32_t at) { cell = static_cast<const double*>(buffer)[at]; });
  };
  heddle::HaloExchange halo(exchange);
  heddle::Stream stream;
  halo(stream);
  std::printf("ghosts %.0f %.0f %.0f %.0f\n", field.view(0)(-1, 0, 0), field.view(0)(3, 0, 0),
              field.view(1)(-1, 0, 0), field.view(1)(3, 0, 0));
  return 0;
}
