// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CLOUDS_FLOW_HPP
#define HEDDLE_CLOUDS_FLOW_HPP

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base_state.hpp"
#include "case.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/grid/profile.hpp"
#include "heddle/projection/staggered_grid.hpp"

namespace clouds {

/// How far fluxes of order 5 reach, in cells.
inline constexpr int reach = 3;

/// How face values are computed: as means of two cells, which keeps energy, or with order 5 upwind.
enum class Scheme { second, fifth };

/// The three stages of a step: of Wicker and Skamarock, of second order for equations that are not linear; or
/// of Williamson, of third order.
enum class RungeKutta { wicker_skamarock, williamson };

/// Where the cells of one rank lie.
struct Place {
  heddle::BlockGrid blocks; // one slab of levels a rank
  int rank = 0;
  heddle::Memory memory = heddle::Memory::host;
  double width_x = 1, width_y = 1; // m

  template <class T>
  [[nodiscard]] heddle::Field<T> field(const std::string& name, heddle::GhostLayers ghosts = reach,
                                       int same_along = -1) const {
    return heddle::Field<T>(
        blocks,
        {.ghost_layers = ghosts, .memory = memory, .name = name, .rank = rank, .same_along = same_along});
  }
  /// Values of levels or of their lower faces; 0 beyond.
  template <class T> [[nodiscard]] heddle::Profile<T> profile(const std::vector<double>& values) const {
    const std::int64_t n = blocks.domain().extent(2);
    std::vector<T> all;
    for (std::int64_t k = -reach; k < n + reach; ++k)
      all.push_back(k < 0 || k >= static_cast<std::int64_t>(values.size())
                        ? T{0}
                        : static_cast<T>(values[static_cast<std::size_t>(k)]));
    return {blocks.domain(), 2, reach, all, memory};
  }
};

/// What is known of the air at a time: velocity on lower faces (m/s, along x in the frame of the case),
/// theta_l - 300 K, total water without rain (kg/kg), and in a case with rain that (kg/kg).
template <class T> struct State {
  State(const Place& place, const std::string& suffix, bool rains = false)
      : u(place.field<T>("u" + suffix)), v(place.field<T>("v" + suffix)), w(place.field<T>("w" + suffix)),
        th(place.field<T>("th" + suffix)), q(place.field<T>("q" + suffix)) {
    if (rains) r = std::make_unique<heddle::Field<T>>(place.field<T>("r" + suffix));
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  [[nodiscard]] heddle::Velocity<T> velocity() { return {u.view(), v.view(), w.view()}; }
  void copy_velocity(const State& other) {
    u.copy_from(other.u);
    v.copy_from(other.v);
    w.copy_from(other.w);
  }

  heddle::Field<T> u, v, w, th, q;
  std::unique_ptr<heddle::Field<T>> r;
};

/// Relaxation towards the initial profiles near the lid, 1/s: it grows to 1 / 450 s.
[[nodiscard]] double sponge_at(const Case& what, double z);
/// The orders of the values on the lower faces of levels, and on the lid: 0 at ground and lid, then 2, 3, 5
/// up to `most`.
[[nodiscard]] std::vector<double> face_orders(std::size_t levels, int most);
/// Square of the mixing length of levels: 1 / l^2 = 1 / (0.23 D)^2 + 1 / (kappa (z + z0))^2 (P. J. Mason and
/// D. J. Thomson, J. Fluid Mech. 242, 51, 1992), D^3 the volume of a cell.
[[nodiscard]] std::vector<double> squared_lengths(const BaseState& base, double width_x, double width_y,
                                                  double roughness);

/// Everything that depends on the height alone, for the kernels.
template <class T> struct Column {
  Column(const Place& place, const Case& what, const BaseState& base, int order);
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;

  using Levels = heddle::Profile<T>;
  Levels rho, rho_face, per_height, per_distance, mass, per_mass, per_face_mass, order_z;
  Levels pressure, exner, tv0, lift, length2, per_span;
  Levels w_ls, w_ls_wind, u_geostrophic, v_geostrophic, u0, v0, th0, q0, heating, moistening;
  Levels sponge, face_sponge;
};

} // namespace clouds

#endif
