// SPDX-License-Identifier: Apache-2.0
// Velocities to project: noise, gradients, and how much divergence is left.
#ifndef HEDDLE_TESTS_PROJECTION_FLOW_HPP
#define HEDDLE_TESTS_PROJECTION_FLOW_HPP

#include <cmath>
#include <cstdint>
#include <vector>

#include "../../support/noise.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/projection/staggered_grid.hpp"

namespace test {

/// A side of each axis in turn: x, y, z.
inline heddle::StaggeredGrid make_grid(const std::array<std::int64_t, 3>& cells,
                                       const std::array<heddle::SideKind, 3>& lower,
                                       const std::array<heddle::SideKind, 3>& upper) {
  heddle::StaggeredGrid grid;
  grid.cells = cells;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    grid.lower[axis].kind = lower[axis];
    grid.upper[axis].kind = upper[axis];
  }
  return grid;
}

/// Heights that grow by 7 % a level, and the densities of an atmosphere.
inline void stretch(heddle::StaggeredGrid& grid) {
  double height = 0.5;
  grid.face_density.push_back(1.2);
  for (std::int64_t k = 0; k < grid.cells[2]; ++k) {
    grid.heights.push_back(height);
    grid.density.push_back(1.2 * std::exp(-0.05 * static_cast<double>(k) - 0.025));
    grid.face_density.push_back(1.2 * std::exp(-0.05 * static_cast<double>(k + 1)));
    height *= 1.07;
  }
}

/// u, v, w on the host, with one ghost layer.
template <class T> class Flow {
public:
  explicit Flow(const heddle::StaggeredGrid& grid, heddle::Memory memory = heddle::Memory::host)
      : block_({{0, 0, 0}, grid.cells}), u_(block_, options(memory)), v_(block_, options(memory)),
        w_(block_, options(memory)) {}

  void fill_with_noise(std::int64_t seed = 0) {
    std::int64_t component = seed;
    for (heddle::Field<T>* field : {&u_, &v_, &w_}) {
      component += 7919;
      field->fill([&, component](std::int64_t x, std::int64_t y, std::int64_t z, int) {
        return noise(component + 131 * x + 17389 * y + 1299709 * z);
      });
    }
  }

  [[nodiscard]] heddle::Velocity<T> velocity() { return {u_.view(), v_.view(), w_.view()}; }
  heddle::Field<T>& operator[](int axis) { return axis == 0 ? u_ : axis == 1 ? v_ : w_; }

  [[nodiscard]] double largest() {
    double most = 0;
    for (int axis = 0; axis < 3; ++axis) {
      for (const T value : (*this)[axis].read())
        most = std::max(most, std::abs(static_cast<double>(value)));
    }
    return most;
  }

private:
  static heddle::FieldOptions options(heddle::Memory memory) { return {.memory = memory}; }

  heddle::BlockGrid block_;
  heddle::Field<T> u_, v_, w_;
};

/// The largest difference of two flows.
template <class T> double difference(Flow<T>& a, Flow<T>& b) {
  double most = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const std::vector<T> one = a[axis].read();
    const std::vector<T> other = b[axis].read();
    for (std::size_t i = 0; i < one.size(); ++i)
      most = std::max(most, std::abs(static_cast<double>(one[i]) - static_cast<double>(other[i])));
  }
  return most;
}

} // namespace test

#endif
