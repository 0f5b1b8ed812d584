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
#include <type_traits>
#include <vector>

#include "heddle/device/half.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/grid/block_kinds.hpp"
#include "heddle/halo/halo_exchange.hpp"
#include "heddle/hybrid/hybrid_field.hpp"
#include "heddle/hybrid/hybrid_sweep.hpp"
#include "heddle/io/checkpoint.hpp"
#include "heddle/reduction/reduction.hpp"
#include "heddle/sparse/sparse_field.hpp"
#include "heddle/transport/transport.hpp"
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

/// In storage of type T; std::uint16_t holds halves.
template <class T> T stored(double value) {
  if constexpr (std::is_same_v<T, std::uint16_t>)
    return heddle::to_half(static_cast<float>(value));
  else
    return static_cast<T>(value);
}

template <class T> T start(std::int64_t x, std::int64_t y, std::int64_t z, int q) {
  const auto wrapped = [](std::int64_t c, std::int64_t lower, std::int64_t n) {
    return (c - lower % n + n) % n;
  };
  const std::int64_t i = wrapped(x, domain.lower[0], 24);
  const std::int64_t j = wrapped(y, domain.lower[1], 16);
  return stored<T>(1e-3 * std::sin(static_cast<double>(1 + i + 29 * j + 431 * z + 5003 * q)));
}

/// All on one list, without any exchange: the values of the listed cells, and their sums.
template <class T> struct OneList {
  std::vector<std::uint8_t> listed = flags();
  heddle::IndexList list{domain, listed, periodic, lbm_hybrid::links};
  heddle::SparseField<T> f{list, 19};

  OneList() {
    f.fill(start<T>);
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

/// The sweeps of one target: of the module, or what a test puts in their place.
template <class DenseEven_, class DenseOdd_, class ListedEven_, class ListedOdd_> struct Sweeps {
  using DenseEven = DenseEven_;
  using DenseOdd = DenseOdd_;
  using ListedEven = ListedEven_;
  using ListedOdd = ListedOdd_;
};
template <class T>
using Module = Sweeps<lbm_hybrid::DenseEven<T>, lbm_hybrid::DenseOdd<T>, lbm_hybrid::ListedEven<T>,
                      lbm_hybrid::ListedOdd<T>>;

/// Which part of the run, and how.
struct Run {
  std::array<int, 3> blocks{};
  heddle::CellCosts costs{};
  heddle::Memory memory = heddle::Memory::host;
  bool overlap = true;
  int from = 0; // pairs of steps
  int to = pairs;
  std::string folder{}; // of the checkpoint from which it goes on, and which it leaves where it does not end
};

template <class T, class Kernels = Module<T>>
Outcome compare(const OneList<T>& expected, heddle::Transport& transport, const Run& run) {
  const heddle::FlagReader reader = heddle::flags_in_memory(expected.listed, domain, periodic);
  const heddle::BlockChoice choice = heddle::choose_blocks(domain, run.blocks, reader, run.costs);
  const heddle::BlockGrid grid =
      heddle::BlockGrid::balanced(domain, run.blocks, periodic, transport.ranks(), choice.weights);
  heddle::HybridField<T> f(grid, choice, reader, lbm_hybrid::links, 19, transport.rank(), run.memory);
  f.fill(start<T>);

  heddle::HybridSweep<typename Kernels::DenseEven, typename Kernels::ListedEven> even(f, {1e-4, 0.1875, 1.3},
                                                                                      {1e-4, 0.1875, 1.3});
  heddle::HybridSweep<typename Kernels::DenseOdd, typename Kernels::ListedOdd> odd(f, {1e-4, 0.1875, 1.3},
                                                                                   {1e-4, 0.1875, 1.3});
  heddle::HaloExchange before(odd.before(), transport, {.stamps = heddle::Stamps::checksums});
  heddle::HaloExchange after(odd.after(), transport, {.stamps = heddle::Stamps::checksums});
  heddle::TaskGraph loop({.memory = run.memory, .overlap = run.overlap});
  loop.add(even);
  loop.add(f.to_walls());
  loop.add(before);
  loop.add(odd);
  loop.add(f.from_walls());
  loop.add(after);

  heddle::Checkpoint checkpoint(run.folder, "hybrid", transport);
  checkpoint.add(f);
  if (run.from > 0) checkpoint.read(run.from);
  loop.run(run.to - run.from);
  if (run.to < pairs) {
    checkpoint.write(run.to);
    return {};
  }

  heddle::HybridField<T> here(grid, choice, reader, lbm_hybrid::links, 19, transport.rank());
  here.copy_from(f);
  int dense = 0;
  int listed = 0;
  for (const auto& block : f.blocks())
    ++(block.list ? listed : dense);
  Outcome outcome{0, 0, dense, listed};
  const heddle::SparseView<const T> whole = expected.f.view();
  std::vector<double> row;
  for (int b = grid.first_block(transport.rank()); b < grid.first_block(transport.rank() + 1); ++b) {
    const heddle::Box& box = grid.block(b);
    row.resize(static_cast<std::size_t>(box.extent(0)));
    for (int q = 0; q < 19; ++q) {
      for (std::int64_t z = box.lower[2]; z < box.upper[2]; ++z) {
        for (std::int64_t y = box.lower[1]; y < box.upper[1]; ++y) {
          here.read_row(b, y, z, q, row, -1.0);
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
          here.read_row(b, y, z, q, values, 0.0);
        },
        transport)();
    if constexpr (!std::is_same_v<T, std::uint16_t>) { // reductions do not know halves
      const double wanted = heddle::Reduction<T>(expected.f, heddle::ReductionKind::sum, q).value();
      if (std::bit_cast<std::uint64_t>(sum) != std::bit_cast<std::uint64_t>(wanted)) ++outcome.different;
    }
  }
  return outcome;
}

// With the sweeps of the module: compiled once, in hybrid.cpp.
extern template struct OneList<double>;
extern template struct OneList<float>;
extern template struct OneList<std::uint16_t>;
extern template Outcome compare<double>(const OneList<double>&, heddle::Transport&, const Run&);
extern template Outcome compare<float>(const OneList<float>&, heddle::Transport&, const Run&);
extern template Outcome compare<std::uint16_t>(const OneList<std::uint16_t>&, heddle::Transport&, const Run&);

/// What makes all blocks of one kind, or of both.
inline constexpr heddle::CellCosts mixed{};
inline constexpr heddle::CellCosts all_listed{1e9, 1};
inline constexpr heddle::CellCosts all_dense{1, 1e9};

} // namespace hybrid

#endif
