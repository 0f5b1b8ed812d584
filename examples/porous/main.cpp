// SPDX-License-Identifier: Apache-2.0
// Permeability of a porous medium. The kernels are generated from model.py; see README.md.
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "compare.hpp"
#include "flow.hpp"
#include "heddle/block_grid.hpp"
#include "heddle/environment.hpp"
#include "heddle/error.hpp"
#include "heddle/output.hpp"
#include "heddle/output_folder.hpp"
#include "options.hpp"
#include "packing.hpp"
#include "picture.hpp"
#include "voxels.hpp"

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

Medium medium(const Options& options) {
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
  if (closed > 0)
    std::printf("closed    %lld pore voxels that no path joins to both ends\n",
                static_cast<long long>(closed));
  std::int64_t open = 0;
  for (const std::uint8_t pore : result.image.pore)
    open += pore;
  if (open == 0)
    throw heddle::Error("file '" + options.image.string() + "'", "no path of pores leads through it",
                        "try another --axis");
  const auto across = [axis](const Voxels& image) {
    return static_cast<double>(image.extent[(axis + 1) % 3] * image.extent[(axis + 2) % 3]);
  };
  result.area_share = across(sample) / across(result.image);
  return result;
}

/// The plane through the middle along the flow: the flow's axis to the right, the next one upwards.
template <class T> Slice middle(const Flow<T>& flow, const Voxels& image, int axis) {
  const auto a = static_cast<std::size_t>(axis);
  const std::size_t b = (a + 1) % 3;
  Slice slice{image.extent[a], image.extent[b], {}};
  slice.speed.assign(static_cast<std::size_t>(slice.nx * slice.ny), -1.0F);
  flow.velocity().inspect([&](heddle::SparseView<const T> u) {
    std::array<std::int64_t, 3> cell{};
    cell[(a + 2) % 3] = image.extent[(a + 2) % 3] / 2;
    for (cell[b] = 0; cell[b] < image.extent[b]; ++cell[b]) {
      for (cell[a] = 0; cell[a] < image.extent[a]; ++cell[a]) {
        const std::int64_t n = flow.list().cell_of(cell[0], cell[1], cell[2]);
        if (n < 0) continue;
        const auto x = static_cast<double>(u(n, 0));
        const auto y = static_cast<double>(u(n, 1));
        const auto z = static_cast<double>(u(n, 2));
        slice.speed[static_cast<std::size_t>(cell[a] + slice.nx * cell[b])] =
            static_cast<float>(std::hypot(x, y, z));
      }
    }
  });
  return slice;
}

template <class T> void run(const Options& options, const heddle::Environment& environment) {
  const Medium given = medium(options);
  const Voxels& image = given.image;
  const heddle::Memory memory = options.gpu ? heddle::Memory::device : heddle::Memory::host;
  Flow<T> flow(image, options.drive, memory);
  const auto voxels = static_cast<double>(image.pore.size());
  heddle::OutputFolder results(options.out, 13 * voxels);

  std::printf("medium    %s, porosity %.4f\n", image.title.c_str(), given.porosity);
  std::printf("domain    %lld x %lld x %lld voxels, %.3f million of pores\n",
              static_cast<long long>(image.extent[0]), static_cast<long long>(image.extent[1]),
              static_cast<long long>(image.extent[2]), static_cast<double>(flow.list().count()) / 1e6);
  std::fputs(environment.describe().c_str(), stdout);

  const Steady steady = flow.run(options.tolerance, 100, options.steps, [](std::int64_t steps, double flux) {
    if (steps % 1000 == 0) std::printf("step      %lld, flux %.6g\n", static_cast<long long>(steps), flux);
  });
  if (!steady.met)
    std::printf("warning   the flow is not steady after %lld steps; give more --steps\n",
                static_cast<long long>(steady.steps));

  // The flux through the medium alone: the solid sides of a duct are not part of it.
  const double flux = steady.flux / given.area_share;
  const double permeability = Flow<T>::permeability(
      options.drive, flux, given.length, image.extent[static_cast<std::size_t>(options.drive.axis)]);
  std::printf("flux      %.6g voxels a step after %lld steps, %.1f million updates a second\n", flux,
              static_cast<long long>(steady.steps),
              static_cast<double>(steady.steps) * static_cast<double>(flow.list().count()) / steady.seconds /
                  1e6);
  std::printf("result    permeability %.5g voxels^2\n", permeability);
  if (options.voxel_size > 0) {
    const double square_metres = permeability * options.voxel_size * options.voxel_size;
    std::printf("          = %.4g m^2 = %.4g millidarcy\n", square_metres, square_metres / darcy * 1e3);
  }
  if (given.diameter > 0 && !options.cubic)
    std::printf("          Kozeny and Carman: %.5g voxels^2\n",
                kozeny_carman(given.diameter, given.porosity));

  const heddle::BlockGrid grid(flow.list().box());
  const double spacing = options.voxel_size > 0 ? options.voxel_size : 1;
  heddle::Output output(results.unfinished(), "flow", grid, {.spacing = {spacing, spacing, spacing}});
  output.add(flow.velocity(), "velocity", T(0));
  output.add<std::uint8_t>("pore", 1, [&](int, std::int64_t x, std::int64_t y, std::int64_t z, int) {
    return image.pore[image.index(x, y, z)];
  });
  output.write(0, static_cast<double>(steady.steps));
  if (can_draw()) {
    char subtitle[160];
    std::snprintf(subtitle, sizeof subtitle,
                  "Porosity %.3f, permeability %.4g voxels². The plane in the middle, flow to the right.",
                  given.porosity, permeability);
    draw(middle(flow, image, options.drive.axis), flux, "Creeping flow: " + image.title, subtitle,
         results.unfinished() / "flow.png");
  }
  results.publish();
  std::printf("written   %s%s\n", (options.out / "flow.pvd").string().c_str(),
              can_draw() ? ", flow.png" : "");
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

void run(const Options& options) {
  const heddle::Environment environment({.threads = options.threads});
  if (options.compare)
    print_costs(options);
  else if (options.doubles)
    run<double>(options, environment);
  else
    run<float>(options, environment);
}

} // namespace
} // namespace porous

int main(int count, char** arguments) {
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 12); // lines appear as they are printed, in a file too
  try {
    const porous::Options options = porous::parse_options(count, arguments);
    if (options.help)
      std::fputs(porous::help_text().c_str(), stdout);
    else
      porous::run(options);
    return 0;
  } catch (const std::bad_alloc&) {
    std::fputs("porous: not enough memory. Hint: choose a smaller --edge\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "porous: %s\n", error.what());
  }
  return 1;
}
