// SPDX-License-Identifier: Apache-2.0
#include "heddle/plot/colour_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace heddle::plot {
namespace {

constexpr int table_size = 256;

double to_srgb(double linear) {
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}

double from_srgb(double value) {
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

/// Linear sRGB of an OKLab colour (matrices of B. Ottosson, "A perceptual color space for image processing",
/// 2020).
std::array<double, 3> linear_srgb(double l, double a, double b) {
  const double p = std::pow(l + 0.3963377774 * a + 0.2158037573 * b, 3);
  const double q = std::pow(l - 0.1055613458 * a - 0.0638541728 * b, 3);
  const double r = std::pow(l - 0.0894841775 * a - 1.2914855480 * b, 3);
  return {4.0767416621 * p - 3.3077115913 * q + 0.2309699292 * r,
          -1.2684380046 * p + 2.6097574011 * q - 0.3413193965 * r,
          -0.0041960863 * p - 0.7034186147 * q + 1.7076147010 * r};
}

/// The most vivid colour up to `chroma` that sRGB shows at this lightness and hue.
Colour oklch(double lightness, double chroma, double hue_degrees) {
  const double hue = hue_degrees * std::numbers::pi / 180;
  const auto at = [&](double c) { return linear_srgb(lightness, c * std::cos(hue), c * std::sin(hue)); };
  const auto shown = [](const std::array<double, 3>& rgb) {
    return std::all_of(rgb.begin(), rgb.end(), [](double v) { return v >= -1e-6 && v <= 1 + 1e-6; });
  };
  double low = 0;
  double high = chroma;
  if (!shown(at(high))) {
    for (int step = 0; step < 30; ++step)
      (shown(at((low + high) / 2)) ? low : high) = (low + high) / 2;
    high = low;
  }
  const std::array<double, 3> rgb = at(high);
  const auto channel = [&](std::size_t n) { return to_srgb(std::clamp(rgb[n], 0.0, 1.0)); };
  return {channel(0), channel(1), channel(2), 1};
}

} // namespace

Colour mix(const Colour& a, const Colour& b, double t) {
  return {a.red + t * (b.red - a.red), a.green + t * (b.green - a.green), a.blue + t * (b.blue - a.blue),
          a.alpha + t * (b.alpha - a.alpha)};
}

Colour shade(const Colour& colour, double factor) {
  const auto scaled = [&](double value) { return std::clamp(value * factor, 0.0, 1.0); };
  return {scaled(colour.red), scaled(colour.green), scaled(colour.blue), colour.alpha};
}

double lightness(const Colour& c) {
  const double r = from_srgb(c.red);
  const double g = from_srgb(c.green);
  const double b = from_srgb(c.blue);
  const double p = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double q = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return 0.2104542553 * p + 0.7936177850 * q - 0.0040720468 * s;
}

ColourMap::ColourMap(double dark, double light, const std::vector<Tint>& tints) {
  for (int n = 0; n < table_size; ++n) {
    const double t = static_cast<double>(n) / (table_size - 1);
    const double place = t * static_cast<double>(tints.size() - 1);
    const std::size_t left = std::min(static_cast<std::size_t>(place), tints.size() - 2);
    const double s = place - static_cast<double>(left);
    const double hue = tints[left].hue + s * (tints[left + 1].hue - tints[left].hue);
    const double chroma = tints[left].chroma + s * (tints[left + 1].chroma - tints[left].chroma);
    table_.push_back(oklch(dark + t * (light - dark), chroma, hue));
  }
}

Colour ColourMap::operator()(double value) const {
  const double place = std::clamp(value, 0.0, 1.0) * (table_size - 1);
  const auto left = std::min(static_cast<std::size_t>(place), std::size_t{table_size - 2});
  return mix(table_[left], table_[left + 1], place - static_cast<double>(left));
}

const ColourMap& ColourMap::wind() {
  static const ColourMap map(0.27, 0.93,
                             {{305, 0.13}, {280, 0.15}, {240, 0.12}, {195, 0.10}, {150, 0.15}, {110, 0.18}});
  return map;
}

const ColourMap& ColourMap::ember() {
  static const ColourMap map(0.10, 0.97,
                             {{285, 0.03}, {300, 0.12}, {345, 0.18}, {385, 0.20}, {420, 0.17}, {460, 0.10}});
  return map;
}

const ColourMap& ColourMap::terrain() {
  static const ColourMap map(0.52, 0.95,
                             {{150, 0.075}, {128, 0.075}, {100, 0.07}, {80, 0.06}, {65, 0.035}, {80, 0.01}});
  return map;
}

} // namespace heddle::plot
