// SPDX-License-Identifier: Apache-2.0
#include "flow.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "constants.hpp"
#include "heddle/core/memory.hpp"

namespace clouds {
namespace {

template <class F> std::vector<double> along(const std::vector<double>& values, F f) {
  std::vector<double> result;
  result.reserve(values.size());
  for (const double value : values)
    result.push_back(f(value));
  return result;
}

template <class F> std::vector<double> with(const std::vector<double>& a, const std::vector<double>& b, F f) {
  std::vector<double> result;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k)
    result.push_back(f(a[k], b[k]));
  return result;
}

double inverse(double value) {
  return 1 / value;
}

double product(double a, double b) {
  return a * b;
}

/// A source at all levels; in the highest one also what sinks into it with the gradient below the lid, since
/// there is no level above.
std::vector<double> with_lid(const Knots& source, const Knots& profile, const Case& what,
                             const BaseState& base) {
  std::vector<double> result = along(base.centre, [&](double z) { return source.at(z); });
  result.back() -= what.subsidence.at(base.centre.back()) * slope_at_lid(profile, base);
  return result;
}

/// The large-scale upward velocity in each cell; 0 in the highest level, and where it acts on means.
std::vector<double> below_lid(const Knots& subsidence, const Case& what, const BaseState& base) {
  if (what.sinks_by_means) return std::vector<double>(base.levels(), 0);
  std::vector<double> result = along(base.centre, [&](double z) { return subsidence.at(z); });
  result.back() = 0;
  return result;
}

/// 1 / the distance between the centres above and below a cell; of the cell itself at ground and lid.
std::vector<double> inverse_spans(const BaseState& base) {
  const std::size_t n = base.levels();
  std::vector<double> result;
  result.reserve(n);
  for (std::size_t k = 0; k < n; ++k)
    result.push_back(1 / (base.centre[std::min(k + 1, n - 1)] - base.centre[k == 0 ? 0 : k - 1]));
  return result;
}

} // namespace

double sponge_at(const Case& what, double z) {
  const double share = (z - what.sponge_above) / (what.size[2] - what.sponge_above);
  return z > what.sponge_above ? share * share / 450 : 0;
}

std::vector<double> face_orders(std::size_t levels, int most) {
  constexpr std::array ladder{0, 2, 3, 5};
  std::vector<double> orders;
  for (std::size_t k = 0; k <= levels; ++k)
    orders.push_back(std::min(ladder[std::min<std::size_t>({k, levels - k, 3})], most));
  return orders;
}

std::vector<double> squared_lengths(const BaseState& base, double width_x, double width_y, double roughness) {
  return with(base.height, base.centre, [&](double h, double z) {
    const double inner = 0.23 * std::cbrt(width_x * width_y * h), outer = von_karman * (z + roughness);
    return 1 / (1 / (inner * inner) + 1 / (outer * outer));
  });
}

template <class T>
Column<T>::Column(const Place& place, const Case& what, const BaseState& base, int order)
    : rho(place.profile<T>(base.density)), rho_face(place.profile<T>(base.face_density)),
      per_height(place.profile<T>(along(base.height, inverse))),
      per_distance(place.profile<T>(along(base.distance, inverse))),
      mass(place.profile<T>(with(base.density, base.height, product))),
      per_mass(place.profile<T>(along(with(base.density, base.height, product), inverse))),
      per_face_mass(place.profile<T>(along(with(base.face_density, base.distance, product), inverse))),
      order_z(place.profile<T>(face_orders(base.levels(), order))), pressure(place.profile<T>(base.pressure)),
      exner(place.profile<T>(base.exner)), tv0(place.profile<T>(base.tv)), lift(place.profile<T>(base.lift)),
      length2(place.profile<T>(what.turbulence
                                   ? squared_lengths(base, place.width_x, place.width_y, what.roughness)
                                   : std::vector<double>(base.levels(), 0))),
      per_span(place.profile<T>(inverse_spans(base))),
      w_ls(place.profile<T>(below_lid(what.subsidence, what, base))),
      w_ls_wind(place.profile<T>(below_lid(what.subsides_wind ? what.subsidence : Knots(0), what, base))),
      u_geostrophic(place.profile<T>(along(base.centre, [&](double z) { return what.u_geostrophic.at(z); }))),
      v_geostrophic(place.profile<T>(
          along(base.centre, [&](double z) { return what.v_geostrophic.at(z) - what.v_frame; }))),
      u0(place.profile<T>(along(base.centre, [&](double z) { return what.u.at(z) - what.u_frame; }))),
      v0(place.profile<T>(along(base.centre, [&](double z) { return what.v.at(z) - what.v_frame; }))),
      th0(place.profile<T>(along(base.theta, [](double theta) { return theta - offset; }))),
      q0(place.profile<T>(base.water)),
      heating(place.profile<T>(with_lid(what.heating, what.theta, what, base))),
      moistening(place.profile<T>(with_lid(what.moistening, what.water, what, base))),
      sponge(place.profile<T>(along(base.centre, [&](double z) { return sponge_at(what, z); }))),
      face_sponge(place.profile<T>(along(base.face, [&](double z) { return sponge_at(what, z); }))) {}

#ifdef CLOUDS_F64
template struct Column<double>;
#endif
#ifdef CLOUDS_F32
template struct Column<float>;
#endif

} // namespace clouds
