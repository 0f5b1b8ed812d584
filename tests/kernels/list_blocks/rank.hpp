// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_LIST_BLOCKS_RANK_HPP
#define HEDDLE_LIST_BLOCKS_RANK_HPP

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "../../support/noise.hpp"
#include "../lbm_common/exchanged_step.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/block_kinds.hpp"
#include "heddle/io/checkpoint.hpp"
#include "heddle/sparse/index_list.hpp"
#include "heddle/sparse/sparse_field.hpp"
#include "heddle/transport/transport.hpp"

/// What all streaming patterns on lists of cells share: where they run, and what one rank does.
namespace lists {

inline constexpr double omega = 1.6;
inline constexpr std::array<std::int64_t, 3> extent{12, 9, 10};
inline constexpr heddle::Box domain{{-2, 0, 3}, {10, 9, 13}};

/// A box of which some cells are solid, and its faces.
struct Medium {
  std::array<bool, 3> periodic{true, true, true};
  std::array<bool, 6> slips{};
  std::vector<std::uint8_t> flags;

  explicit Medium(double solid, const std::array<bool, 3>& axes = {true, true, true},
                  const std::array<bool, 6>& slip = {})
      : periodic(axes), slips(slip), flags(static_cast<std::size_t>(domain.volume())) {
    for (std::size_t i = 0; i < flags.size(); ++i)
      flags[i] = 0.5 + 0.5 * test::noise(static_cast<std::int64_t>(i)) < solid ? 0 : 1;
  }

  /// One list for all of it.
  [[nodiscard]] heddle::IndexList whole(std::span<const heddle::Link> links) const {
    const heddle::BlockGrid grid(domain, {1, 1, 1}, periodic);
    return {grid, 0, heddle::flags_in_memory(flags, domain, periodic), links, heddle::Memory::host, slips};
  }
  /// The list of one rank.
  [[nodiscard]] heddle::IndexList part(const std::array<int, 3>& blocks, heddle::Transport& transport,
                                       std::span<const heddle::Link> links, heddle::Memory memory) const {
    const heddle::BlockGrid grid(domain, blocks, periodic, transport.ranks());
    return {grid, transport.rank(), heddle::flags_in_memory(flags, domain, periodic), links, memory, slips};
  }
};

/// A finite value of any precision.
template <class T> T start(std::int64_t x, std::int64_t y, std::int64_t z, int q) {
  const double value = test::noise(x + 2 + 12 * (y + 9 * (z - 3 + 10 * std::int64_t{q})));
  if constexpr (std::is_same_v<T, std::uint16_t>) { // up to 64, which is 2^-9 of a population
    const auto bits = static_cast<std::uint32_t>(std::fabs(value) * 0x1p22);
    return static_cast<T>((value < 0 ? 0x8000U : 0U) | (10 + bits % 11) << 10U | (bits / 11) % 1024);
  } else {
    return static_cast<T>(1e-3 * value);
  }
}

template <class T> constexpr T not_a_number() {
  if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<T>::quiet_NaN();
  return static_cast<T>(0x7E00);
}

/// Where Rank::values has population q of a cell of the domain.
inline std::size_t number(const std::array<std::int64_t, 3>& cell, int q) {
  const std::int64_t row =
      cell[1] - domain.lower[1] + extent[1] * (cell[2] - domain.lower[2] + extent[2] * q);
  return static_cast<std::size_t>(cell[0] - domain.lower[0] + extent[0] * row);
}

/// One rank: its field, and what advances it by two steps.
class Rank {
public:
  virtual ~Rank() = default;
  Rank() = default;
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;
  Rank(Rank&&) = delete;
  Rank& operator=(Rank&&) = delete;
  virtual void add_to(heddle::TaskGraph& loop, bool poisoned) = 0;
  /// What has to be exchanged after the last step, so that values() finds what the next one would read.
  virtual void add_last(heddle::TaskGraph&) {}
  /// The state between pairs of steps.
  virtual void add_to(heddle::Checkpoint& checkpoint, heddle::Transport& transport) = 0;
  /// Makes all of it not a number, ghost cells and solid nodes too.
  virtual void forget() = 0;
  /// All values of the domain, those of this rank's cells as they are, the others zero.
  [[nodiscard]] virtual std::vector<double> values() const = 0;
  [[nodiscard]] virtual std::size_t sent_bytes() const = 0;
};

/// Pairs of steps of one rank, alone or among others.
inline void run(Rank& rank, int pairs, const heddle::TaskGraphOptions& options, bool poisoned) {
  heddle::TaskGraph loop(options);
  rank.add_to(loop, poisoned);
  loop.run(pairs);
  heddle::TaskGraph last({.memory = options.memory});
  rank.add_last(last);
  last.run(1);
}

/// A pattern in a precision.
struct Method {
  std::string name;
  std::span<const heddle::Link> links;
  std::function<std::unique_ptr<Rank>(heddle::IndexList, heddle::Transport&)> make;

  /// Whether its lists hold cells behind walls.
  [[nodiscard]] bool stores_solid() const { return links.front().wall_slot == heddle::Link::to_cell; }
  /// The other precisions run on fewer numbers of ranks.
  [[nodiscard]] bool is_double() const { return name.ends_with("f64"); }
};

} // namespace lists

#endif
