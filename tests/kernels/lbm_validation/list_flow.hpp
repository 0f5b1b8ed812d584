// SPDX-License-Identifier: Apache-2.0
#ifndef LBM_VALIDATION_LIST_FLOW_HPP
#define LBM_VALIDATION_LIST_FLOW_HPP

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "heddle/buffer.hpp"
#include "heddle/device/half.hpp"
#include "heddle/index_list.hpp"
#include "heddle/sparse_field.hpp"
#include "velocity_set.hpp"

namespace validation {

using Cell = std::array<std::int64_t, 3>;
using Tensor = std::array<Vector, 3>;

/// Density, velocity and the gradient d_b u_a of a cell.
struct State {
  double rho = 1;
  Vector u{};
  Tensor gradient{};
};

/// Zero-centred populations in f16 are stored 2^15 times as large.
inline constexpr double half_scale = 0x1p15;

inline void store(double& to, double value, double = 1) {
  to = value;
}
inline void store(float& to, double value, double = 1) {
  to = static_cast<float>(value);
}
inline void store(std::uint16_t& to, double value, double scale = 1) {
  to = heddle::to_half(value * scale);
}
inline double load(double value, double = 1) {
  return value;
}
inline double load(float value, double = 1) {
  return static_cast<double>(value);
}
inline double load(std::uint16_t value, double scale = 1) {
  return heddle::half_to_double(value) / scale;
}

/// Some cells of a list and their incoming directions: where a boundary sweep runs.
struct Patch {
  heddle::Buffer<std::uint32_t> cells, mask;
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(cells.size()); }
};

inline heddle::Buffer<std::uint32_t> buffer(const std::vector<std::uint32_t>& values) {
  return heddle::Buffer<std::uint32_t>(std::span<const std::uint32_t>(values), heddle::Memory::host);
}

/// A flow over the flagged cells of a box, with two arrays of populations (pull). Walls are where no cell is
/// listed. T: how populations are stored. Between steps the field holds post-collision populations.
template <class T, std::size_t count> class ListFlow {
public:
  using View = heddle::SparseView<T>;

  template <class Links>
  ListFlow(const VelocitySet<count>& set, const Links& links, const Cell& extent,
           const std::vector<std::uint8_t>& flags, const std::array<bool, 3>& periodic)
      : set_(&set), list_({{0, 0, 0}, extent}, flags, periodic, links), f_(list_, static_cast<int>(count)),
        next_(list_, static_cast<int>(count)) {}

  [[nodiscard]] const heddle::IndexList& list() const { return list_; }
  View f() { return f_.view(); }
  [[nodiscard]] heddle::SparseView<const T> f() const { return f_.view(); }
  [[nodiscard]] const VelocitySet<count>& set() const { return *set_; }

  /// Populations as they are after a collision with the rate omega: equilibrium and (1 - omega) of the stress
  /// that belongs to the gradient, -(w rho / (omega c_s^2)) (c_a c_b - c_s^2 delta_ab) d_a u_b.
  template <class F> void start(double omega, F&& state) {
    const View view = f_.view();
    for (std::int64_t n = 0; n < list_.count(); ++n) {
      const State s = state(list_.position(n));
      for (std::size_t q = 0; q < count; ++q)
        store(view(n, static_cast<std::int64_t>(q)), population(q, s, omega), half_scale);
    }
  }

  /// Runs collide(from, to, neighbour, stride, run, first, last) over all cells and takes what it wrote.
  template <class F> void step(F&& collide) {
    const heddle::SparseField<T>& from = f_;
    collide(from.view(), next_.view(), list_.neighbour(), list_.neighbour_stride(), list_.neighbour_run(),
            std::int64_t{0}, list_.count());
    std::swap(f_, next_);
  }

  /// Density and momentum that the last step left: after a boundary sweep not those of its cells, in which
  /// populations make room for what comes in.
  [[nodiscard]] std::pair<double, Vector> moments(std::int64_t n) const {
    return sum([&](std::size_t q) { return f_.view()(n, static_cast<std::int64_t>(q)); });
  }
  /// Density and momentum that arrive for the next step.
  [[nodiscard]] std::pair<double, Vector> arrived(std::int64_t n) const {
    return sum([&](std::size_t q) {
      const auto row = static_cast<std::int64_t>(q) - 1;
      return q == 0 ? f_.view()(n, 0)
                    : f_.view().data()[list_.neighbour()[row * list_.neighbour_stride() + n]];
    });
  }
  /// The velocity that the next step, with a force F, sees.
  [[nodiscard]] Vector velocity(std::int64_t n, const Vector& force = {}) const {
    const auto [rho, j] = arrived(n);
    return {(j[0] + force[0] / 2) / rho, (j[1] + force[1] / 2) / rho, (j[2] + force[2] / 2) / rho};
  }
  [[nodiscard]] Vector velocity(const Cell& cell, const Vector& force = {}) const {
    return velocity(number(cell), force);
  }
  [[nodiscard]] std::int64_t number(const Cell& cell) const {
    return list_.cell_of(cell[0], cell[1], cell[2]);
  }

  /// The cells and directions for which comes_in(source) holds of the cell that a direction comes from.
  template <class F> Patch patch(F&& comes_in) const {
    std::vector<std::uint32_t> cells, masks;
    for (std::int64_t n = 0; n < list_.count(); ++n) {
      const Cell cell = list_.position(n);
      std::uint32_t mask = 0;
      for (std::size_t q = 1; q < count; ++q) {
        if (comes_in(Cell{cell[0] - set_->c[q][0], cell[1] - set_->c[q][1], cell[2] - set_->c[q][2]}))
          mask |= 1U << q;
      }
      if (mask == 0) continue;
      cells.push_back(static_cast<std::uint32_t>(n));
      masks.push_back(mask);
    }
    return {buffer(cells), buffer(masks)};
  }

  /// One value an entry of a patch, of the entry's cell.
  template <class F> heddle::Buffer<T> values(const Patch& patch, F&& value) const {
    std::vector<T> result(static_cast<std::size_t>(patch.size()));
    for (std::size_t i = 0; i < result.size(); ++i)
      store(result[i], value(list_.position(patch.cells.data()[i])));
    return heddle::Buffer<T>(std::span<const T>(result), heddle::Memory::host);
  }

private:
  template <class F> std::pair<double, Vector> sum(F&& population_of) const {
    double rho = 1;
    Vector j{};
    for (std::size_t q = 0; q < count; ++q) {
      const double f = load(population_of(q), half_scale);
      rho += f;
      for (std::size_t a = 0; a < 3; ++a)
        j[a] += f * set_->c[q][a];
    }
    return {rho, j};
  }

  [[nodiscard]] double population(std::size_t q, const State& s, double omega) const {
    const Velocity& c = set_->c[q];
    double cu = 0, uu = 0, slope = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      cu += c[a] * s.u[a];
      uu += s.u[a] * s.u[a];
      for (std::size_t b = 0; b < 3; ++b)
        slope += (c[a] * c[b] - (a == b ? 1.0 / 3 : 0)) * s.gradient[b][a];
    }
    const double equilibrium = s.rho - 1 + s.rho * (3 * cu + 4.5 * cu * cu - 1.5 * uu);
    return set_->weight(q) * (equilibrium - (1 - omega) * 3 * s.rho / omega * slope);
  }

  const VelocitySet<count>* set_;
  heddle::IndexList list_;
  heddle::SparseField<T> f_, next_;
};

inline std::vector<std::uint8_t> all_cells(const Cell& extent) {
  return std::vector<std::uint8_t>(static_cast<std::size_t>(extent[0] * extent[1] * extent[2]), 1);
}

} // namespace validation

#endif
