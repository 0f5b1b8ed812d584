// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "heddle/core/error.hpp"

namespace front {
namespace {

std::string cell(const heddle::Box& box, std::int64_t x, std::int64_t y, std::int64_t k) {
  return "cell (" + std::to_string(x + box.lower[0]) + ", " + std::to_string(y + box.lower[1]) + "), level " +
         std::to_string(k);
}

} // namespace

double require_courant(const Air& air, const Options& options) {
  double largest = 0;
  const auto mass = static_cast<float>(air.column_mass); // the same in all columns
  for (int b = 0; b < air.q.blocks(); ++b) {
    const heddle::Box& box = air.q.box(b);
    const std::vector<float> ru = air.ru_here.host().read(b), rv = air.rv_here.host().read(b),
                             om = air.om_here.host().read(b);
    const std::vector<double>& rdnw = air.rdnw_values;
    std::size_t n = 0;
    for (std::int64_t k = 0; k < box.extent(2); ++k) {
      const auto level = static_cast<std::size_t>(k);
      const double steepest =
          std::max(-rdnw[level], k == 0 ? 0 : -rdnw[level - 1]); // on both sides of a face
      for (std::int64_t y = 0; y < box.extent(1); ++y)
        for (std::int64_t x = 0; x < box.extent(0); ++x, ++n) {
          const double courant =
              options.time_step / static_cast<double>(mass) *
              ((std::abs(static_cast<double>(ru[n])) + std::abs(static_cast<double>(rv[n]))) /
                   options.spacing +
               std::abs(static_cast<double>(om[n])) * steepest);
          largest = std::max(largest, courant);
          if (!(courant <= largest_courant))
            throw heddle::Error(cell(box, x, y, k),
                                "the Courant number is " + std::to_string(courant) + " with a time step of " +
                                    std::to_string(options.time_step) + " s",
                                "choose a --time-step of " +
                                    std::to_string(0.8 * options.time_step / courant) + " s or less");
        }
    }
  }
  return largest;
}

std::int64_t require_finite(const Air& air) {
  std::int64_t negative = 0;
  static constexpr std::array<const char*, 6> names{
      "potential temperature", "vapour", "cloud", "rain", "tracer 4 (ice)", "tracer 5 (snow)"};
  constexpr float rounding = 1e-9F;
  for (int n = 0; n < static_cast<int>(air.groups()) * air.q.blocks(); ++n) {
    const std::size_t group = static_cast<std::size_t>(n / air.q.blocks());
    const int b = n % air.q.blocks();
    air.group(group).q_here.host().inspect(b, [&](heddle::FieldView<const float> q) {
      for (int c = 0; c < tracers; ++c)
        for (std::int64_t k = 0; k < q.extent(2); ++k)
          for (std::int64_t y = 0; y < q.extent(1); ++y)
            for (std::int64_t x = 0; x < q.extent(0); ++x) {
              const float value = q(x, y, k, c);
              negative += value < 0;
              if (std::isfinite(value) && value >= -rounding) continue;
              const std::size_t number = group * tracers + static_cast<std::size_t>(c);
              throw heddle::Error(
                  cell(air.q.box(b), x, y, k),
                  (number < names.size() ? names[number] : "tracer " + std::to_string(number)) + " is " +
                      std::to_string(value),
                  "look at the sounding there, or choose a shorter --time-step");
            }
    });
  }
  return negative;
}

} // namespace front
