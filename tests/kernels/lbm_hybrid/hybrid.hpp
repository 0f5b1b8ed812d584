// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_LBM_HYBRID_HPP
#define HEDDLE_LBM_HYBRID_HPP

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "heddle/block_kinds.hpp"
#include "heddle/checkpoint.hpp"
#include "heddle/halo_exchange.hpp"
#include "heddle/hybrid_field.hpp"
#include "heddle/reduction.hpp"
#include "heddle/sparse_field.hpp"
#include "heddle/stream.hpp"
#include "heddle/transport.hpp"
#include "lbm_hybrid_sweeps.hpp"

/// A porous box on one list, and on blocks of both kinds that ranks share.
namespace hybrid {

inline constexpr heddle::Box domain{{-2, 0, 1}, {22, 16, 13}};
inline constexpr std::array<bool, 3> periodic{true, true, false};
inline constexpr int pairs = 3;

/// Solid: everything beyond x = 17, and balls in the middle; the air below x = 4 and a few cells elsewhere
/// are without.
inline std::vector<std::uint8_t> flags() {
  std::vector<std::uint8_t> result;
  for (std::int64_t z = domain.lower[2]; z < domain.upper[2]; ++z) {
    for (std::int64_t y = domain.lower[1]; y < domain.upper[1]; ++y) {
      for (std::int64_t x = domain.lower[0]; x < domain.upper[0]; ++x) {
        const auto square = [](std::int64_t a) { return a * a; };
        const bool ball = square(x % 6 - 3) + square(y % 7 - 3) + square(z % 5 - 2) < 8;
        const bool speck = (x * x + 3 * y + 7 * z) % 61 == 0;
        result.push_back(x > 17 || (x >= 4 && ball) || (x < 4 && x > 0 && speck) ? 0 : 1);
      }
    }
  }
  return result;
}

inline double start(std::int64_t x, std::int64_t y, std::int64_t z, int q) {
  const auto wrapped = [](std::int64_t c, std::int64_t lower, std::int64_t n) {
    return (c - lower % n + n) % n;
  };
  const std::int64_t i = wrapped(x, domain.lower[0], 24);
  const std::int64_t j = wrapped(y, domain.lower[1], 16);
  return 1e-3 * std::sin(static_cast<double>(1 + i + 29 * j + 431 * z + 5003 * q));
}

/// All on one list, without any exchange: the values of the listed cells, and their sums.
template <class T> struct OneList {
  std::vector<std::uint8_t> listed = flags();
  heddle::IndexList list{domain, listed, periodic, lbm_hybrid::links};
  heddle::SparseField<T> f{list, 19};

  OneList() {
    f.fill(start);
    const lbm_hybrid::ListedEven<T> even(f, list.all(), {.g_x = 1e-4, .magic = 0.1875, .omega = 1.3});
    const lbm_hybrid::ListedOdd<T> odd(f, list.all(), {.g_x = 1e-4, .magic = 0.1875, .omega = 1.3});
    heddle::Stream stream;
    for (int pair = 0; pair < pairs; ++pair) {
      even(stream);
      odd(stream);
    }
  }
};

/// How many values of this rank's blocks, and sums over all, are not those of one list.
struct Outcome {
  std::int64_t different = 0;
  std::int64_t compared = 0;
  int dense = 0;
  int listed = 0;
};

/// Steps from..to (pairs) of the run; where it does not begin, from a checkpoint in `folder`, and where it
/// does not end, to one.
template <class T>
Outcome compare(const OneList<T>& expected, heddle::Transport& transport, const std::array<int, 3>& blocks,
                const heddle::CellCosts& costs, int from = 0, int to = pairs,
                const std::string& folder = {}) {
  const heddle::FlagReader reader = heddle::flags_in_memory(expected.listed, domain, periodic);
  const heddle::BlockChoice choice = heddle::choose_blocks(domain, blocks, reader, costs);
  const heddle::BlockGrid grid =
      heddle::BlockGrid::balanced(domain, blocks, periodic, transport.ranks(), choice.weights);
  heddle::HybridField<T> f(grid, choice, reader, lbm_hybrid::links, 19, transport.rank());
  f.fill(start);

  std::vector<lbm_hybrid::DenseEven<T>> dense_even;
  std::vector<lbm_hybrid::DenseOdd<T>> dense_odd;
  std::vector<lbm_hybrid::ListedEven<T>> listed_even;
  std::vector<lbm_hybrid::ListedOdd<T>> listed_odd;
  for (auto& block : f.blocks()) {
    if (block.dense) {
      dense_even.emplace_back(*block.dense, lbm_hybrid::DenseEvenParameters{1e-4, 0.1875, 1.3});
      dense_odd.emplace_back(*block.dense, lbm_hybrid::DenseOddParameters{1e-4, 0.1875, 1.3});
    } else {
      listed_even.emplace_back(*block.listed, block.list->interior(),
                               lbm_hybrid::ListedEvenParameters{1e-4, 0.1875, 1.3});
      listed_odd.emplace_back(*block.listed, block.list->interior(),
                              lbm_hybrid::ListedOddParameters{1e-4, 0.1875, 1.3});
    }
  }
  heddle::Field<T> any(heddle::BlockGrid(heddle::Box{{0, 0, 0}, {1, 1, 1}}), {.components = 19});
  const lbm_hybrid::DenseOdd<T> pattern(any, {});
  heddle::HaloExchange before(f.exchange(pattern.before()), transport, {.stamped = true});
  heddle::HaloExchange after(f.exchange(pattern.after()), transport, {.stamped = true});

  heddle::Stream stream;
  const auto run = [&](auto& sweeps) {
    for (auto& sweep : sweeps)
      sweep(stream);
  };
  heddle::Checkpoint checkpoint(folder, "hybrid", transport);
  checkpoint.add(f);
  if (from > 0) checkpoint.read(from);
  for (int pair = from; pair < to; ++pair) {
    run(dense_even);
    run(listed_even);
    before(stream);
    f.to_walls();
    run(dense_odd);
    run(listed_odd);
    after(stream);
    f.from_walls();
  }

  if (to < pairs) {
    checkpoint.write(to);
    return {};
  }

  Outcome outcome{0, 0, static_cast<int>(dense_odd.size()), static_cast<int>(listed_odd.size())};
  const heddle::SparseView<const T> whole = expected.f.view();
  std::vector<double> row;
  for (int b = grid.first_block(transport.rank()); b < grid.first_block(transport.rank() + 1); ++b) {
    const heddle::Box& box = grid.block(b);
    row.resize(static_cast<std::size_t>(box.extent(0)));
    for (int q = 0; q < 19; ++q) {
      for (std::int64_t z = box.lower[2]; z < box.upper[2]; ++z) {
        for (std::int64_t y = box.lower[1]; y < box.upper[1]; ++y) {
          f.read_row(b, y, z, q, row, -1.0);
          for (std::int64_t x = box.lower[0]; x < box.upper[0]; ++x) {
            const std::int64_t n = expected.list.cell_of(x, y, z);
            const double wanted = n < 0 ? -1.0 : static_cast<double>(whole(n, q));
            if (row[static_cast<std::size_t>(x - box.lower[0])] != wanted) ++outcome.different;
            ++outcome.compared;
          }
        }
      }
    }
  }
  for (const int q : {0, 7}) {
    const double sum = heddle::reduction_over_ranks<double>(
        grid, heddle::ReductionKind::sum,
        [&](int b, std::int64_t y, std::int64_t z, std::span<double> values) {
          f.read_row(b, y, z, q, values, 0.0);
        },
        transport)();
    const double wanted = heddle::Reduction<T>(expected.f, heddle::ReductionKind::sum, q).value();
    if (std::bit_cast<std::uint64_t>(sum) != std::bit_cast<std::uint64_t>(wanted)) ++outcome.different;
  }
  return outcome;
}

/// What makes all blocks of one kind, or of both.
inline constexpr heddle::CellCosts mixed{};
inline constexpr heddle::CellCosts all_listed{1e9, 1};
inline constexpr heddle::CellCosts all_dense{1, 1e9};

} // namespace hybrid

#endif
