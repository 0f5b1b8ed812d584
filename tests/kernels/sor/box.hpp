// SPDX-License-Identifier: Apache-2.0
// Arrays with one layer of ghost cells, plain or split by colour, and the emitted entries of every target on
// them.
#ifndef HEDDLE_SOR_BOX_HPP
#define HEDDLE_SOR_BOX_HPP

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "../../support/noise.hpp"
#include "../../support/on_device.hpp"
#include "sor.h"

namespace test {

using Cell = std::array<std::int64_t, 3>;

/// One value a cell, zero at first. With `split` every second cell of a row, and the colours behind each
/// other.
template <class T> class Box {
public:
  explicit Box(const Cell& cells, bool split = false, std::int64_t components = 1)
      : cells_(cells), split_(split),
        extent_{split ? cells[0] / 2 : cells[0], cells[1], cells[2], split ? 2 : components} {
    stride_[0] = 1;
    for (std::size_t d = 1; d < 4; ++d)
      stride_[d] = stride_[d - 1] * (extent_[d - 1] + 2);
    values_.resize(static_cast<std::size_t>(stride_[3] * extent_[3]));
    origin_ = stride_[0] + stride_[1] + stride_[2];
  }

  T& operator()(std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t component = 0) {
    return values_[static_cast<std::size_t>(place(x, y, z, component))];
  }
  T operator()(std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t component = 0) const {
    return values_[static_cast<std::size_t>(place(x, y, z, component))];
  }

  /// Calls f(x, y, z) for each interior cell.
  template <class F> void for_cells(F&& f) const {
    for (std::int64_t z = 0; z < cells_[2]; ++z)
      for (std::int64_t y = 0; y < cells_[1]; ++y)
        for (std::int64_t x = 0; x < cells_[0]; ++x)
          f(x, y, z);
  }

  [[nodiscard]] Box as(bool split) const {
    Box other(cells_, split);
    for_cells([&](auto x, auto y, auto z) { other(x, y, z) = (*this)(x, y, z); });
    return other;
  }

  [[nodiscard]] const Cell& cells() const { return cells_; }
  T* data() { return values_.data() + origin_; }
  [[nodiscard]] const T* data() const { return values_.data() + origin_; }
  [[nodiscard]] const std::int64_t* extent() const { return extent_.data(); }
  [[nodiscard]] const std::int64_t* stride() const { return stride_.data(); }
  [[nodiscard]] std::int64_t origin() const { return origin_; }
  std::vector<T>& values() { return values_; }
  [[nodiscard]] const std::vector<T>& values() const { return values_; }

private:
  [[nodiscard]] std::int64_t place(std::int64_t x, std::int64_t y, std::int64_t z,
                                   std::int64_t component) const {
    if (!split_) return origin_ + x + y * stride_[1] + z * stride_[2] + component * stride_[3];
    const std::int64_t i = (x + 2) / 2 - 1; // x >= -1: rounds down
    return origin_ + i + y * stride_[1] + z * stride_[2] + ((x + y + z + 4) % 2) * stride_[3];
  }

  Cell cells_;
  bool split_;
  std::array<std::int64_t, 4> extent_;
  std::array<std::int64_t, 4> stride_{};
  std::int64_t origin_ = 0;
  std::vector<T> values_;
};

/// The equation of a test: phi, right-hand side, open faces, and the weight of a face across each axis.
template <class T> struct Problem {
  Box<T> phi;
  Box<T> right;
  Box<std::uint8_t> open;
  std::array<T, 3> weight{1, 1, 1};

  explicit Problem(const Cell& cells, bool split = false)
      : phi(cells, split), right(cells, split), open(cells, split) {}
  [[nodiscard]] Problem as(bool split) const {
    Problem other(phi.cells(), split);
    other.phi = phi.as(split);
    other.right = right.as(split);
    other.open = open.as(split);
    other.weight = weight;
    return other;
  }
};

/// One sweep over colours first <= c < last; returns the largest change, where the kernel reports one.
template <class T>
using Sweep = std::function<T(Problem<T>&, T omega, std::int64_t first, std::int64_t last)>;

/// Room for the scratch of any kernel here.
template <class T> std::vector<T> scratch(const Problem<T>& problem) {
  return std::vector<T>(problem.phi.values().size() + 2);
}

template <class T>
Sweep<T> sweep_of(int (*entry)(const std::uint8_t*, const std::int64_t*, const std::int64_t*, T*,
                               const std::int64_t*, const std::int64_t*, const T*, const std::int64_t*,
                               const std::int64_t*, std::int64_t, std::int64_t, T, T, T, T)) {
  return [entry](Problem<T>& p, T omega, std::int64_t first, std::int64_t last) {
    EXPECT_EQ(entry(p.open.data(), p.open.extent(), p.open.stride(), p.phi.data(), p.phi.extent(),
                    p.phi.stride(), p.right.data(), p.right.extent(), p.right.stride(), first, last,
                    p.weight[0], p.weight[1], p.weight[2], omega),
              0);
    return T(0);
  };
}

template <class T>
Sweep<T> sweep_of(int (*entry)(const std::uint8_t*, const std::int64_t*, const std::int64_t*, T*,
                               const std::int64_t*, const std::int64_t*, const T*, const std::int64_t*,
                               const std::int64_t*, std::int64_t, std::int64_t, T*, T*, T, T, T, T)) {
  return [entry](Problem<T>& p, T omega, std::int64_t first, std::int64_t last) {
    std::vector<T> work = scratch(p);
    T largest = -1;
    EXPECT_EQ(entry(p.open.data(), p.open.extent(), p.open.stride(), p.phi.data(), p.phi.extent(),
                    p.phi.stride(), p.right.data(), p.right.extent(), p.right.stride(), first, last, &largest,
                    work.data(), p.weight[0], p.weight[1], p.weight[2], omega),
              0);
    return largest;
  };
}

template <class T>
Sweep<T> sweep_of(int (*entry)(const std::uint8_t*, const std::int64_t*, const std::int64_t*, T*,
                               const std::int64_t*, const std::int64_t*, const T*, const std::int64_t*,
                               const std::int64_t*, std::int64_t, std::int64_t, T*, T*, T, T, T, T, void*)) {
  return [entry](Problem<T>& p, T omega, std::int64_t first, std::int64_t last) {
    std::vector<T> result{-1};
    {
      const DeviceMemory<std::uint8_t> open(p.open.values());
      const OnDevice<T> phi(p.phi.values());
      const DeviceMemory<T> right(p.right.values());
      const DeviceMemory<T> work(scratch(p));
      const OnDevice<T> largest(result);
      EXPECT_EQ(entry(open.data() + p.open.origin(), p.open.extent(), p.open.stride(),
                      phi.data() + p.phi.origin(), p.phi.extent(), p.phi.stride(),
                      right.data() + p.right.origin(), p.right.extent(), p.right.stride(), first, last,
                      largest.data(), work.data(), p.weight[0], p.weight[1], p.weight[2], omega, nullptr),
                0);
    }
    return result[0];
  };
}

template <class T> struct Kernels;
template <> struct Kernels<double> {
  static Sweep<double> sweep() { return sweep_of<double>(sor_sweep_f64); }
  static Sweep<double> split_sweep() { return sweep_of<double>(sor_split_sweep_f64); }
  static std::vector<Sweep<double>> check() {
    return {sweep_of<double>(sor_check_f64_reference), sweep_of<double>(sor_check_f64),
            sweep_of<double>(sor_check_f64_unit), sweep_of<double>(sor_check_f64_cuda)};
  }
  static std::vector<Sweep<double>> split_check() {
    return {sweep_of<double>(sor_split_check_f64_reference), sweep_of<double>(sor_split_check_f64),
            sweep_of<double>(sor_split_check_f64_unit), sweep_of<double>(sor_split_check_f64_cuda)};
  }
};
template <> struct Kernels<float> {
  static Sweep<float> sweep() { return sweep_of<float>(sor_sweep_f32); }
  static Sweep<float> split_sweep() { return sweep_of<float>(sor_split_sweep_f32); }
  static std::vector<Sweep<float>> check() {
    return {sweep_of<float>(sor_check_f32_reference), sweep_of<float>(sor_check_f32),
            sweep_of<float>(sor_check_f32_unit), sweep_of<float>(sor_check_f32_cuda)};
  }
  static std::vector<Sweep<float>> split_check() {
    return {sweep_of<float>(sor_split_check_f32_reference), sweep_of<float>(sor_split_check_f32),
            sweep_of<float>(sor_split_check_f32_unit), sweep_of<float>(sor_split_check_f32_cuda)};
  }
};

} // namespace test

#endif
