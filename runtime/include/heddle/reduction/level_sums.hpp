// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_REDUCTION_LEVEL_SUMS_HPP
#define HEDDLE_REDUCTION_LEVEL_SUMS_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "heddle/core/error.hpp"
#include "heddle/grid/field.hpp"

namespace heddle {

namespace detail {

/// Of the components from `first` on, `count` of them; see below.
[[nodiscard]] inline std::vector<std::vector<double>> level_sums(const Field<double>& rows, int first,
                                                                 int count) {
  const BlockGrid& grid = rows.grid();
  const auto refuse = [&](const std::string& what, const std::string& hint) {
    throw Error("level_sums", "'" + std::string(rows.name()) + "' " + what, hint);
  };
  if (grid.blocks()[0] != 1)
    refuse("has rows in " + std::to_string(grid.blocks()[0]) + " parts", "do not cut the grid along x");
  const Box& domain = grid.domain();
  const std::int64_t lines = domain.extent(1), levels = domain.extent(2);
  const auto size = static_cast<std::size_t>(lines * levels);
  std::vector<double> values(size * static_cast<std::size_t>(count));
  std::vector<std::int64_t> known(static_cast<std::size_t>(levels));
  for (int b = 0; b < rows.blocks(); ++b) {
    const Box& box = rows.box(b);
    for (std::int64_t z = box.lower[2]; z < box.upper[2]; ++z)
      known[static_cast<std::size_t>(z - domain.lower[2])] += box.extent(1);
    rows.inspect(b, [&](FieldView<const double> view) {
      for (int c = 0; c < count; ++c)
        for (std::int64_t z = 0; z < box.extent(2); ++z)
          for (std::int64_t y = 0; y < box.extent(1); ++y) {
            const std::int64_t line =
                (box.lower[2] - domain.lower[2] + z) * lines + box.lower[1] - domain.lower[1] + y;
            values[size * static_cast<std::size_t>(c) + static_cast<std::size_t>(line)] =
                view(0, y, z, first + c);
          }
    });
  }
  for (std::int64_t level = 0; level < levels; ++level) {
    const std::int64_t here = known[static_cast<std::size_t>(level)];
    if (here != 0 && here != lines)
      refuse("has " + std::to_string(here) + " of " + std::to_string(lines) + " rows of level " +
                 std::to_string(level) + " on rank " + std::to_string(rows.rank()),
             "let each rank have whole levels");
  }
  std::vector<std::vector<double>> result(static_cast<std::size_t>(count));
  for (auto value = values.cbegin(); std::vector<double> & sums : result)
    for (std::int64_t level = 0; level < levels; ++level) {
      double sum = 0;
      for (std::int64_t line = 0; line < lines; ++line)
        sum += *value++;
      sums.push_back(sum);
    }
  return result;
}

} // namespace detail

/// Sums over whole levels: of what a kernel has summed over each row along x (`Reduce` into `rows.of_row()`),
/// the rows one after the other in ascending y, in double. So neither blocks along y and z nor threads change
/// a bit, and rows of 32-bit cells lose none. One number per level of the domain; levels of which this rank
/// has no row hold 0, so that the numbers of several ranks may be added in any order.
///
/// rows: with FieldOptions{.same_along = 0}, in any memory. Throws Error for a grid that is cut along x, for
/// an unknown component, and where a rank has only a part of a level.
[[nodiscard]] inline std::vector<double> level_sums(const Field<double>& rows, int component = 0) {
  if (component < 0 || component >= rows.components())
    throw Error("level_sums",
                "'" + std::string(rows.name()) + "' has no component " + std::to_string(component));
  return detail::level_sums(rows, component, 1).front();
}

/// The same of all components, with one copy from a device.
[[nodiscard]] inline std::vector<std::vector<double>> all_level_sums(const Field<double>& rows) {
  return detail::level_sums(rows, 0, rows.components());
}

} // namespace heddle

#endif
