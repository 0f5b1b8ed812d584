// SPDX-License-Identifier: Apache-2.0
// Permeability of a porous medium. The kernels are generated from model.py; see README.md.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compare.hpp"
#include "flow.hpp"
#include "heddle/core/environment.hpp"
#include "heddle/core/error.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/io/output.hpp"
#include "heddle/io/output_folder.hpp"
#include "heddle/program/program.hpp"
#include "heddle/reduction/reduction.hpp"
#include "options.hpp"
#include "packing.hpp"
#include "picture.hpp"
#include "start.hpp"
#include "voxels.hpp"
#include "wide_fetches.hpp"

namespace porous {
namespace {

constexpr double darcy = 9.869233e-13; // m^2

/// A medium ready to run, and what is known of it.
struct Medium {
  Voxels image;            ///< with the open layers of a duct
  std::int64_t length = 0; ///< voxels of the medium along the flow
  double porosity = 0;     ///< of the medium alone
  double area_share = 1;   ///< of a cross-section of the image that the medium has
  double diameter = 0;     ///< of its spheres, 0 where there are none
};

Medium medium(const Options& options, bool prints) {
  const auto axis = static_cast<std::size_t>(options.drive.axis);
  Medium result;
  if (options.image.empty()) {
    result.diameter = options.diameter;
    result.image = options.cubic ? cubic_array(options.edge, options.diameter)
                                 : random_packing(options.edge, options.diameter, options.porosity,
                                                  options.seed, result.diameter);
    result.length = result.image.extent[axis];
    result.porosity = result.image.porosity();
    return result;
  }
  const Voxels sample = read_image(options.image, options.reading);
  result.porosity = sample.porosity();
  result.length = sample.extent[axis];
  result.image = in_a_duct(sample, options.drive.axis, options.layers);
  const std::int64_t closed = close_dead_ends(result.image, options.drive.axis);
  if (closed > 0 && prints)
    std::printf("closed    %lld pore voxels that no path joins to both ends\n",
                static_cast<long long>(closed));
  std::int64_t open = 0;
  for (const std::uint8_t pore : result.image.pore)
    open += pore;
  if (open == 0)
    throw heddle::Error("file '" + options.image.string() + "'",
                        "no connected path of pores crosses the sample", "try another --axis");
  const auto across = [axis](const Voxels& image) {
    return static_cast<double>(image.extent[(axis + 1) % 3] * image.extent[(axis + 2) % 3]);
  };
  result.area_share = across(sample) / across(result.image);
  return result;
}

/// The plane through the middle along the flow: the flow's axis to the right, the next one upwards. On rank
/// 0; all call it together.
template <class T>
Slice middle(const Flow<T>& flow, const Voxels& image, int axis, heddle::Transport& processes) {
  const auto a = static_cast<std::size_t>(axis);
  const std::size_t b = (a + 1) % 3;
  const std::size_t c = (a + 2) % 3;
  Slice slice{image.extent[a], image.extent[b], {}};
  std::vector<float> mine(static_cast<std::size_t>(slice.nx * slice.ny), -1.0F);
  for (const heddle::SparseField<T>* const velocity : flow.velocity()) {
    const heddle::IndexList& list = velocity->list();
    velocity->inspect([&](heddle::SparseView<const T> u) {
      std::array<std::int64_t, 3> cell{};
      cell[c] = image.extent[c] / 2;
      for (cell[b] = 0; cell[b] < image.extent[b]; ++cell[b]) {
        for (cell[a] = 0; cell[a] < image.extent[a]; ++cell[a]) {
          if (!list.box().contains(cell)) continue;
          const std::int64_t n = list.cell_of(cell[0], cell[1], cell[2]);
          if (n < 0) continue;
          const auto x = static_cast<double>(u(n, 0));
          const auto y = static_cast<double>(u(n, 1));
          const auto z = static_cast<double>(u(n, 2));
          mine[static_cast<std::size_t>(cell[a] + slice.nx * cell[b])] =
              static_cast<float>(std::hypot(x, y, z));
        }
      }
    });
  }
  // A row of what each knows; a pore is known to one.
  const int ranks = processes.ranks();
  const auto n = static_cast<std::int64_t>(mine.size());
  const heddle::BlockGrid rows({{0, 0, 0}, {n, ranks, 1}}, {1, ranks, 1}, {false, false, false}, ranks);
  const std::vector<float> all = heddle::gather_cells<float>(
      rows,
      [&](int, std::int64_t, std::int64_t, std::span<float> row) { std::ranges::copy(mine, row.begin()); },
      processes);
  slice.speed = std::move(mine);
  for (std::size_t i = 0; i < all.size(); ++i) {
    float& speed = slice.speed[i % slice.speed.size()];
    speed = std::max(speed, all[i]);
  }
  return slice;
}

void print_result(const Options& options, const Medium& given, const Steady& steady, double flux,
                  double permeability, double pores) {
  if (!steady.met)
    std::printf("warning   the flow is not steady after %lld steps; give more --steps\n",
                static_cast<long long>(steady.steps));
  std::printf("flux      %.6g voxels a step after %lld steps, %.1f million updates a second\n", flux,
              static_cast<long long>(steady.steps),
              static_cast<double>(steady.steps) * pores / steady.seconds / 1e6);
  std::printf("result    permeability %.5g voxels^2\n", permeability);
  if (options.voxel_size > 0) {
    const double square_metres = permeability * options.voxel_size * options.voxel_size;
    std::printf("          = %.4g m^2 = %.4g millidarcy\n", square_metres, square_metres / darcy * 1e3);
  }
  if (given.diameter > 0 && !options.cubic)
    std::printf("          Kozeny and Carman: %.5g voxels^2\n",
                kozeny_carman(given.diameter, given.porosity));
}

/// Returns the exit status.
template <class T>
int run(const Options& options, const heddle::Environment& environment, heddle::Ranks& ranks) {
  heddle::Transport& processes = ranks.processes();
  const bool prints = ranks.first();
  const Medium given = medium(options, prints);
  const Voxels& image = given.image;
  const heddle::Memory memory = options.gpu ? heddle::Memory::device : heddle::Memory::host;
  Flow<T> flow(image, options.drive, memory, ranks);
  const auto voxels = static_cast<double>(image.pore.size());
  const auto pores =
      static_cast<double>(std::accumulate(image.pore.begin(), image.pore.end(), std::int64_t{0}));
  heddle::OutputFolder results(options.out, 13 * voxels, processes);

  if (prints) {
    std::printf("medium    %s, porosity %.4f\n", image.title.c_str(), given.porosity);
    std::printf("domain    %lld x %lld x %lld voxels, %.3f million of pores\n",
                static_cast<long long>(image.extent[0]), static_cast<long long>(image.extent[1]),
                static_cast<long long>(image.extent[2]), pores / 1e6);
    std::printf("lists     %s\n", flow.lists().line(processes.rank(), processes.ranks()).c_str());
    std::fputs(environment.describe().c_str(), stdout);
  }
  const Steady steady =
      flow.run(options.tolerance, 100, options.steps, [prints](std::int64_t steps, double flux) {
        if (prints && steps % 1000 == 0)
          std::printf("step      %lld, flux %.6g\n", static_cast<long long>(steps), flux);
      });

  // The flux through the medium alone: the solid sides of a duct are not part of it.
  const double flux = steady.flux / given.area_share;
  const double permeability = Flow<T>::permeability(
      options.drive, flux, given.length, image.extent[static_cast<std::size_t>(options.drive.axis)]);
  if (prints) print_result(options, given, steady, flux, permeability, pores);

  const heddle::BlockGrid grid = flow.process_grid();
  const double spacing = options.voxel_size > 0 ? options.voxel_size : 1;
  heddle::Output output(results.unfinished(), "flow", grid, processes,
                        {.spacing = {spacing, spacing, spacing}});
  output.add(flow.velocity(), "velocity", T(0));
  output.add<std::uint8_t>("pore", 1, [&](int block, std::int64_t x, std::int64_t y, std::int64_t z, int) {
    const auto& lower = grid.block(grid.first_block(processes.rank()) + block).lower;
    return image.pore[image.index(lower[0] + x, lower[1] + y, lower[2] + z)];
  });
  output.write(0, static_cast<double>(steady.steps));
  const Slice slice = middle(flow, image, options.drive.axis, processes);
  if (can_draw() && prints) {
    char subtitle[160];
    std::snprintf(subtitle, sizeof subtitle,
                  "Porosity %.3f, permeability %.4g voxels². The plane in the middle, flow to the right.",
                  given.porosity, permeability);
    draw(slice, flux, "Creeping flow: " + image.title, subtitle, results.unfinished() / "flow.png");
  }
  results.publish();
  if (prints)
    std::printf("written   %s%s\n", (options.out / "flow.pvd").string().c_str(),
                can_draw() ? ", flow.png" : "");
  if (steady.met) return 0;
  if (prints)
    std::fprintf(stderr,
                 "porous: the flow is not steady: the results are written, and not those of the end\n");
  return example::not_converged;
}

void print_costs(const Options& options) {
  const std::vector<double> porosities{0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0};
  std::printf("spheres of %g voxels in %lld^3 voxels, f32, %s\n", options.diameter,
              static_cast<long long>(options.edge), options.gpu ? "cuda" : "cpu");
  std::printf("| porosity | dense MLUPS of pores | sparse MLUPS | sparse / dense | dense B a pore | sparse B "
              "a pore |\n"
              "|---|---|---|---|---|---|\n");
  const std::vector<Costs> rows = compare(porosities, options.edge, options.diameter, 9,
                                          options.gpu ? heddle::Memory::device : heddle::Memory::host);
  for (const Costs& row : rows) {
    std::printf("| %.3f | %.1f | %.1f | %.2f | %.0f | %.0f |\n", row.porosity, row.dense_speed,
                row.sparse_speed, row.ratio, row.dense_bytes, row.sparse_bytes);
  }
  const double where = crossover(rows);
  if (where >= 1)
    std::printf("The list is faster at all of them.\n");
  else if (where <= 0)
    std::printf("The dense kernel is faster at all of them.\n");
  else
    std::printf("The dense kernel is faster above a porosity of %.2f.\n", where);
  const double memory = memory_crossover(rows);
  if (memory > 0 && memory < 1) std::printf("It takes less memory above %.2f.\n", memory);
}

int run(const Options& options, heddle::Ranks& ranks) {
  const heddle::Environment environment({.threads = options.threads});
  const WideFetches fetches(ranks, options.gpu);
  if (options.compare) {
    if (ranks.first()) print_costs(options); // it times kernels, one processor or device will do
    return 0;
  }
  return options.doubles ? run<double>(options, environment, ranks) : run<float>(options, environment, ranks);
}

} // namespace
} // namespace porous

int main(int argc, char** argv) {
  const auto start = example::start("porous", porous::parse_options, argc, argv);
  if (start.status) return heddle::end_together(argc, argv, *start.status);
  const heddle::Memory memory = start.options.gpu ? heddle::Memory::device : heddle::Memory::host;
  return heddle::run(argc, argv, memory, [&](heddle::Ranks& ranks) {
    int status = 0;
    example::within_memory("choose a smaller --edge", [&] { status = porous::run(start.options, ranks); });
    return status;
  });
}
