// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_PERIODIC_BOX_HPP
#define HEDDLE_PERIODIC_BOX_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../support/d3q19.hpp"

namespace test {

/// A periodic box of cells with one ghost layer, component after component: what a user's own array would be.
template <class T> class PeriodicBox {
public:
  /// extent: interior cells. x_step: elements between neighbours along x. rank 2 has no ghosts along z.
  PeriodicBox(std::array<std::int64_t, 3> extent, int components, int rank = 3, std::int64_t x_step = 1)
      : interior_(extent), components_(components), rank_(rank) {
    std::int64_t stride = x_step;
    for (std::size_t d = 0; d < 3; ++d) {
      stride_[d] = stride;
      stride *= interior_[d] + 2 * ghosts(d);
    }
    component_stride_ = stride;
    values_.resize(static_cast<std::size_t>(stride * components));
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
      extents_.push_back(interior_[d]);
      strides_.push_back(stride_[d]);
    }
    extents_.push_back(components);
    strides_.push_back(component_stride_);
    if (components == 1) {
      extents_.pop_back();
      strides_.pop_back();
    }
  }

  T* data() { // of the first interior cell
    return &at(0, 0, 0, 0);
  }
  const std::int64_t* extents() const { return extents_.data(); }
  const std::int64_t* strides() const { return strides_.data(); }
  std::int64_t extent(std::size_t d) const { return interior_[d]; }
  int components() const { return components_; }
  std::vector<T>& values() { return values_; }
  const std::vector<T>& values() const { return values_; }

  T& at(std::int64_t x, std::int64_t y, std::int64_t z, int q) {
    const std::int64_t position = (x + ghosts(0)) * stride_[0] + (y + ghosts(1)) * stride_[1] +
                                  (z + ghosts(2)) * stride_[2] + q * component_stride_;
    return values_.at(static_cast<std::size_t>(position));
  }
  T& at(const std::array<std::int64_t, 3>& cell, int q) { return at(cell[0], cell[1], cell[2], q); }

  /// The interior cell that a cell of the ghost layer stands for.
  std::array<std::int64_t, 3> image(std::array<std::int64_t, 3> cell) const {
    for (std::size_t d = 0; d < 3; ++d) {
      cell[d] = (cell[d] + interior_[d]) % interior_[d];
    }
    return cell;
  }

  /// Calls f(cell) for each interior cell.
  template <class F> void for_cells(F&& f) const {
    for (std::int64_t z = 0; z < interior_[2]; ++z) {
      for (std::int64_t y = 0; y < interior_[1]; ++y) {
        for (std::int64_t x = 0; x < interior_[0]; ++x) {
          f(std::array<std::int64_t, 3>{x, y, z});
        }
      }
    }
  }

  /// Owner to ghost: every ghost cell becomes its periodic image.
  void fill_ghosts() {
    for (int q = 0; q < components_; ++q) {
      for (std::int64_t z = -ghosts(2); z < interior_[2] + ghosts(2); ++z) {
        for (std::int64_t y = -ghosts(1); y < interior_[1] + ghosts(1); ++y) {
          T* const row = &at(0, y, z, q);
          const T* const owners = &at(image({0, y, z}), q);
          if (row != owners) {
            for (std::int64_t x = 0; x < interior_[0]; ++x) {
              row[x * stride_[0]] = owners[x * stride_[0]];
            }
          }
          row[-stride_[0]] = owners[(interior_[0] - 1) * stride_[0]];
          row[interior_[0] * stride_[0]] = owners[0];
        }
      }
    }
  }

  /// Ghost to owner: what every interior cell wrote to component q of the cell at `offset`.
  void return_ghosts(int q, const Velocity& offset) {
    for (std::int64_t z = offset[2]; z < interior_[2] + offset[2]; ++z) {
      for (std::int64_t y = offset[1]; y < interior_[1] + offset[1]; ++y) {
        const bool inside = is_interior(y, 1) && is_interior(z, 2); // then only an end of the row is a ghost
        for (std::int64_t x = offset[0]; x < interior_[0] + offset[0]; ++x) {
          if (!inside || !is_interior(x, 0)) {
            at(image({x, y, z}), q) = at(x, y, z, q);
          }
        }
      }
    }
  }

private:
  std::int64_t ghosts(std::size_t d) const { return d < static_cast<std::size_t>(rank_) ? 1 : 0; }
  bool is_interior(std::int64_t x, std::size_t d) const { return x >= 0 && x < interior_[d]; }

  std::array<std::int64_t, 3> interior_;
  int components_;
  int rank_;
  std::array<std::int64_t, 3> stride_{};
  std::int64_t component_stride_ = 0;
  std::vector<std::int64_t> extents_;
  std::vector<std::int64_t> strides_;
  std::vector<T> values_;
};

/// Pseudo-random numbers that are the same everywhere: the minimal standard generator.
class Random {
public:
  explicit Random(std::uint32_t seed) : state_(seed) {}
  /// A whole number, 0 <= n < bound.
  int below(int bound) {
    state_ = state_ * 48271 % 2147483647;
    return static_cast<int>(state_ % static_cast<std::uint64_t>(bound));
  }

private:
  std::uint64_t state_;
};

} // namespace test

#endif
