// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_UNITS_HPP
#define HEDDLE_UNITS_HPP

namespace terrain_wind {

/// Mean wind over rough ground: u(z) = u_ref ln((z + z0) / z0) / ln((z_ref + z0) / z0), constant above the
/// boundary layer. Monin-Obukhov similarity, neutral stratification.
class LogProfile {
public:
  LogProfile(double speed, double reference, double roughness);

  /// Speed in m/s at z metres above the ground; 0 below it.
  [[nodiscard]] double operator()(double z) const;

private:
  double roughness_;
  double factor_;
};

/// Depth above which the inflow no longer grows, m.
inline constexpr double boundary_layer = 1000;

/// Highest speed in the inflow in cells per step: a Mach number of 0.17. Over crests the wind is up to twice
/// as fast, which the lattice still carries.
inline constexpr double lattice_speed = 0.1;
/// Above this speed of the inflow in cells per step the method is refused.
inline constexpr double stability_limit = 0.15;
/// At this speed anywhere the run is stopped as unstable.
inline constexpr double broken_speed = 0.5;
/// Real Mach number above which air cannot be taken as incompressible.
inline constexpr double mach_limit = 0.2;
inline constexpr double sound_speed = 340; ///< m/s
inline constexpr double air_density = 1.2; ///< kg/m^3
/// Viscosity in lattice units. It stands for the turbulence that the inflow does not bring along: on cells of
/// 50 m some 10 m^2/s, what kappa u* z is near the ground. Without it the shear at the ground breaks up into
/// waves of two cells.
inline constexpr double lattice_viscosity = 1e-3;

/// What turns lattice units into metres and seconds.
struct Units {
  double cell; ///< m
  double step; ///< s

  [[nodiscard]] double speed() const { return cell / step; }
  [[nodiscard]] double omega() const { return 1 / (3 * lattice_viscosity + 0.5); }
  /// Pressure in Pa of a density deviation in lattice units: p = c_s^2 rho.
  [[nodiscard]] double pressure(double deviation) const {
    return air_density * speed() * speed() * deviation / 3;
  }
};

/// Units for cells of `cell` metres and a wind that is `fastest` m/s at the top of the domain. `step`
/// seconds, or as long as the stability limit allows where it is 0. Throws heddle::Error for a wind above a
/// limit, with the limit.
[[nodiscard]] Units choose_units(double cell, double fastest, double step);

} // namespace terrain_wind

#endif
