// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CLOUDS_CONSTANTS_HPP
#define HEDDLE_CLOUDS_CONSTANTS_HPP

namespace clouds {

// The same numbers as in model.py, SI units.
inline constexpr double gravity = 9.81;
inline constexpr double gas_dry = 287.04, gas_vapour = 461.5; // J kg-1 K-1
inline constexpr double heat_dry = 1005;                      // J kg-1 K-1, at constant pressure
inline constexpr double vaporisation = 2.5e6;                 // J kg-1
inline constexpr double von_karman = 0.4;
inline constexpr double reference_pressure = 1e5;               // Pa
inline constexpr double lightness = gas_vapour / gas_dry - 1;   // of vapour, 0.6078
inline constexpr double molecular_ratio = gas_dry / gas_vapour; // of vapour to dry air
inline constexpr double hour = 3600;                            // s
inline constexpr double offset = 300;                           // K, subtracted from stored temperatures

} // namespace clouds

#endif
