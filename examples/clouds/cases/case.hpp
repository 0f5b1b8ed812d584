// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CLOUDS_CASE_HPP
#define HEDDLE_CLOUDS_CASE_HPP

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace clouds {

/// Values at heights (m), linear between them and constant beyond.
class Knots {
public:
  struct Knot {
    double z, value;
  };
  Knots(double everywhere) : knots_{{0, everywhere}} {} // NOLINT(google-explicit-constructor)
  Knots(std::initializer_list<Knot> knots) : knots_(knots) {}
  [[nodiscard]] double at(double z) const;

private:
  std::vector<Knot> knots_;
};

/// Fluxes F = C |U| (sea - air) of the lowest cells.
struct Sea {
  double drag = 0, heat = 0, water = 0; // C
  double theta = 300, humidity = 0;     // of the air on the sea, K and kg/kg
};

/// How cloud water becomes rain: not at all, as Kessler has it, or as Seifert and Beheng have it.
enum class RainScheme { none, kessler, seifert_beheng };

inline constexpr double no_sponge = 1e9; // m, above all levels

/// What distinguishes one flow from another; SI units.
struct Case {
  std::string name, title;
  std::array<double, 3> size{};        // of the domain
  std::array<std::int64_t, 3> cells{}; // unless the command line says otherwise
  double hours = 1;
  double first_step = 2, longest_step = 10;
  double step_per_width = 0; // s/m: not 0 where the longest step is this times the width of cells along x
  double surface_pressure = 1e5;
  bool boussinesq = false; // density 1, buoyancy over one temperature

  Knots theta = 300, water = 0, u = 0, v = 0; // initial: liquid water potential temperature (K), total water
  Knots u_geostrophic = 0, v_geostrophic = 0;
  Knots subsidence = 0;              // w_ls, at most 0
  bool sinks_by_means = false;       // it acts on the means of levels, not on the air of each cell
  Knots heating = 0, moistening = 0; // K/s and 1/s
  /// Longwave radiation is computed, with this lag (0 or 1; see Longwave), beside `heating`.
  std::optional<int> longwave;
  double coriolis = 0;
  double u_frame = 0, v_frame = 0; // velocity of the frame in which u and v are stored
  bool subsides_wind = false;

  double theta_flux = 0, water_flux = 0; // K m/s and m/s, at the ground
  double friction_velocity = 0;          // given, m/s; 0: from the roughness
  double roughness = 0;                  // m; 0: no stress
  std::optional<Sea> sea;                // that gives fluxes in place of all these
  bool turbulence = true;                // whether there is a subgrid viscosity
  double viscosity = 0;                  // constant, with or without it, m2 s-1
  double per_prandtl = 3;                // diffusivity of scalars over viscosity

  RainScheme rain = RainScheme::none;
  double rain_threshold = 1e-3; // Kessler: cloud water from which rain forms by itself, kg/kg
  double droplets = 70e6;       // Seifert and Beheng: of clouds, 1/m3
  double collisions = 4.44e9;   // of droplets with each other, m3 kg-2 s-1
  double evaporation = 1;       // by which its rate is multiplied
  bool positive = false;        // whether water cannot become negative; with rain or a sea, always
  double cloud_above = 0;       // cloud water from which air counts as cloud in statistics, kg/kg

  double theta_noise = 0, water_noise = 0; // amplitudes
  double noise_below = 0;
  double sponge_above = no_sponge; // m
  /// Upward flux of virtual potential temperature at the ground, K m/s.
  [[nodiscard]] double virtual_flux() const;

  std::function<double(double x, double y, double z)> theta_bump; // added at the start, K
  /// theta_bump is that of dry air of 300 K that is as buoyant: theta_l gets what does the same to tv.
  bool moist_bump = false;
};

[[nodiscard]] Case convective_layer(); ///< "cbl": MicroHH's case drycblles
/// Heating (K/s) of bomex() by radiation, which ends at this height (m). The models took 3000 or 2500.
[[nodiscard]] Knots bomex_cooling(double top);
[[nodiscard]] Case bomex();           ///< Siebesma et al., J. Atmos. Sci. 60, 1201 (2003), appendix B
[[nodiscard]] Case bubble();          ///< Bryan and Fritsch, Mon. Wea. Rev. 130, 2917 (2002), the dry one
[[nodiscard]] Case moist_bubble();    ///< "moist_bubble": the other one, in saturated air
[[nodiscard]] Case density_current(); ///< "density": Straka et al., Int. J. Numer. Meth. Fluids 17, 1 (1993)
[[nodiscard]] Case rico();            ///< van Zanten et al., J. Adv. Model. Earth Syst. 3, M06001 (2011)
[[nodiscard]] Case wave();            ///< Skamarock and Klemp, Mon. Wea. Rev. 122, 2623 (1994)

/// The names of all cases, and the one with this name. Throws heddle::Error for another name.
[[nodiscard]] const std::vector<std::string>& case_names();
[[nodiscard]] Case case_named(const std::string& name);

} // namespace clouds

#endif
