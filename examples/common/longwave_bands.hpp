// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EXAMPLES_LONGWAVE_BANDS_HPP
#define HEDDLE_EXAMPLES_LONGWAVE_BANDS_HPP

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

/// What heddle.atmosphere.longwave.fluxes needs of the sixteen bands of RRTM, with one g-point in each and a
/// grey gas.
namespace example::longwave {

inline constexpr std::int64_t bands = 16, coldest = 160, temperatures = 181; // temperatures in K, 1 K apart
/// Edges of the bands, cm-1 (E. J. Mlawer et al., J. Geophys. Res. 102, 16663, 1997, table 1).
inline constexpr std::array<double, bands + 1> edges{10,   250,  500,  630,  700,  820,  980,  1080, 1180,
                                                     1390, 1480, 1800, 2080, 2250, 2380, 2600, 3000};

/// The Planck function of the bands at 160 to 340 K, number 16 (T - 160) + band, in W cm-2 sr-1 per cm-1, and
/// how wide the bands are (cm-1): the tables of heddle.atmosphere.longwave.planck_table.
template <class T> struct PlanckTables {
  std::vector<T> planck, width;
};

template <class T> [[nodiscard]] PlanckTables<T> planck_tables() {
  constexpr double first = 1.191042972e-12, second = 1.438776877; // 2 h c2 (W cm2 sr-1), h c / k (cm K)
  constexpr int intervals = 64;                                   // of Simpson's rule
  PlanckTables<T> tables;
  for (std::int64_t kelvin = coldest; kelvin < coldest + temperatures; ++kelvin)
    for (std::size_t b = 0; b < bands; ++b) {
      double sum = 0;
      for (int i = 0; i <= intervals; ++i) {
        const double nu = edges[b] + (edges[b + 1] - edges[b]) * i / intervals;
        const int weight = i == 0 || i == intervals ? 1 : i % 2 == 1 ? 4 : 2;
        sum += weight * first * nu * nu * nu / std::expm1(second * nu / static_cast<double>(kelvin));
      }
      tables.planck.push_back(static_cast<T>(sum / (3 * intervals)));
    }
  for (std::size_t b = 0; b < bands; ++b)
    tables.width.push_back(static_cast<T>(edges[b + 1] - edges[b]));
  return tables;
}

/// The part of the grey absorption that each band has: a tenth in the window from 820 to 1180 cm-1 (our
/// choice), all of it elsewhere.
template <class T> [[nodiscard]] std::vector<T> parts_of_absorption() {
  std::vector<T> part;
  part.reserve(bands);
  for (std::size_t b = 0; b < bands; ++b)
    part.push_back(edges[b] >= 820 && edges[b + 1] <= 1180 ? T(0.1) : T(1));
  return part;
}

} // namespace example::longwave

#endif
