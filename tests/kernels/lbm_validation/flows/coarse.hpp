// SPDX-License-Identifier: Apache-2.0
#ifndef LBM_VALIDATION_COARSE_HPP
#define LBM_VALIDATION_COARSE_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "list_flow.hpp"

namespace validation {

/// A flow on cells `ratio` times as wide, as the state from which a finer one starts: trilinear, with slopes
/// by differences. speed: unit of velocity of the finer flow over that of this one.
class Coarse {
public:
  template <class T, std::size_t count>
  Coarse(const ListFlow<T, count>& flow, const Cell& extent, double ratio, double speed)
      : Coarse(extent, ratio, speed, [&](const Cell& cell) -> std::optional<std::pair<double, Vector>> {
          const std::int64_t n = flow.number(cell);
          if (n < 0) return std::nullopt;
          return flow.arrived(n);
        }) {}

  /// moments: density and momentum of a cell, nothing where no fluid is.
  template <class F>
  Coarse(const Cell& extent, double ratio, double speed, F&& moments)
      : extent_(extent), ratio_(ratio), plane_(extent[2] == 1) {
    values_.reserve(static_cast<std::size_t>(extent[0] * extent[1] * extent[2]));
    for (std::int64_t z = 0; z < extent[2]; ++z) {
      for (std::int64_t y = 0; y < extent[1]; ++y) {
        for (std::int64_t x = 0; x < extent[0]; ++x) {
          const auto found = moments(Cell{x, y, z});
          values_.push_back(found ? value(*found, speed) : Value{});
        }
      }
    }
  }

  State operator()(const Cell& fine) const {
    State state;
    const std::size_t dimension = plane_ ? 2 : 3;
    const Value here = at(fine, {});
    state.rho = 1 + (here.weight > 0 ? here.density / here.weight : 0);
    state.u = here.u;
    for (std::size_t b = 0; b < dimension; ++b) {
      Vector ahead{}, behind{};
      ahead[b] = 0.5, behind[b] = -0.5;
      const Vector after = at(fine, ahead).u, before = at(fine, behind).u;
      for (std::size_t a = 0; a < dimension; ++a)
        state.gradient[a][b] = after[a] - before[a];
    }
    return state;
  }

private:
  /// Nothing moves in cells that are not listed, and they have no density.
  struct Value {
    double weight = 0, density = 0; ///< density: its deviation from 1, times weight
    Vector u{};
  };

  static Value value(const std::pair<double, Vector>& moments, double speed) {
    const auto& [rho, j] = moments;
    return {1, (rho - 1) * speed * speed, {speed * j[0] / rho, speed * j[1] / rho, speed * j[2] / rho}};
  }

  /// In between the centres of coarse cells, `shift` off the centre of a fine one.
  [[nodiscard]] Value at(const Cell& fine, const Vector& shift) const {
    Cell low{};
    Vector part{};
    for (std::size_t a = 0; a < 3; ++a) {
      const double place = (static_cast<double>(fine[a]) + 0.5 + shift[a]) / ratio_ - 0.5;
      low[a] = static_cast<std::int64_t>(std::floor(place));
      part[a] = place - static_cast<double>(low[a]);
    }
    Value sum;
    for (int corner = 0; corner < (plane_ ? 4 : 8); ++corner) {
      Cell cell{};
      double share = 1;
      for (std::size_t a = 0; a < (plane_ ? 2U : 3U); ++a) {
        const bool upper = ((corner >> a) & 1) != 0;
        cell[a] = std::clamp<std::int64_t>(low[a] + (upper ? 1 : 0), 0, extent_[a] - 1);
        share *= upper ? part[a] : 1 - part[a];
      }
      const Value& there =
          values_[static_cast<std::size_t>((cell[2] * extent_[1] + cell[1]) * extent_[0] + cell[0])];
      sum.weight += share * there.weight;
      sum.density += share * there.density;
      for (std::size_t a = 0; a < 3; ++a)
        sum.u[a] += share * there.u[a];
    }
    return sum;
  }

  Cell extent_;
  double ratio_;
  bool plane_;
  std::vector<Value> values_;
};

} // namespace validation

#endif
