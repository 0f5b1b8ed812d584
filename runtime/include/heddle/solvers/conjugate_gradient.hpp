// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SOLVERS_CONJUGATE_GRADIENT_HPP
#define HEDDLE_SOLVERS_CONJUGATE_GRADIENT_HPP

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "heddle/core/buffer.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/grid/field_access.hpp"
#include "heddle/reduction/reduction_work.hpp"
#include "heddle/solvers/multigrid.hpp"
#include "heddle/solvers/solve.hpp"

namespace heddle {

/// When conjugate gradients end: both are met.
struct Accuracy {
  double residual = 0; // largest |A phi - right|, times the solver's residual_scale (see Module.add_solver)
  double change = 0;   // largest change of phi by one iteration; 0: does not count
  std::int64_t most_iterations = 100;
  std::int64_t patience = 5;    // iterations in which the residual must fall, or precision is the limit
  double least_progress = 0.95; // ... to this part of its least value before
};

/// What a solve by conjugate gradients did.
struct Descent {
  Solution solution;
  double residual = 0; // as in Accuracy, computed anew from phi
  double change = 0;   // largest change of phi in the last iteration
  [[nodiscard]] bool converged() const noexcept { return solution.converged(); }
};

/// "converged after 8 cycles, residual 3.1e-07, change 2e-06", for people.
[[nodiscard]] std::string to_string(const Descent& descent);

/// A phi = right by conjugate gradients, preconditioned by one V-cycle of multigrid. Solver: as for
/// Multigrid. The residual is computed anew in each iteration, which costs no more than carrying it along
/// and shows when rounding leaves no progress (Outcome::stalled).
///
/// On the device the iterations are one CUDA graph with a WHILE node, and all numbers stay there: the host
/// waits before the first one and after the last one.
template <class Solver, class T, class Coefficient, std::size_t weight_count, std::size_t profile_count = 0>
class ConjugateGradient {
public:
  using Matrix = StencilMatrix<Coefficient, weight_count, profile_count, T>;

  /// The fields must outlive this; coefficients must not change. Throws Error as Multigrid does.
  ConjugateGradient(const Matrix& matrix, Field<T>& phi, Field<T>& right,
                    const MultigridOptions& options = {})
      : multigrid_(matrix, options), phi_(&phi), right_(&right), direction_(right.grid(), of(right)),
        work_(reduction_work(right, {0, 1, 2}, 2), right.memory()), measure_(2, right.memory()) {
    const Cells3& cells = multigrid_.cells();
    for (Buffer<T>* number : {&product_, &before_, &curvature_})
      *number = Buffer<T>(cells[0] + cells[1] + cells[2], right.memory()); // seen from each cell
  }

  /// Continues from what phi is.
  Descent solve(const Accuracy& accuracy) {
    if (!(accuracy.residual > 0) || !(accuracy.change >= 0)) {
      throw Error("ConjugateGradient", "no accuracy is requested", "set residual > 0 and change >= 0");
    }
    rest_scale_ = 1 / accuracy.residual;
    change_scale_ = accuracy.change > 0 ? 1 / accuracy.change : 0;
    TaskGraph cycle({.memory = phi_->memory()});
    cycle.add(*this);
    {
      Stream stream(phi_->memory());
      clear(stream, product_);
      clear(stream, before_);
      compute_rest(stream);
      stream.synchronise();
    }
    const Solution solution = heddle::solve(cycle, measure_,
                                            {.tolerance = 1,
                                             .most_cycles = accuracy.most_iterations,
                                             .patience = accuracy.patience,
                                             .least_progress = accuracy.least_progress});
    const std::vector<T> measured = measure_.to_host();
    return {solution, static_cast<double>(measured[0]) * accuracy.residual,
            static_cast<double>(measured[1]) * accuracy.change};
  }

  [[nodiscard]] Multigrid<Solver, T, Coefficient, weight_count, profile_count>& multigrid() noexcept {
    return multigrid_;
  }

  [[nodiscard]] std::string_view name() const noexcept { return "ConjugateGradient"; }
  [[nodiscard]] Memory memory() const noexcept { return phi_->memory(); }
  [[nodiscard]] std::vector<FieldAccess> accesses() const {
    return {{phi_, phi_->name(), AccessMode::read},
            {phi_, phi_->name(), AccessMode::write},
            {right_, right_->name(), AccessMode::read}};
  }

  /// One iteration.
  void operator()(Stream& stream) {
    multigrid_(stream);
    T* const parts = multigrid_.products().data();
    const Cells3 one{1, 1, 1};
    Solver::renew(stream, everywhere(product_.data(), one), everywhere(before_.data(), one),
                  everywhere(parts, one), everywhere(parts + 1, one));
    const Cells3& cells = multigrid_.cells();
    const auto product = everywhere(product_.data(), cells);
    const auto p = direction_.view();
    colours([&](auto... range) {
      Solver::direction(stream, product, everywhere(before_.data(), cells), multigrid_.correction().view(), p,
                        range...);
    });
    colours([&](auto... range) {
      multigrid_.matrix().apply([&](const auto&... a) { Solver::curvature(stream, a...); }, std::tuple(p),
                                std::tuple(range..., curvature_.data(), work_.data()));
    });
    colours([&](auto... range) {
      Solver::advance(stream, everywhere(curvature_.data(), cells), product, p, phi_->view(), range...,
                      measure_.data() + 1, work_.data(), change_scale_);
    });
    compute_rest(stream);
  }

private:
  static FieldOptions of(const Field<T>& field) {
    return {.components = field.components(), .memory = field.memory(), .name = "direction"};
  }

  /// Calls kernel() with both colours, where fields are split.
  template <class Kernel> static void colours(Kernel&& kernel) {
    if constexpr (Solver::split)
      kernel(std::int64_t{0}, std::int64_t{2});
    else
      kernel();
  }

  void clear(Stream& stream, Buffer<T>& number) {
    Solver::clear(stream, everywhere(number.data(), {1, 1, 1}));
  }

  void compute_rest(Stream& stream) {
    colours([&](auto... range) {
      multigrid_.matrix().apply([&](const auto&... a) { Solver::remainder(stream, a..., rest_scale_); },
                                std::tuple(phi_->view(), right_->view(), multigrid_.rest().view()),
                                std::tuple(range..., measure_.data(), work_.data()));
    });
  }

  Multigrid<Solver, T, Coefficient, weight_count, profile_count> multigrid_;
  Field<T>* phi_;
  Field<T>* right_;
  Field<T> direction_;
  Buffer<T> work_;
  Buffer<T> measure_; // parts of what is allowed: residual, change
  Buffer<T> product_; // numbers on the device
  Buffer<T> before_;
  Buffer<T> curvature_;
  double rest_scale_ = 1;
  double change_scale_ = 0;
};

} // namespace heddle

#endif
