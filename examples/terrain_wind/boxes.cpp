// SPDX-License-Identifier: Apache-2.0
#include "boxes.hpp"

#include <algorithm>
#include <span>

#include "heddle/reduction/reduction.hpp"

namespace terrain_wind {

void VelocityBoxes::take(const heddle::SparseField<float>& (Part::*field)() const) {
  const auto speed = static_cast<float>(speed_);
  values_.clear();
  for (const auto& part : solver_->parts()) {
    Values& values = values_.emplace_back(Values{part->list().box(), {}});
    const heddle::Box& box = values.box;
    ((*part).*field)().inspect([&](heddle::SparseView<const float> u) {
      for (std::size_t c = 0; c < 3; ++c) {
        values.components[c].assign(static_cast<std::size_t>(box.volume()), 0);
        for (std::int64_t k = box.lower[2]; k < box.upper[2]; ++k)
          for (std::int64_t j = box.lower[1]; j < box.upper[1]; ++j)
            part->list().for_row(j, k, [&](std::int64_t n, std::int64_t i) {
              const std::size_t at = values.index(i - box.lower[0], j - box.lower[1], k - box.lower[2]);
              values.components[c][at] = speed * u(n, static_cast<int>(c));
            });
      }
    });
  }
}

void VelocityBoxes::add_to(heddle::Output& output, const Domain& domain) const {
  output.add<float>("velocity", 3, [this](int block, std::int64_t i, std::int64_t j, std::int64_t k, int c) {
    const Values& values = values_[static_cast<std::size_t>(block)];
    return values.components[static_cast<std::size_t>(c)][values.index(i, j, k)];
  });
  output.add<std::uint8_t>("air", 1,
                           [this, &domain](int block, std::int64_t i, std::int64_t j, std::int64_t k, int) {
                             const auto& lower = values_[static_cast<std::size_t>(block)].box.lower;
                             return domain.fluid[domain.index(lower[0] + i, lower[1] + j, lower[2] + k)];
                           });
}

std::array<std::vector<float>, 3> VelocityBoxes::gather(heddle::Transport& processes) const {
  const heddle::BlockGrid grid = solver_->process_grid();
  const int first = grid.first_block(processes.rank());
  std::array<std::vector<float>, 3> all;
  for (std::size_t c = 0; c < 3; ++c) {
    all[c] = heddle::gather_cells<float>(
        grid,
        [&](int block, std::int64_t j, std::int64_t k, std::span<float> row) {
          const Values& values = values_[static_cast<std::size_t>(block - first)];
          const auto& lower = values.box.lower;
          const auto from = values.components[c].begin() +
                            static_cast<std::ptrdiff_t>(values.index(0, j - lower[1], k - lower[2]));
          std::copy_n(from, row.size(), row.begin());
        },
        processes);
  }
  return all;
}

} // namespace terrain_wind
