// SPDX-License-Identifier: Apache-2.0
#ifndef LBM_BOUNDARIES_CHANNEL_HPP
#define LBM_BOUNDARIES_CHANNEL_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "lbm_boundaries_pull.hpp"
#include "periodic_box.hpp"

namespace boundaries {

using Cell = std::array<std::int64_t, 3>;

/// D2Q9 in the order of the lattices.
inline constexpr std::array<std::array<int, 2>, 9> d2q9{
    {{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}, {1, -1}, {-1, 1}}};
using test::opposite;

constexpr std::int64_t length = 11, height = 7;
constexpr double omega = 1.3, magic = 0.25, density_jump = 0.02, speed = 0.1, u_x = 0.03, u_y = -0.01;

enum class Boundary { outflow, convective, jump, curved };

/// Where f_q of a cell comes from.
inline Cell source(const Cell& cell, int q) {
  const auto& c = d2q9[static_cast<std::size_t>(q)];
  return {cell[0] - c[0], cell[1] - c[1], 0};
}

inline bool across(const Cell& cell) { // beyond the walls
  return cell[1] < 0 || cell[1] >= height;
}

/// Components of a plane with two ghost layers, as a user's own array would be.
class Plane {
public:
  Plane(std::int64_t n_x, std::int64_t n_y, std::int64_t components)
      : extent_{n_x, n_y, components}, stride_{1, n_x + 4, (n_x + 4) * (n_y + 4)},
        values_(static_cast<std::size_t>(stride_[2] * components)) {}
  double& at(const Cell& cell, int q) {
    return values_.at(static_cast<std::size_t>(cell[0] + 2 + (cell[1] + 2) * stride_[1] + q * stride_[2]));
  }
  /// A part of it, as kernels take it.
  struct View {
    double* first;
    std::array<std::int64_t, 3> extents, strides;
    double* data() const { return first; }
    std::int64_t extent(std::size_t d) const { return extents[d]; }
    std::int64_t stride(std::size_t d) const { return strides[d]; }
  };
  View view() { return {&at({0, 0, 0}, 0), extent_, stride_}; }
  View column(std::int64_t x) { return {&at({x, 0, 0}, 0), {1, extent_[1], extent_[2]}, stride_}; }
  View row(std::int64_t y) { return {&at({0, y, 0}, 0), {extent_[0], 1, extent_[2]}, stride_}; }
  /// The columns beside the ends become their periodic images.
  void wrap() {
    for (int q = 0; q < extent_[2]; ++q) {
      for (std::int64_t y = 0; y < extent_[1]; ++y) {
        for (const std::int64_t x : {-2, -1, 0, 1}) {
          const std::int64_t beyond = x < 0 ? x : extent_[0] + x;
          at({beyond, y, 0}, q) = at({(beyond + extent_[0]) % extent_[0], y, 0}, q);
        }
      }
    }
  }

private:
  std::array<std::int64_t, 3> extent_, stride_;
  std::vector<double> values_;
};

/// A channel between walls at rest below and above, dense: half-way bounce-back by hand, and a face sweep on
/// the east side or below. West and east are walls for an outflow, else periodic.
class DenseChannel {
public:
  DenseChannel(Boundary boundary, double distance)
      : boundary_(boundary), distance_(distance), f_(length, height, 9), next_(length, height, 9),
        u_(length, height, 2), outflow_(1, height, 9) {
    test::Random random(5);
    const auto noise = [&] { return 1e-4 * (random.below(1601) - 800); };
    for (std::int64_t y = 0; y < height; ++y) {
      for (std::int64_t x = 0; x < length; ++x) {
        for (int q = 0; q < 9; ++q)
          f_.at({x, y, 0}, q) = noise();
        for (int a = 0; a < 2; ++a)
          u_.at({x, y, 0}, a) = noise();
      }
    }
    u_.wrap();
    if (periodic()) f_.wrap();
    walls();
  }

  [[nodiscard]] bool periodic() const { return boundary_ == Boundary::jump || boundary_ == Boundary::curved; }
  double post(const Cell& cell, int q) { return f_.at(cell, q); }
  double arrived(const Cell& cell, int q) { return f_.at(source(cell, q), q); }
  double velocity(const Cell& cell, int a) { return u_.at(cell, a); }
  /// Force on the wall below.
  [[nodiscard]] const std::array<double, 2>& push() const { return push_; }

  void step() {
    lbm_boundaries_pull::dense(f_.view(), next_.view(), magic, omega);
    std::swap(f_, next_);
    if (periodic()) f_.wrap();
    if (boundary_ == Boundary::jump)
      lbm_boundaries_pull::jump_face(u_.column(length - 1), f_.column(length - 1), density_jump);
    walls();
    if (boundary_ == Boundary::outflow) lbm_boundaries_pull::outflow_face(f_.column(length - 1));
    if (boundary_ == Boundary::convective)
      lbm_boundaries_pull::convective_face(f_.column(length - 1), outflow_.view(), speed);
    if (boundary_ == Boundary::curved) {
      std::array<std::array<double, 64>, 2> room{};
      lbm_boundaries_pull::curved_face(f_.row(0), &push_[0], room[0].data(), &push_[1], room[1].data(),
                                       distance_, u_x, u_y);
    }
  }

private:
  void walls() {
    for (std::int64_t y = 0; y < height; ++y) {
      for (std::int64_t x = 0; x < length; ++x) {
        for (int q = 1; q < 9; ++q) {
          const Cell from = source({x, y, 0}, q);
          if (across(from) || (!periodic() && (from[0] < 0 || from[0] >= length)))
            f_.at(from, q) = f_.at({x, y, 0}, opposite(q));
        }
      }
    }
  }

  Boundary boundary_;
  double distance_;
  Plane f_, next_, u_, outflow_;
  std::array<double, 2> push_{};
};

} // namespace boundaries

#endif
