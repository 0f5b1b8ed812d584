// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CITY_WIND_WIND_HPP
#define HEDDLE_CITY_WIND_WIND_HPP

#include <cstdint>
#include <optional>
#include <vector>

#include "buildings.hpp"
#include "consistency_sweeps.hpp"
#include "grid.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/grid/profile.hpp"
#include "heddle/solvers/conjugate_gradient.hpp"
#include "heddle/solvers/solve.hpp"
#include "sensors.hpp"
#include "zones.hpp"

namespace city_wind {

/// Values at the centres of cells on the host, x fastest; m/s.
struct CellWind {
  std::vector<float> u, v, w;
  std::vector<std::uint8_t> icell;
};

/// The fields of the model in one memory and precision, and the generated kernels on them. Everything is
/// computed where the fields lie; the host only says which kernels run over which boxes.
template <class T> class Wind {
public:
  /// Lays out the fields and marks the columns of the buildings.
  Wind(const Grid& grid, const Ground& ground, const std::vector<Building>& buildings, heddle::Memory memory);
  Wind(const Wind&) = delete;
  Wind& operator=(const Wind&) = delete;

  /// The wind around the buildings before it conserves mass: profiles, zones, no wind through solid faces.
  /// lambda stays as it was: the start of the next solve. Throws heddle::Error where no wind enters the
  /// domain.
  void guess(const Inflow& undisturbed, const std::vector<Zone>& zones);

  /// Sweeps over all cells.
  void relax(std::int64_t sweeps, double omega);
  /// Relaxes until the corrected wind's largest divergence is at most the tolerance (1/s), or can fall no
  /// further.
  heddle::Solution solve(double tolerance, std::int64_t most_sweeps, double omega);
  /// The same by conjugate gradients with multigrid; a cycle is an iteration. Throws heddle::Error for a
  /// tolerance of 0.
  heddle::Solution solve_with_multigrid(double tolerance, std::int64_t most_iterations);
  /// Adds what lambda says to the first guess.
  void correct();

  /// Sweeps between two looks at the divergence.
  static constexpr std::int64_t sweeps_a_cycle = 10;
  /// The over-relaxation that converges fastest in an empty box of this grid, less 0.005 for what stands in
  /// it.
  [[nodiscard]] double best_omega() const;

  /// Of the wind itself, 1/s.
  [[nodiscard]] double largest_divergence();
  /// Into the box through its sides, m^3/s.
  [[nodiscard]] double entering();
  [[nodiscard]] CellWind at_centres() const;

  // For tests. On faces and cells:
  heddle::Field<T> u, v, w, u_free, v_free;
  heddle::Field<std::uint8_t> icell;
  // On inner cells, of which (0, 0, 0) is the cell (1, 1, 0): lambda, the right side and the open faces.
  heddle::Field<T> phi, right;
  heddle::Field<std::uint8_t> open;

private:
  using Gradients = heddle::ConjugateGradient<consistency::Solver, T, std::uint8_t, 2, 2>;

  /// Of a field on faces or cells: what belongs to the inner cells, with `more` faces or cells on each axis.
  template <class U> heddle::FieldView<U> inner(heddle::Field<U>& field, std::int64_t more = 0) const;
  void blow(const Inflow& undisturbed);
  void mark(const Ground& ground, const std::vector<Building>& buildings);
  template <class Sweep> void run(Sweep&& sweep) { sweep(stream_); }

  Grid grid_;
  double c_x_, c_y_;                       // 1 / dx^2, 1 / dy^2
  heddle::Field<T> height_;                // the same for all y
  heddle::Profile<T> thickness_, below_;   // of levels, and 1 / distance to the one below
  heddle::Field<T> ground_, roof_, total_; // the same for all z
  heddle::Field<std::int32_t> inside_, owner_;
  heddle::Buffer<T> largest_, entering_, work_;
  heddle::Memory memory_;
  std::optional<Gradients> gradients_; // from the first solve with multigrid on: the open faces stay
  heddle::Stream stream_;
};

extern template class Wind<float>;
extern template class Wind<double>;

} // namespace city_wind

#endif
