// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_PROJECTION_FLOW_OPERATORS_HPP
#define HEDDLE_PROJECTION_FLOW_OPERATORS_HPP

#include <cstdint>

#include "heddle/core/buffer.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/grid/box.hpp"
#include "heddle/grid/field_view.hpp"
#include "heddle/grid/profile.hpp"
#include "heddle/projection/staggered_grid.hpp"

namespace heddle {

/// Which ghost values of the velocity to fill: the faces at the upper ends, which a divergence reads; or all
/// ghost cells, with edges and corners, which advection reads. Faces of open sides do not change: they are
/// unknowns of the flow.
enum class Rim { faces, ghosts };

/// The pressure at an open side: that of the grid, or 0 (for corrections of a pressure that already includes
/// it).
enum class SidePressure { given, zero };

/// A sum of velocities times masses, and the sum of the masses.
struct WeightedSum {
  double total = 0;
  double weight = 0;
};

/// Size of a divergence: times the width of a cell it is a velocity.
struct DivergenceNorms {
  double largest = 0;
  double total = 0; // sum of absolute values over all cells
};

/// The kernels of a projection on the cells of one block of levels: T for the velocity, P for the pressure.
/// Defined for <double, double>, <float, float> and <double, float>. With a device stream all views and
/// arrays lie on the device.
template <class T, class P = T> class FlowOperators {
public:
  /// levels: first and last of the grid's levels that views hold; the others belong to other ranks.
  FlowOperators(const StaggeredGrid& grid, std::int64_t first_level, std::int64_t last_level, Memory memory);
  explicit FlowOperators(const StaggeredGrid& grid, Memory memory = Memory::host)
      : FlowOperators(grid, 0, grid.cells[2], memory) {}

  [[nodiscard]] const StaggeredGrid& grid() const noexcept { return grid_; }
  /// Whether the lowest (highest) of the levels is that of the grid.
  [[nodiscard]] bool at_bottom() const noexcept { return levels_.lower[2] == 0; }
  [[nodiscard]] bool at_top() const noexcept { return levels_.upper[2] == grid_.cells[2]; }

  /// right = scale * divergence.
  void divergence(const Velocity<T>& velocity, FieldView<P> right, double scale, Stream& stream) const;
  /// The same on levels first … last - 1 of the views.
  void divergence(const Velocity<T>& velocity, FieldView<P> right, double scale, std::int64_t first,
                  std::int64_t last, Stream& stream) const;
  /// Of these levels; waits for the stream.
  [[nodiscard]] DivergenceNorms norms(const Velocity<T>& velocity, Stream& stream) const;
  /// velocity -= step * grad p on all faces but those of walls. level_below: whether p has the level below
  /// these ones (of another rank); without it the lowest faces are those of the bottom.
  void correct(FieldView<const P> p, const Velocity<T>& velocity, double step, bool level_below,
               Stream& stream, SidePressure sides = SidePressure::given) const;
  /// The parts of correct(): between the cells of levels first … last - 1 (and the one below), and at the
  /// sides.
  void correct_between(FieldView<const P> p, const Velocity<T>& velocity, double step, bool level_below,
                       std::int64_t first, std::int64_t last, Stream& stream) const;
  void correct_sides(FieldView<const P> p, const Velocity<T>& velocity, double step, Stream& stream,
                     SidePressure sides = SidePressure::given) const;
  /// The part of correct() at the upper ends: faces of open sides, which lie in the first ghost cells.
  void correct_upper_sides(FieldView<const P> p, const Velocity<T>& velocity, double step, Stream& stream,
                           SidePressure sides = SidePressure::given) const;
  /// Fills faces and ghost cells beyond the sides of the domain.
  void fill(const Velocity<T>& velocity, Rim rim, Stream& stream) const;

  /// The mean of a component over these levels, weighted by density and volume. Waits for the stream.
  [[nodiscard]] double mean(FieldView<T> component, int axis, Stream& stream) const;
  /// What a mean over the levels of several ranks is put together from.
  [[nodiscard]] WeightedSum weighted_sum(FieldView<T> component, int axis, Stream& stream) const;
  /// Adds a constant velocity everywhere, which controls the mean flow of a periodic channel.
  void add(FieldView<T> component, double value, Stream& stream) const;

  /// Tables along z, for other kernels on the same grid: 1 / height of cells, 1 / distance of levels,
  /// densities.
  [[nodiscard]] const T* per_height() const noexcept { return per_height_.first(levels_); }
  [[nodiscard]] const T* per_distance() const noexcept { return per_distance_.first(levels_); }
  [[nodiscard]] const T* density() const noexcept { return density_.first(levels_); }
  [[nodiscard]] const T* face_density() const noexcept { return face_density_.first(levels_); }
  [[nodiscard]] const T* height() const noexcept { return height_.first(levels_); }
  [[nodiscard]] double per_x() const noexcept { return 1 / grid_.width_x; }
  [[nodiscard]] double per_y() const noexcept { return 1 / grid_.width_y; }

private:
  void correct_lower_sides(FieldView<const P> p, const Velocity<T>& velocity, double step, SidePressure sides,
                           Stream& stream) const;
  void open_face(PlaneView<T> face, PlaneView<const P> inner, double factor, double pressure,
                 Stream& stream) const;

  StaggeredGrid grid_;
  PoissonColumn column_;
  Box levels_;
  Profile<T> height_;
  Profile<T> per_height_;
  Profile<T> per_distance_;
  Profile<T> density_;
  Profile<T> face_density_;
  mutable Buffer<T> sums_; // results, and the scratch of a reduction
};

} // namespace heddle

#endif
