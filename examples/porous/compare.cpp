// SPDX-License-Identifier: Apache-2.0
#include "compare.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "heddle/graph/task_graph.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/halo/halo_exchange.hpp"
#include "heddle/sparse/index_list.hpp"
#include "heddle/sparse/sparse_field.hpp"
#include "packing.hpp"
#include "porous_sweeps.hpp"

namespace porous {
namespace {

constexpr int populations = 19;
constexpr double omega = 1.2;

/// A small value that differs from voxel to voxel and from direction to direction.
float disturbance(std::int64_t x, std::int64_t y, std::int64_t z, int q) {
  std::uint64_t state = static_cast<std::uint64_t>(x + 4096 * (y + 4096 * z)) * 0x9E3779B97F4A7C15U +
                        static_cast<std::uint64_t>(q) * 0xBF58476D1CE4E5B9U;
  state ^= state >> 31U;
  state *= 0x94D049BB133111EBU;
  return static_cast<float>(0.02 * (static_cast<double>(state >> 11U) * 0x1p-53 - 0.5));
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

/// Seconds a step, of a graph of two steps.
double seconds(heddle::TaskGraph& two_steps) {
  const auto begin = std::chrono::steady_clock::now();
  two_steps.run(4);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / 8;
}

/// Recorded once: the four iterations that are timed are too few to be recorded for themselves.
heddle::TaskGraphOptions graph(heddle::Memory memory) {
  return {.name = "two steps", .memory = memory, .capture = true, .unroll = 1};
}

/// The dense kernel over all voxels.
class Dense {
public:
  Dense(const Voxels& image, heddle::Memory memory)
      : grid_({{0, 0, 0}, image.extent}, {1, 1, 1}, {true, true, true}),
        f_(grid_, {.components = populations, .ghost_layers = 1, .memory = memory, .name = "f"}),
        f_next_(grid_, {.components = populations, .ghost_layers = 1, .memory = memory, .name = "f_next"}),
        pore_(grid_, {.memory = memory, .name = "pore"}),
        forth_(f_, pore_, f_next_, {.g_x = 0, .g_y = 0, .g_z = 0, .omega = omega}),
        back_(f_next_, pore_, f_, {.g_x = 0, .g_y = 0, .g_z = 0, .omega = omega}), loop_(graph(memory)) {
    f_.fill(disturbance);
    pore_.fill([&](std::int64_t x, std::int64_t y, std::int64_t z, int) {
      return image.pore[image.index(x, y, z)];
    });
    loop_.add(heddle::HaloExchange(forth_.before()));
    loop_.add(forth_);
    loop_.add(heddle::HaloExchange(back_.before()));
    loop_.add(back_);
  }

  /// Two steps.
  heddle::TaskGraph& loop() { return loop_; }

private:
  heddle::BlockGrid grid_;
  heddle::Field<float> f_, f_next_;
  heddle::Field<std::uint8_t> pore_;
  DenseStep<float> forth_, back_;
  heddle::TaskGraph loop_;
};

/// The sparse kernel over the list of pores.
class Sparse {
public:
  explicit Sparse(const heddle::IndexList& list)
      : f_(list, populations, list.memory(), "f"), f_next_(list, populations, list.memory(), "f_next"),
        loop_(graph(list.memory())) {
    f_.fill(disturbance);
    loop_.add(SparseStep<float>(f_, f_next_, list.all(), {.g_x = 0, .g_y = 0, .g_z = 0, .omega = omega}));
    loop_.add(SparseStep<float>(f_next_, f_, list.all(), {.g_x = 0, .g_y = 0, .g_z = 0, .omega = omega}));
  }

  /// Two steps.
  heddle::TaskGraph& loop() { return loop_; }

private:
  heddle::SparseField<float> f_, f_next_;
  heddle::TaskGraph loop_;
};

} // namespace

std::vector<Costs> compare(std::span<const double> porosities, std::int64_t edge, double diameter, int rounds,
                           heddle::Memory memory) {
  constexpr double both = 2.0 * populations * sizeof(float);
  std::vector<Costs> rows;
  for (const double porosity : porosities) {
    double found = 0;
    const Voxels image =
        porosity < 1 ? random_packing(edge, diameter, porosity, 1, found)
                     : Voxels{{edge, edge, edge},
                              std::vector<std::uint8_t>(static_cast<std::size_t>(edge * edge * edge), 1),
                              "open"};
    const heddle::IndexList list({{0, 0, 0}, image.extent}, image.pore, {true, true, true}, links, memory);
    const auto pores = static_cast<double>(list.count());
    const auto voxels = static_cast<double>(image.pore.size());
    const double tables =
        4 * (static_cast<double>(list.rows()) +
             static_cast<double>(list.neighbour_chunk_size()) / static_cast<double>(list.cells()));
    Dense dense(image, memory);
    Sparse sparse(list);
    dense.loop().run(2); // warm
    sparse.loop().run(2);
    std::vector<double> dense_times;
    std::vector<double> sparse_times;
    std::vector<double> ratios;
    for (int round = 0; round < rounds; ++round) {
      dense_times.push_back(seconds(dense.loop()));
      sparse_times.push_back(seconds(sparse.loop()));
      ratios.push_back(dense_times.back() / sparse_times.back());
    }
    rows.push_back({.porosity = pores / voxels,
                    .dense_speed = pores / median(dense_times) / 1e6,
                    .sparse_speed = pores / median(sparse_times) / 1e6,
                    .ratio = median(ratios),
                    .dense_bytes = (both + 1) * voxels / pores,
                    .sparse_bytes = both + tables});
  }
  return rows;
}

namespace {

/// Where `lead`, positive where the list is better, falls to zero.
template <class Lead> double crossing(std::span<const Costs> rows, const Lead& lead) {
  if (rows.empty() || lead(rows.front()) <= 0) return 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const double before = lead(rows[i - 1]);
    const double after = lead(rows[i]);
    if (after <= 0)
      return rows[i - 1].porosity + (rows[i].porosity - rows[i - 1].porosity) * before / (before - after);
  }
  return 1;
}

} // namespace

double crossover(std::span<const Costs> rows) {
  return crossing(rows, [](const Costs& row) { return row.ratio - 1; });
}

double memory_crossover(std::span<const Costs> rows) {
  return crossing(rows, [](const Costs& row) { return row.dense_bytes / row.sparse_bytes - 1; });
}

} // namespace porous
