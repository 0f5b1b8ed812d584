// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include "command_line.hpp"
#include "heddle/core/environment.hpp"

namespace porous {

std::optional<Options> parse_options(int count, const char* const* arguments) {
  using command_line::between;
  Options o;
  CLI::App app("porous: permeability of a porous medium by a D3Q19 lattice Boltzmann method on its pores");
  command_line::set_up(app);

  CLI::Option* const image =
      app.add_option("image", o.image,
                     "voxels in an .npz, .npy, .raw, .vti or .vtk file; without one, a packing of spheres");
  app.add_option("--array", o.reading.array,
                 "array of an .npz, .vti or .vtk file (default: the only one that fits)")
      ->needs(image);
  command_line::add_joined(app, "--size", ',', o.reading.size, 1, 1e5,
                           "NX,NY,NZ: voxels of a .raw file, one byte each, x fastest")
      ->default_str("")
      ->needs(image);
  app.add_option("--pore", o.reading.pore_value, "voxels of an image with this value are pores")
      ->needs(image);
  app.add_option("--layers", o.layers, "open layers before and behind an image")
      ->check(between(1, 1000))
      ->needs(image);

  command_line::add_choice(
      app, "--packing", {"random", "cubic"}, [&](std::size_t i) { o.cubic = i == 1; },
      "spheres at random places (default), or one in a cube")
      ->excludes(image);
  app.add_option("--edge", o.edge, "voxels along an edge of the packing's cube")
      ->check(between(4, 4096))
      ->excludes(image);
  app.add_option("--diameter", o.diameter, "of its spheres, in voxels")
      ->check(between(2, 4096))
      ->excludes(image);
  app.add_option("--porosity", o.porosity, "of a random packing")->check(between(0.3, 0.95))->excludes(image);
  app.add_option("--seed", o.seed, "of a random packing")->excludes(image);

  command_line::add_choice(
      app, "--axis", {"x", "y", "z"}, [&](std::size_t i) { o.drive.axis = static_cast<int>(i); },
      "of the flow (default x)");
  app.add_option("--viscosity", o.drive.viscosity, "lattice units")->check(between(1e-3, 2));
  app.add_option("--force", o.drive.force, "lattice units, per volume")->check(between(1e-12, 1e-2));
  app.add_option("--tolerance", o.tolerance, "relative change of the flux in 100 steps at the end")
      ->check(between(1e-12, 1));
  app.add_option("--steps", o.steps, "at most")->check(between(2, 1e9));
  app.add_option("--voxel-size", o.voxel_size,
                 "metres; the permeability is then printed in m^2 and millidarcy")
      ->check(between(1e-12, 1e3));
  command_line::add_choice(
      app, "--precision", {"f32", "f64"}, [&](std::size_t i) { o.doubles = i == 1; }, "(default f32)");
  app.add_flag("--compare", o.compare,
               "instead of a flow: what dense and sparse kernels cost at porosities from 0.3 to 1")
      ->excludes(image);
  command_line::add_choice(
      app, "--device", {"cpu", "cuda"}, [&](std::size_t i) { o.gpu = i == 1; },
      "where the kernels run (default cpu)");
  app.add_option("--threads", o.threads, "CPU threads (default: all)")
      ->check(between(1, heddle::most_threads()));
  app.add_option("--out", o.out, "folder of the results");

  if (!command_line::read(app, count, arguments)) return std::nullopt;
  o.steps = o.steps / 2 * 2; // an even and an odd step belong together
  return o;
}

} // namespace porous
