// SPDX-License-Identifier: Apache-2.0
#include "heddle/chemistry_cvode/cvode.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#include "heddle/core/error.hpp"
#include "heddle/core/parallel.hpp"

namespace heddle {
namespace {

using In = NewtonKernels::In;
using Out = NewtonKernels::Out;

constexpr double largest = 1e38; // as in the emitted integrators

std::size_t index(std::int64_t n) {
  return static_cast<std::size_t>(n);
}

[[noreturn]] void refuse(const std::string& what, int flag) {
  throw Error("CVODE", what + " failed with flag " + std::to_string(flag),
              "see the return values of that function in SUNDIALS' documentation of CVODE");
}
void require(int flag, const char* what) {
  if (flag < 0) refuse(what, flag);
}
template <class T> T* require_made(T* made, const char* what) {
  if (made == nullptr) throw Error("CVODE", std::string(what) + " has no memory", "use fewer threads");
  return made;
}

In row(const std::vector<double>& values) {
  return {values.data(), 1, static_cast<std::int64_t>(values.size()), 1};
}
Out row(std::vector<double>& values) {
  return {values.data(), 1, static_cast<std::int64_t>(values.size()), 1};
}

bool finite(const double* values, std::size_t count) {
  double sum = 0;
  for (std::size_t n = 0; n < count; ++n)
    sum += std::abs(values[n]);
  return sum < largest;
}

/// Deletes what SUNDIALS makes, each by its function.
struct Free {
  void operator()(std::remove_pointer_t<SUNContext>* context) const { SUNContext_Free(&context); }
  void operator()(std::remove_pointer_t<N_Vector>* vector) const { N_VDestroy(vector); }
  void operator()(std::remove_pointer_t<SUNMatrix>* matrix) const { SUNMatFreeEmpty(matrix); }
  void operator()(std::remove_pointer_t<SUNLinearSolver>* solver) const { SUNLinSolFreeEmpty(solver); }
};
template <class Handle> using Owner = std::unique_ptr<std::remove_pointer_t<Handle>, Free>;

struct FreeMemory {
  void operator()(void* memory) const { CVodeFree(&memory); }
};

/// CVODE for the cells of a batch, one after the other; each thread has its own.
class Solver {
public:
  Solver(const NewtonKernels& kernels, const CvodeOptions& options, const CellBatch& batch)
      : kernels_(kernels), batch_(batch), species_(batch.concentration.extent(1)), start_(index(species_)),
        linearised_(index(species_)), rate_input_(index(batch.rate_input.extent(1))),
        rate_constant_(index(kernels.reactions)), factor_(index(kernels.entries)) {
    SUNContext context = nullptr;
    require(SUNContext_Create(nullptr, &context), "SUNContext_Create");
    context_.reset(context);
    y_.reset(require_made(N_VNew_Serial(species_, context), "N_VNew_Serial"));
    tolerance_.reset(require_made(N_VNew_Serial(species_, context), "N_VNew_Serial"));
    for (std::int64_t s = 0; s < species_; ++s)
      N_VGetArrayPointer(tolerance_.get())[s] = batch.absolute_tolerance.of(s);

    matrix_.reset(require_made(SUNMatNewEmpty(context), "SUNMatNewEmpty"));
    matrix_->ops->getid = [](SUNMatrix) { return SUNMATRIX_CUSTOM; };
    linear_.reset(require_made(SUNLinSolNewEmpty(context), "SUNLinSolNewEmpty"));
    linear_->content = this;
    linear_->ops->gettype = [](SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; };
    linear_->ops->getid = [](SUNLinearSolver) { return SUNLINEARSOLVER_CUSTOM; };
    linear_->ops->setup = [](SUNLinearSolver self, SUNMatrix) {
      return static_cast<Solver*>(self->content)->factorise();
    };
    linear_->ops->solve = [](SUNLinearSolver self, SUNMatrix, N_Vector x, N_Vector b, realtype) {
      return static_cast<Solver*>(self->content)->solve(x, b);
    };

    memory_.reset(require_made(CVodeCreate(CV_BDF, context), "CVodeCreate"));
    void* const memory = memory_.get();
    require(CVodeSetErrHandlerFn(
                memory, [](int, const char*, const char*, char*, void*) {}, nullptr),
            "CVodeSetErrHandlerFn"); // what a cell fails with is its outcome
    N_VConst(0, y_.get());
    require(CVodeInit(memory, right_hand_side, 0, y_.get()), "CVodeInit");
    require(CVodeSVtolerances(memory, batch.relative_tolerance, tolerance_.get()), "CVodeSVtolerances");
    require(CVodeSetUserData(memory, this), "CVodeSetUserData");
    require(CVodeSetLinearSolver(memory, linear_.get(), matrix_.get()), "CVodeSetLinearSolver");
    require(CVodeSetLinSysFn(memory, linear_system), "CVodeSetLinSysFn");
    require(CVodeSetMaxNumSteps(memory, static_cast<long>(options.max_steps)), "CVodeSetMaxNumSteps");
    require(CVodeSetMaxOrd(memory, options.max_order), "CVodeSetMaxOrd");
  }
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  void integrate(std::int64_t cell) {
    for (std::int64_t s = 0; s < species_; ++s)
      start_[index(s)] = batch_.concentration(cell, s);
    for (std::int64_t q = 0; q < batch_.rate_input.extent(1); ++q)
      rate_input_[index(q)] = batch_.rate_input(cell, q);
    const double temperature = batch_.temperature(cell);
    const double pressure = batch_.pressure(cell);
    batch_.step(cell) = 0;
    batch_.steps(cell) = 0;
    batch_.outcome(cell) = 3;
    if (!(temperature > 0) || !(pressure > 0) || !finite(start_.data(), start_.size()) ||
        !finite(rate_input_.data(), rate_input_.size()))
      return;
    kernels_.rate_constants({&temperature, 1, 1, 1}, {&pressure, 1, 1, 1}, row(std::as_const(rate_input_)),
                            row(rate_constant_));

    double* const y = N_VGetArrayPointer(y_.get());
    std::ranges::copy(start_, y);
    void* const memory = memory_.get();
    require(CVodeReInit(memory, 0, y_.get()), "CVodeReInit");
    require(CVodeSetStopTime(memory, batch_.interval), "CVodeSetStopTime");
    realtype reached = 0;
    const int flag = CVode(memory, batch_.interval, y_.get(), &reached, CV_NORMAL);
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    if (flag == CV_MEM_FAIL || flag == CV_MEM_NULL || flag == CV_ILL_INPUT || flag == CV_LINIT_FAIL)
      refuse("CVode", flag);
    batch_.outcome(cell) = flag == CV_TOO_MUCH_WORK ? 1 : flag < 0 ? 2 : 0;
    if (!finite(y, start_.size())) {
      batch_.outcome(cell) = 2;
      std::ranges::copy(start_, y);
    }
    for (std::int64_t s = 0; s < species_; ++s)
      batch_.concentration(cell, s) = y[s];
    long steps = 0;
    long failed_tests = 0;
    long failed_iterations = 0;
    require(CVodeGetNumSteps(memory, &steps), "CVodeGetNumSteps");
    require(CVodeGetNumErrTestFails(memory, &failed_tests), "CVodeGetNumErrTestFails");
    require(CVodeGetNumNonlinSolvConvFails(memory, &failed_iterations), "CVodeGetNumNonlinSolvConvFails");
    batch_.steps(cell) = steps + failed_tests + failed_iterations;
    if (batch_.outcome(cell) == 0) require(CVodeGetLastStep(memory, &batch_.step(cell)), "CVodeGetLastStep");
  }

private:
  /// An exception must not leave through C: it waits, and CVODE stops.
  template <class Body> int guarded(Body&& body) noexcept {
    try {
      return body();
    } catch (...) {
      thrown_ = std::current_exception();
      return -1;
    }
  }
  /// f; above 0, which makes CVODE try a shorter step, where it is not finite.
  static int right_hand_side(realtype, N_Vector y, N_Vector f, void* self) {
    auto& solver = *static_cast<Solver*>(self);
    const auto species = solver.species_;
    double* const tendency = N_VGetArrayPointer(f);
    return solver.guarded([&] {
      solver.kernels_.tendency({N_VGetArrayPointer(y), 1, species, 1},
                               row(std::as_const(solver.rate_constant_)), {tendency, 1, species, 1});
      return finite(tendency, index(species)) ? 0 : 1;
    });
  }
  /// Remembers where the matrix is to be made. current: whether J is still good enough.
  static int linear_system(realtype, N_Vector y, N_Vector, SUNMatrix, booleantype current, booleantype* made,
                           realtype gamma, void* self, N_Vector, N_Vector, N_Vector) {
    auto& solver = *static_cast<Solver*>(self);
    *made = current == SUNFALSE ? SUNTRUE : SUNFALSE;
    if (current == SUNFALSE) std::copy_n(N_VGetArrayPointer(y), solver.species_, solver.linearised_.data());
    solver.gamma_ = gamma;
    return 0;
  }
  int factorise() {
    return guarded([this] {
      kernels_.factorise(row(std::as_const(linearised_)), row(std::as_const(rate_constant_)), row(factor_),
                         gamma_);
      double sum = 0;
      for (const double entry : factor_)
        sum += std::abs(entry);
      return std::isfinite(sum) ? SUNLS_SUCCESS : SUNLS_LUFACT_FAIL; // the second: a shorter step may do
    });
  }
  int solve(N_Vector x, N_Vector b) {
    return guarded([&] {
      kernels_.solve(row(std::as_const(factor_)), {N_VGetArrayPointer(b), 1, species_, 1},
                     {N_VGetArrayPointer(x), 1, species_, 1});
      return SUNLS_SUCCESS;
    });
  }

  const NewtonKernels& kernels_;
  const CellBatch& batch_;
  std::int64_t species_;
  std::vector<double> start_;
  std::vector<double> linearised_; // concentrations at which J is taken
  std::vector<double> rate_input_;
  std::vector<double> rate_constant_;
  std::vector<double> factor_;
  double gamma_ = 0;
  std::exception_ptr thrown_;
  Owner<SUNContext> context_; // goes last
  Owner<N_Vector> y_;
  Owner<N_Vector> tolerance_;
  Owner<SUNMatrix> matrix_;
  Owner<SUNLinearSolver> linear_;
  std::unique_ptr<void, FreeMemory> memory_;
};

} // namespace

Chemistry::Integrate cvode_integrator(NewtonKernels kernels, const CvodeOptions& options) {
  if (!kernels.rate_constants || !kernels.tendency || !kernels.factorise || !kernels.solve)
    throw Error("cvode_integrator", "a kernel is missing",
                "give rate_constants, tendency, factorise and solve, as chemistry.NewtonKernels has them");
  if (kernels.reactions < 1 || kernels.entries < 1)
    throw Error("cvode_integrator",
                std::to_string(kernels.reactions) + " reactions and " + std::to_string(kernels.entries) +
                    " entries are no mechanism",
                "give the numbers of the mechanism: len(mechanism.reactions), kernels.cost.entries");
  if (options.max_steps < 1 || options.max_steps > std::int64_t{1} << 31)
    throw Error("CvodeOptions", "max_steps is " + std::to_string(options.max_steps),
                "it is a number of steps from 1 to 2^31");
  if (options.max_order < 1 || options.max_order > 5)
    throw Error("CvodeOptions", "max_order is " + std::to_string(options.max_order),
                "it is an order from 1, backward Euler, to 5");
  return [kernels = std::move(kernels), options](const CellBatch& batch) {
    parallel_ranges(batch.concentration.extent(0), [&](std::int64_t first, std::int64_t last) {
      if (first == last) return;
      Solver solver(kernels, options, batch);
      for (std::int64_t cell = first; cell < last; ++cell)
        solver.integrate(cell);
    });
  };
}

} // namespace heddle
