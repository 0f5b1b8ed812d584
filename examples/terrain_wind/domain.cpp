// SPDX-License-Identifier: Apache-2.0
#include "domain.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "heddle/core/error.hpp"
#include "heddle/core/number_text.hpp"
#include "heddle/core/printable.hpp"
#include "heddle/core/size.hpp"
#include "heddle/geometry/mesh.hpp"
#include "heddle/geometry/voxelise.hpp"

namespace terrain_wind {
namespace {

namespace geometry = heddle::geometry;

constexpr double upstream_margin = 0.12; // of the window's length
constexpr double downstream_margin = 0.15;
constexpr double side_margin = 0.12; // of the window's width
constexpr double most_cells = 2e9;

std::filesystem::path sample_file() {
  const std::filesystem::path file = "/usr/share/matplotlib/mpl-data/sample_data/jacksboro_fault_dem.npz";
  if (!std::filesystem::exists(file))
    throw heddle::Error("default input", "'" + file.string() + "' does not exist",
                        "install Debian's python-matplotlib-data, or name an elevation model with --input");
  return file;
}

bool is_mesh(const std::filesystem::path& path) {
  const std::string suffix = path.extension().string();
  return suffix == ".stl" || suffix == ".STL" || suffix == ".obj" || suffix == ".OBJ";
}

void set_layers(Domain& domain, double lowest, double highest, double air) {
  domain.bottom = std::floor(lowest / domain.cell) * domain.cell;
  domain.nz = heddle::nearest_count(std::ceil((highest + air - domain.bottom) / domain.cell));
}

/// Throws where so many cells are too many; each of them takes a byte on every rank.
void require_room(std::int64_t nx, std::int64_t ny, std::int64_t nz, const Options& options) {
  (void)heddle::require_size({"option --cell-size", "cells", {nx, ny, nz}},
                             std::min(heddle::memory_limit(), most_cells),
                             "choose larger cells than " + heddle::number_text(options.cell) +
                                 " m or a smaller window, and check the size of the input");
}

void require_size(const Domain& domain, const Options& options) {
  if (domain.nx < 8 || domain.ny < 8 || domain.nz < 4)
    throw heddle::Error("option --cell-size",
                        "the domain has " + std::to_string(domain.nx) + " x " + std::to_string(domain.ny) +
                            " x " + std::to_string(domain.nz) + " cells only",
                        "choose smaller cells than " + heddle::number_text(options.cell) +
                            " m or a larger window");
  require_room(domain.nx, domain.ny, domain.nz, options);
}

/// Angle of the direction in which the wind blows, from east, counter-clockwise.
double flow_angle(double from_degrees) {
  return (270 - from_degrees) * std::numbers::pi / 180;
}

Domain terrain_domain(const Options& options) {
  const std::filesystem::path file = options.input.empty() ? sample_file() : options.input;
  const geometry::Elevation model = geometry::read_elevation(file, options.data_cell);
  Domain domain;
  domain.title =
      options.input.empty() ? "Jacksboro fault, Tennessee" : heddle::printable(file.filename().string());
  domain.cell = options.cell;
  domain.angle = flow_angle(options.direction);
  geometry::Window window{options.centre_x, options.centre_y, options.length, options.width, domain.angle};
  if (options.whole) {
    // The largest box along the wind inside the model, about its middle.
    const double c = std::abs(std::cos(domain.angle));
    const double s = std::abs(std::sin(domain.angle));
    const double scale = std::min(model.width() / (c + s), model.depth() / (c + s));
    window = {model.width() / 2, model.depth() / 2, scale, scale, domain.angle};
    if (s < 1e-9) window = {window.centre_x, window.centre_y, model.width(), model.depth(), domain.angle};
    if (c < 1e-9) window = {window.centre_x, window.centre_y, model.depth(), model.width(), domain.angle};
    domain.margins = {upstream_margin * window.length, downstream_margin * window.length,
                      side_margin * window.width};
  } else {
    domain.margins = {upstream_margin * window.length, downstream_margin * window.length,
                      side_margin * window.width};
    const double shift = (domain.margins.downstream - domain.margins.upstream) / 2;
    window.centre_x += shift * std::cos(domain.angle);
    window.centre_y += shift * std::sin(domain.angle);
    window.length += domain.margins.upstream + domain.margins.downstream;
    window.width += 2 * domain.margins.side;
  }
  require_room(heddle::nearest_count(window.length / options.cell),
               heddle::nearest_count(window.width / options.cell),
               heddle::nearest_count(std::ceil(options.height / options.cell)), options);
  domain.ground = geometry::resample(model, window, options.cell);
  const auto& heights = domain.ground.height;
  domain.base = std::accumulate(heights.begin(), heights.end(), 0.0) / static_cast<double>(heights.size());
  geometry::blend_edges(domain.ground, domain.margins, domain.base);
  domain.nx = domain.ground.nx;
  domain.ny = domain.ground.ny;
  const auto [lowest, highest] = std::minmax_element(heights.begin(), heights.end());
  set_layers(domain, *lowest, *highest, options.height);
  require_size(domain, options);
  domain.fluid = geometry::below_ground(domain.ground, domain.bottom, domain.nz);
  for (std::uint8_t& cell : domain.fluid)
    cell = cell == 0 ? 1 : 0;
  return domain;
}

geometry::Mesh turned(geometry::Mesh mesh, double angle) {
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  for (geometry::Point& p : mesh.vertices)
    p = {c * p[0] + s * p[1], -s * p[0] + c * p[1], p[2]};
  return mesh;
}

/// Bodies on flat ground at the height of their lowest point.
Domain mesh_domain(const Options& options) {
  Domain domain;
  domain.title = heddle::printable(options.input.filename().string());
  domain.cell = options.cell;
  domain.angle = flow_angle(options.direction);
  const geometry::Mesh mesh = turned(geometry::read_mesh(options.input), domain.angle);
  const auto [lower, upper] = geometry::bounds(mesh);
  const double size = std::max(upper[0] - lower[0], upper[1] - lower[1]);
  const double tall = upper[2] - lower[2];
  domain.margins = {0.5 * size + 2 * tall, size + 4 * tall, 0.5 * size + 2 * tall};
  domain.base = lower[2];
  set_layers(domain, lower[2], upper[2], options.height);
  domain.bottom = lower[2];
  geometry::VoxelGrid grid;
  grid.cell = options.cell;
  grid.origin = {lower[0] - domain.margins.upstream, lower[1] - domain.margins.side, lower[2]};
  domain.nx = heddle::nearest_count((upper[0] + domain.margins.downstream - grid.origin[0]) / options.cell);
  domain.ny = heddle::nearest_count((upper[1] + domain.margins.side - grid.origin[1]) / options.cell);
  require_size(domain, options);
  grid.extent = {domain.nx, domain.ny, domain.nz};
  domain.fluid = geometry::voxelise(mesh, grid);
  for (std::uint8_t& cell : domain.fluid)
    cell = cell == 0 ? 1 : 0;
  domain.ground = {domain.nx, domain.ny, options.cell,
                   std::vector<double>(static_cast<std::size_t>(domain.nx * domain.ny))};
  for (std::int64_t j = 0; j < domain.ny; ++j)
    for (std::int64_t i = 0; i < domain.nx; ++i) {
      std::int64_t k = domain.nz;
      while (k > 0 && domain.is_fluid(i, j, k - 1))
        --k;
      domain.ground.at(i, j) = domain.bottom + static_cast<double>(k) * domain.cell;
    }
  return domain;
}

} // namespace

std::int64_t Domain::fluid_cells() const {
  return std::accumulate(fluid.begin(), fluid.end(), std::int64_t{0});
}

Domain make_domain(const Options& options) {
  Domain domain = is_mesh(options.input) ? mesh_domain(options) : terrain_domain(options);
  if (domain.fluid_cells() == 0)
    throw heddle::Error("domain of '" + domain.title + "'", "no fluid cells: the bodies fill it",
                        "choose a larger --window or --height, or check the mesh");
  return domain;
}

std::array<double, 3> first_guess(const Domain& domain, const LogProfile& wind, std::int64_t i,
                                  std::int64_t j, std::int64_t k) {
  const double ground = domain.ground.at(i, j);
  const double depth = domain.top() - ground;
  const double upstream_depth = domain.top() - domain.base;
  const double sigma = std::clamp((domain.centre(k) - ground) / depth, 0.0, 1.0);
  const double u = wind(sigma * upstream_depth) * upstream_depth / depth;
  const double west = domain.ground.at(std::max<std::int64_t>(i - 1, 0), j);
  const double east = domain.ground.at(std::min(i + 1, domain.nx - 1), j);
  return {u, 0, u * (1 - sigma) * (east - west) / (2 * domain.cell)};
}

} // namespace terrain_wind
