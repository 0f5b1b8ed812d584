// SPDX-License-Identifier: Apache-2.0
#include "fields.hpp"

#include <algorithm>
#include <array>

namespace front {
namespace {

/// The part of level `of`, k or k - 1, in the mass of both: the weight of the other one on their face.
double weight(const std::vector<double>& of_levels, std::int64_t k, std::int64_t of) {
  if (k < 1 || k >= static_cast<std::int64_t>(of_levels.size())) return 0.5;
  const auto n = static_cast<std::size_t>(k);
  return of_levels[static_cast<std::size_t>(of)] / (of_levels[n - 1] + of_levels[n]);
}

} // namespace

double face_order(std::int64_t n, std::int64_t cells, int most) {
  constexpr std::array<int, 4> orders{0, 2, 3, 5};
  const std::int64_t from_boundary = std::min(n, cells - n);
  if (from_boundary < 0) return 0;
  return std::min(orders[static_cast<std::size_t>(std::min<std::int64_t>(from_boundary, 3))], most);
}

Tracers::Tracers(const Place& place, const std::string& suffix)
    : q(place.field(("q" + suffix).c_str(), tracers, ghost_cells)),
      q_a(place.field(("q_a" + suffix).c_str(), tracers, ghost_cells)),
      q_b(place.field(("q_b" + suffix).c_str(), tracers, ghost_cells)) {}

Air::Air(const Place& place, const Weather& weather, int groups)
    : Tracers(place, ""), ru(place.field("ru", 1, ghost_cells)), rv(place.field("rv", 1, ghost_cells)),
      om(place.field("om", 1, ghost_cells)), w(place.field("w", 1, 0)),
      mu(place.field("mu", 1, ghost_entries, 2)), rho(place.field("rho", 1, 0, 1)),
      exner(place.field("exner", 1, 0, 1)), pressure(place.field("pressure", 1, 0, 1)),
      height(place.field("height", 1, 0, 1)), thickness(place.field("thickness", 1, 0, 1)),
      heating(place.field("heating", 1, 0)), rain_fallen(place.field("rain", 1, 0, 2)),
      snow_fallen(place.field("snow", 1, 0, 2)), clipped(place.field("clipped", 1, 0, 2)),
      scratch_1(place.field("scratch_1", 1, 0)), scratch_2(place.field("scratch_2", 1, 0)),
      scratch_3(place.field("scratch_3", 1, 0)), scratch_4(place.field("scratch_4", 1, 0)),
      scratch_5(place.field("scratch_5", 1, 0)), scratch_plane(place.field("scratch_plane", 1, 0, 2)),
      freezing(place.field("freezing", 1, 0, 2)), melting(place.field("melting", 1, 0, 2)),
      freezing_level(place.field<std::int64_t>("freezing_level", 1, 0, 2)),
      melting_level(place.field<std::int64_t>("melting_level", 1, 0, 2)),
      column_mass(weather.levels().column()), rdnw_values(weather.levels().rdnw),
      rdnw(place.levels(rdnw_values)), one(place.profile(2, [](auto) { return 1.0; })),
      zero(place.profile(2, [](auto) { return 0.0; })),
      own_weight(place.profile(2, [&](auto k) { return weight(weather.levels().mass, k, k - 1); })),
      below_weight(place.profile(2, [&](auto k) { return weight(weather.levels().mass, k, k); })),
      order_x(place.profile(0, [&](auto n) { return face_order(n, place.grid.domain().extent(0), 5); })),
      order_y(place.profile(1, [&](auto n) { return face_order(n, place.grid.domain().extent(1), 5); })),
      order_z(place.profile(2, [&](auto n) { return face_order(n, place.grid.domain().extent(2), 3); })),
      u(place.profile(2,
                      [&](auto k) {
                        return k < 0 || k >= weather.levels().count() ? 0
                                                                      : weather.wind(static_cast<int>(k))[0];
                      })),
      v(place.profile(2,
                      [&](auto k) {
                        return k < 0 || k >= weather.levels().count() ? 0
                                                                      : weather.wind(static_cast<int>(k))[1];
                      })),
      ascent(place.profile(2,
                           [&](auto k) {
                             return k < 0 || k > weather.levels().count()
                                        ? 0
                                        : weather.ascent(static_cast<int>(k));
                           })),
      mass(place.levels(weather.levels().mass)),
      x_face(place.profile(0, [&](auto n) { return place.spacing * static_cast<double>(n); })),
      x_front(place.profile(
          1, [&](auto n) { return weather.place(place.spacing * (static_cast<double>(n) + 0.5)); })),
      strength(place.profile(
          1, [&](auto n) { return weather.strength(place.spacing * (static_cast<double>(n) + 0.5)); })) {
  for (int n = 1; n < groups; ++n)
    more.push_back(std::make_unique<Tracers>(place, "_" + std::to_string(n)));
  const Levels& levels = weather.levels();
  mu.fill(static_cast<float>(column_mass));
  const auto per_level = [](heddle::Field<float>& field, const std::vector<double>& values) {
    field.fill([&](auto, auto, auto k, int) { return values[static_cast<std::size_t>(k)]; });
  };
  per_level(rho, levels.density);
  per_level(exner, levels.exner);
  per_level(pressure, levels.pressure);
  per_level(height, levels.height);
  per_level(thickness, levels.thickness);
}

} // namespace front
