// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CHEMISTRY_CVODE_CVODE_HPP
#define HEDDLE_CHEMISTRY_CVODE_CVODE_HPP

#include <cstdint>
#include <functional>

#include "heddle/chemistry/cell_batch.hpp"
#include "heddle/chemistry/chemistry.hpp"

namespace heddle {

/// The kernels of a mechanism that CVODE calls with one cell, as heddle.chemistry.NewtonKernels(mechanism)
/// has them. Several threads call them at once.
///
///     {.reactions = 204, .entries = 735,
///      .rate_constants = [](auto&&... a) { cb05::rate_constants(a...); }, ...}
struct NewtonKernels {
  using In = CellValues<const double>;
  using Out = CellValues<double>;

  std::int64_t reactions; ///< of the mechanism
  std::int64_t entries;   ///< of L and U: NewtonKernels(mechanism).cost.entries in Python
  std::function<void(In temperature, In pressure, In rate_input, Out rate_constant)> rate_constants;
  std::function<void(In concentration, In rate_constant, Out tendency)> tendency;
  /// I - gamma J, gamma in s.
  std::function<void(In concentration, In rate_constant, Out factor, double gamma)> factorise;
  std::function<void(In factor, In right_side, Out solution)> solve;
};

/// How CVODE integrates.
struct CvodeOptions {
  /// Steps of a cell in one call; where they do not do, the cell fails with outcome 1.
  std::int64_t max_steps = 10'000;
  /// The highest order, 1 to 5. 1: backward Euler, with steps of its own.
  int max_order = 5;
};

/// An integrator for heddle::Chemistry: backward differentiation formulas of order 1 to max_order by CVODE
/// (A. C. Hindmarsh et al., ACM Trans. Math. Softw. 31, 363 (2005)), with f and the linear solver of the
/// kernels.
///
///     heddle::Chemistry chemistry(cb05, heddle::cvode_integrator(kernels), fields, {.interval = 120});
///
/// Each cell is integrated by itself and begins anew, at order 1; `step` says what the last step was, and is
/// not read. `steps` counts steps, failed tests of the error and failed Newton iterations. A cell that fails
/// keeps the concentrations of its last accepted step; its outcome is 1 where max_steps did not do, 2 where
/// steps became too short, as where rates are not finite, and 3 for bad input. Tolerances per species are
/// used. A cell has the same bits whatever lies beside it.
///
/// Throws Error for kernels that are missing and numbers that make no sense. What it returns throws Error
/// where CVODE has no memory, or refuses its arguments.
[[nodiscard]] Chemistry::Integrate cvode_integrator(NewtonKernels kernels, const CvodeOptions& options = {});

} // namespace heddle

#endif
