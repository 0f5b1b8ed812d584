// SPDX-License-Identifier: Apache-2.0
#include "snapshot.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "heddle/reduction/reduction.hpp"

namespace clouds {

template <class T> Snapshot snapshot(Stepper<T>& stepper, heddle::Transport& transport, double time) {
  const heddle::BlockGrid& grid = stepper.place().blocks;
  const auto gathered = [&](const heddle::Field<T>& field) {
    std::vector<std::vector<T>> values;
    for (int b = 0; b < field.blocks(); ++b)
      values.push_back(field.read(b));
    const int first = grid.first_block(transport.rank());
    const std::vector<T> all = heddle::gather_cells<T>(
        grid,
        [&](int block, std::int64_t y, std::int64_t z, std::span<T> row) {
          const heddle::Box& box = grid.block(block);
          const auto& from = values[static_cast<std::size_t>(block - first)];
          const std::int64_t at = box.extent(0) * (y - box.lower[1] + box.extent(1) * (z - box.lower[2]));
          std::copy_n(from.begin() + at, row.size(), row.begin());
        },
        transport);
    return std::vector<double>(all.begin(), all.end());
  };
  State<T>& now = stepper.now();
  std::vector<double> rain;
  if (now.r) rain = gathered(*now.r);
  std::vector<double> heating;
  if (stepper.heating() != nullptr) heating = gathered(*stepper.heating());
  return {.time = time,
          .cells = grid.domain().extents(),
          .u = gathered(now.u),
          .v = gathered(now.v),
          .w = gathered(now.w),
          .th = gathered(now.th),
          .q = gathered(now.q),
          .cloud = gathered(stepper.cloud()),
          .rain = std::move(rain),
          .viscosity = gathered(stepper.viscosity()),
          .heating = std::move(heating)};
}

#ifdef CLOUDS_F64
template Snapshot snapshot(Stepper<double>&, heddle::Transport&, double);
#endif
#ifdef CLOUDS_F32
template Snapshot snapshot(Stepper<float>&, heddle::Transport&, double);
#endif

} // namespace clouds
