// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <array>

#include "command_line.hpp"
#include "heddle/core/environment.hpp"

namespace terrain_wind {

std::optional<Options> parse_options(int count, const char* const* arguments) {
  using command_line::between;
  Options o;
  CLI::App app("terrain_wind: wind over real terrain by a sparse D3Q19 lattice Boltzmann method");
  command_line::set_up(app);

  app.add_option("--input", o.input, ".npz, .npy, .asc elevation model or closed .stl, .obj mesh");
  std::array<double, 4> window{};
  const CLI::Option* const has_window =
      command_line::add_joined(
          app, "--window", ',', window, 0, 1e4,
          "X,Y,L,W: centre from the south-west corner, length along and width across the wind, km")
          ->default_str("15.5,13,13,9 of the sample; else all");
  app.add_option("--cell-size", o.cell, "size of the cubic cells, m")->check(between(1e-3, 1e4));
  app.add_option("--wind", o.wind, "speed upstream at --reference, m/s")->check(between(0.1, 1e4));
  app.add_option("--reference", o.reference, "height above the ground to which --wind refers, m")
      ->check(between(0.01, 1e4));
  app.add_option("--direction", o.direction, "where the wind comes from in degrees, 0 north, 90 east")
      ->check(between(-360, 360));
  app.add_option("--roughness", o.roughness, "roughness length of the inflow's logarithmic profile, m")
      ->check(between(1e-6, 10));
  app.add_option("--height", o.height, "air above the highest ground, m")->check(between(1e-2, 1e5));
  CLI::Option* const duration =
      app.add_option("--duration", o.duration, "simulated time, s (default: one passage of the air)")
          ->check(between(1e-3, 1e9));
  app.add_option("--steps", o.steps, "number of steps instead of a duration")
      ->check(between(2, 1e9))
      ->excludes(duration);
  app.add_option("--time-step", o.time_step, "length of a step, s (default: from the stability limit)")
      ->check(between(1e-9, 1e6));
  std::array<double, 2> data_cell{};
  const CLI::Option* const has_data_cell =
      command_line::add_joined(app, "--data-cell", ',', data_cell, 1e-6, 1e300,
                               "DX,DY: cell size of the elevation model where the file does not say it, m")
          ->default_str("");
  app.add_option("--out", o.out, "folder of the results");
  app.add_option("--frames", o.frames, "files of the .pvd series")->check(between(1, 10000));
  app.add_option("--checkpoint-every", o.checkpoint_every,
                 "steps between checkpoints in the folder `checkpoint` of --out; 0: none")
      ->check(between(20, 1e9));
  app.add_option_function<std::string>(
         "--resume", [&](const std::string& text) { o.resume = text == "last" ? -1 : std::stoll(text); },
         "last|N: go on from the newest checkpoint, or from that of step N, with the options of that run")
      ->check(CLI::IsMember({"last"}) | between(0, 1e15));
  command_line::add_choice(
      app, "--device", {"cpu", "cuda"}, [&](std::size_t i) { o.gpu = i == 1; },
      "where the kernels run (default cpu)");
  app.add_option("--threads", o.threads, "CPU threads (default: all)")
      ->check(between(1, heddle::most_threads()));
  app.add_flag("!--no-picture", o.picture, "leave wind.png out");

  if (!command_line::read(app, count, arguments)) return std::nullopt;
  if (*has_window) {
    o.centre_x = 1000 * window[0];
    o.centre_y = 1000 * window[1];
    o.length = 1000 * window[2];
    o.width = 1000 * window[3];
  }
  if (*has_data_cell) o.data_cell = {data_cell[0], data_cell[1]};
  o.whole = !*has_window && !o.input.empty();
  return o;
}

} // namespace terrain_wind
