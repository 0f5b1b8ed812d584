// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <algorithm>
#include <cmath>

#include "heddle/plot/figure.hpp"
#include "heddle/plot/streamline.hpp"

namespace pressure_projection {

void draw(const PlaneFlow& flow, const std::string& title, const std::filesystem::path& path) {
  using namespace heddle::plot;
  const Colour ink{0.13, 0.15, 0.18};
  const double dx = flow.width / static_cast<double>(flow.nx);
  const double dz = flow.height / static_cast<double>(flow.nz);
  const Plane u{flow.nx, flow.nz, dx / 2, dz / 2, dx, dz, flow.u};
  const Plane w{flow.nx, flow.nz, dx / 2, dz / 2, dx, dz, flow.w};
  double fastest = 0;
  for (std::size_t i = 0; i < flow.u.size(); ++i)
    fastest = std::max(fastest, std::hypot(flow.u[i], flow.w[i]));

  const double scale = 640 / std::max(flow.width, flow.height);
  const Rect area{70, 60, scale * flow.width, scale * flow.height};
  Figure figure(static_cast<int>(area.width) + 190, static_cast<int>(area.height) + 130, {0.985, 0.98, 0.97});
  figure.text({area.left, 30}, title, {.size = 20, .colour = ink, .bold = true});
  Panel panel(figure, area, {0, flow.width}, {0, flow.height});
  panel.paint([&](double x, double z) {
    return ColourMap::wind()(std::hypot(u.cubic(x, z), w.cubic(x, z)) / fastest);
  });
  const auto lines = streamlines(u, w, {.separation = 0.035 * std::max(flow.width, flow.height)});
  panel.flow_lines(lines, {.colour = {1, 1, 1, 0.75}, .width = 1.3}, 130, 9);
  panel.axes("x", "z", {.size = 15, .colour = ink});
  figure.colour_bar({area.left + area.width + 30, area.top + 30, 18, area.height - 30}, ColourMap::wind(),
                    {0, fastest}, "speed", {.size = 14, .colour = ink});
  figure.save_png(path);
}

} // namespace pressure_projection
