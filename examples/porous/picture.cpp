// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <algorithm>

#include "heddle/plot/figure.hpp"

namespace porous {

bool can_draw() {
  return true;
}

void draw(const Slice& slice, double unit, const std::string& title, const std::string& subtitle,
          const std::filesystem::path& path) {
  using namespace heddle::plot;
  const Colour ink{0.13, 0.15, 0.18};
  const Colour grain{0.80, 0.77, 0.72};
  const auto width = static_cast<double>(slice.nx);
  const auto height = static_cast<double>(slice.ny);
  // The fastest hundredth of a medium would leave all else dark.
  std::vector<float> pores;
  std::copy_if(slice.speed.begin(), slice.speed.end(), std::back_inserter(pores),
               [](float v) { return v >= 0; });
  double fastest = unit;
  if (!pores.empty()) {
    const auto at = pores.begin() + static_cast<std::ptrdiff_t>(pores.size() * 99 / 100);
    std::nth_element(pores.begin(), at, pores.end());
    fastest = std::max(static_cast<double>(*at), 1e-30);
  }

  const double scale = 760 / std::max(width, height);
  const Rect area{70, 84, scale * width, scale * height};
  Figure figure(static_cast<int>(area.width) + 200, static_cast<int>(area.height) + 150, {0.985, 0.98, 0.97});
  figure.text({area.left, 30}, title, {.size = 20, .colour = ink, .bold = true});
  figure.text({area.left, 58}, subtitle, {.size = 13, .colour = ink});
  Panel panel(figure, area, {0, width}, {0, height});
  panel.paint([&](double x, double y) {
    const auto i = std::clamp<std::int64_t>(static_cast<std::int64_t>(x), 0, slice.nx - 1);
    const auto j = std::clamp<std::int64_t>(static_cast<std::int64_t>(y), 0, slice.ny - 1);
    const auto speed = static_cast<double>(slice.speed[static_cast<std::size_t>(i + slice.nx * j)]);
    return speed < 0 ? grain : ColourMap::wind()(std::min(speed / fastest, 1.0));
  });
  panel.axes("voxels", "voxels", {.size = 15, .colour = ink});
  figure.colour_bar({area.left + area.width + 30, area.top + 30, 18, area.height - 30}, ColourMap::wind(),
                    {0, fastest / unit}, "speed / flux", {.size = 14, .colour = ink});
  figure.save_png(path);
}

} // namespace porous
