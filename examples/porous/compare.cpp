// SPDX-License-Identifier: Apache-2.0
#include "compare.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "heddle/block_grid.hpp"
#include "heddle/field.hpp"
#include "heddle/halo_exchange.hpp"
#include "heddle/index_list.hpp"
#include "heddle/sparse_field.hpp"
#include "heddle/task_graph.hpp"
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

/// Median of seconds a step, of a graph of two steps.
double seconds(heddle::TaskGraph& two_steps, int rounds) {
  two_steps.run(2); // warm
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    two_steps.run(4);
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / 8);
  }
  std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
  return times[static_cast<std::size_t>(rounds / 2)];
}

heddle::TaskGraphOptions graph(heddle::Memory memory) {
  return {.name = "two steps", .memory = memory, .capture = memory == heddle::Memory::device};
}

double time_dense(const Voxels& image, int rounds, heddle::Memory memory) {
  const heddle::BlockGrid grid({{0, 0, 0}, image.extent}, {1, 1, 1}, {true, true, true});
  const heddle::FieldOptions options{
      .components = populations, .ghost_layers = 1, .memory = memory, .name = "f"};
  heddle::Field<float> f(grid, options);
  heddle::Field<float> f_next(grid, options);
  heddle::Field<std::uint8_t> pore(grid, {.memory = memory, .name = "pore"});
  f.fill(disturbance);
  pore.fill(
      [&](std::int64_t x, std::int64_t y, std::int64_t z, int) { return image.pore[image.index(x, y, z)]; });
  DenseStep<float> forth(f, pore, f_next, {.omega = omega});
  DenseStep<float> back(f_next, pore, f, {.omega = omega});
  heddle::TaskGraph loop(graph(memory));
  loop.add(heddle::HaloExchange(forth.before()));
  loop.add(forth);
  loop.add(heddle::HaloExchange(back.before()));
  loop.add(back);
  return seconds(loop, rounds);
}

double time_sparse(const heddle::IndexList& list, int rounds) {
  heddle::SparseField<float> f(list, populations, list.memory(), "f");
  heddle::SparseField<float> f_next(list, populations, list.memory(), "f_next");
  f.fill(disturbance);
  heddle::TaskGraph loop(graph(list.memory()));
  loop.add(SparseStep<float>(f, f_next, list.all(), {.omega = omega}));
  loop.add(SparseStep<float>(f_next, f, list.all(), {.omega = omega}));
  return seconds(loop, rounds);
}

} // namespace

std::vector<Costs> compare(std::span<const double> porosities, std::int64_t edge, double diameter, int rounds,
                           heddle::Memory memory) {
  constexpr double both = 2 * populations * sizeof(float);
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
    const double dense = time_dense(image, rounds, memory);
    const double sparse = time_sparse(list, rounds);
    rows.push_back({pores / voxels, pores / dense / 1e6, pores / sparse / 1e6, (both + 1) * voxels / pores,
                    both + tables});
  }
  return rows;
}

double crossover(std::span<const Costs> rows) {
  const auto lead = [](const Costs& row) { return row.sparse_speed / row.dense_speed - 1; };
  if (rows.empty() || lead(rows.front()) <= 0) return 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const double before = lead(rows[i - 1]);
    const double after = lead(rows[i]);
    if (after <= 0)
      return rows[i - 1].porosity + (rows[i].porosity - rows[i - 1].porosity) * before / (before - after);
  }
  return 1;
}

} // namespace porous
