// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SOLVERS_RELAXATION_HPP
#define HEDDLE_SOLVERS_RELAXATION_HPP

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/core/memory.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/grid/field_access.hpp"
#include "heddle/solvers/colour_range.hpp"

namespace heddle {

/// An axis of a box in which div grad phi is solved: its cells with an equation, their size, and at how many
/// of its two ends phi is given in the next cell. At the others nothing flows through the last face.
struct RelaxationAxis {
  std::int64_t cells = 1;
  double spacing = 1;
  int given_ends = 2;
};

/// Spectral radius of the Jacobi iteration in an empty box: 1 - sum (2/h^2) (1 - cos t) / sum (2/h^2), with t
/// = pi / (n + 1), pi / (2 n + 1) or 0 for two, one or no ends at which phi is given. Throws Error for no
/// cells, a spacing that is not positive, or no end at all.
[[nodiscard]] double jacobi_radius(const std::array<RelaxationAxis, 3>& axes);

/// The over-relaxation that converges fastest, 2 / (1 + sqrt(1 - radius^2)). With walls inside the box a
/// slightly smaller one (by 0.005) is best; a larger one costs more than a smaller one.
[[nodiscard]] double optimal_omega(double jacobi_radius);

/// An omega for boxes with walls that goes with smoothing sweeps at the end: 2 - omega is 1.3 times that of
/// the optimal one. Found for a cube in the wind, on grids of 1 to 145 million cells. Throws Error as
/// optimal_omega does.
[[nodiscard]] double omega_before_smoothing(double jacobi_radius);

/// What is to follow: near the optimal omega all waves of the error fade alike, and the short ones, which
/// make its gradient, can be taken away at the end by a few sweeps of less relaxation.
inline constexpr double smoothing_omega = 1.5;
inline constexpr int smoothing_sweeps = 6;

/// Chebyshev acceleration of a chessboard sweep: an omega for each half sweep, from 1 up to the optimal one.
/// So the error falls from the beginning, where a constant omega lets it grow first.
class ChebyshevOmega {
public:
  explicit ChebyshevOmega(double jacobi_radius) : square_(jacobi_radius * jacobi_radius) {}
  /// For the next half sweep.
  double next() noexcept {
    if (half_sweeps_++ == 0) return omega_;
    omega_ = half_sweeps_ == 2 ? 1 / (1 - square_ / 2) : 1 / (1 - square_ * omega_ / 4);
    return omega_;
  }

private:
  double square_;
  double omega_ = 1;
  std::int64_t half_sweeps_ = 0;
};

/// SSOR: the colours upwards, then downwards. A task made of a coloured sweep.
template <class Sweep> class SymmetricSweep {
public:
  explicit SymmetricSweep(Sweep sweep)
      : sweep_(std::move(sweep)), name_(std::string(sweep_.name()) + " and back") {}

  std::string_view name() const { return name_; }
  Memory memory() const { return sweep_.memory(); }
  std::vector<FieldAccess> accesses() const { return sweep_.accesses(); }
  void operator()(Stream& stream) {
    const ColourRange all = sweep_.colours;
    sweep_(stream);
    for (std::int64_t colour = all.last; colour-- > all.first;) {
      sweep_.colours = {colour, colour + 1};
      sweep_(stream);
    }
    sweep_.colours = all;
  }

private:
  Sweep sweep_;
  std::string name_;
};

} // namespace heddle

#endif
