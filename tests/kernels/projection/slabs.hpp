// SPDX-License-Identifier: Apache-2.0
// Flows whose levels lie on several ranks.
#ifndef HEDDLE_TESTS_PROJECTION_SLABS_HPP
#define HEDDLE_TESTS_PROJECTION_SLABS_HPP

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "flow.hpp"
#include "heddle/transport/thread_group.hpp"

namespace test {

/// The levels first <= k < last of a flow of noise on a grid; faces at an open top are 0.
template <class T>
Flow<T> slab_of_noise(const heddle::StaggeredGrid& grid, std::int64_t first, std::int64_t last,
                      heddle::Memory memory = heddle::Memory::host) {
  Flow<T> whole(grid);
  whole.fill_with_noise();
  const auto level = static_cast<std::size_t>(grid.cells[0] * grid.cells[1]);
  heddle::StaggeredGrid part = grid;
  part.cells[2] = last - first;
  Flow<T> flow(part, memory);
  for (int axis = 0; axis < 3; ++axis) {
    const std::vector<T> values = whole[axis].read();
    flow[axis].write(0, 0,
                     std::span<const T>(values).subspan(static_cast<std::size_t>(first) * level,
                                                        static_cast<std::size_t>(last - first) * level));
  }
  return flow;
}

/// u, then v, then w of all interior cells.
template <class T> std::vector<T> values_of(Flow<T>& flow) {
  std::vector<T> all;
  for (int axis = 0; axis < 3; ++axis) {
    const std::vector<T> values = flow[axis].read();
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

/// What `program` makes of the noise on each of `ranks` ranks, put together as values_of would give it on
/// one. program(transport, flow_of): flow_of(first, last) is the rank's part, to be returned.
template <class T>
std::vector<T>
on_ranks(const heddle::StaggeredGrid& grid, int ranks,
         const std::function<Flow<T>(heddle::Transport&, std::int64_t& first_level)>& program) {
  const auto level = static_cast<std::size_t>(grid.cells[0] * grid.cells[1]);
  const auto cells = level * static_cast<std::size_t>(grid.cells[2]);
  std::vector<T> all(3 * cells);
  heddle::ThreadGroup network(ranks);
  network.run([&](heddle::Transport& transport) {
    std::int64_t first = 0;
    Flow<T> flow = program(transport, first);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::vector<T> values = flow[static_cast<int>(axis)].read();
      std::copy(values.begin(), values.end(),
                all.begin() +
                    static_cast<std::ptrdiff_t>(axis * cells + static_cast<std::size_t>(first) * level));
    }
  });
  return all;
}

template <class T> double largest_difference(const std::vector<T>& a, const std::vector<T>& b) {
  double most = 0;
  for (std::size_t i = 0; i < b.size(); ++i)
    most = std::max(most, std::abs(static_cast<double>(a.at(i)) - static_cast<double>(b[i])));
  return most;
}

} // namespace test

#endif
