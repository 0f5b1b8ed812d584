// SPDX-License-Identifier: Apache-2.0
#include "draw.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#include "cb05_cvode.hpp"
#include "column.hpp"
#include "heddle/core/error.hpp"
#include "mechanism.hpp"

namespace {

using namespace air_quality;
using heddle::CellValues;

constexpr double interval = 120;
constexpr std::int64_t entries = 735; // of L and U

std::size_t index(std::int64_t n) {
  return static_cast<std::size_t>(n);
}

void require(int flag, const std::string& what) {
  if (flag < 0)
    throw heddle::Error("CVODE", what + ": " + std::to_string(flag), "see SUNDIALS' documentation of CVODE");
}

/// CVODE for all cells at once, with one step. Newton's matrix has a block per cell.
class ManyCells {
public:
  ManyCells(const DrawOptions& options, std::int64_t species, std::vector<double> k)
      : cells_(options.levels), species_(species), k_(std::move(k)), linearised_(index(species * cells_)),
        factor_(index(entries * cells_)) {
    require(SUNContext_Create(nullptr, &context_), "SUNContext_Create");
    y_ = N_VNew_Serial(species * cells_, context_);
    matrix_ = SUNMatNewEmpty(context_);
    matrix_->ops->getid = [](SUNMatrix) { return SUNMATRIX_CUSTOM; };
    linear_ = SUNLinSolNewEmpty(context_);
    linear_->content = this;
    linear_->ops->gettype = [](SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; };
    linear_->ops->getid = [](SUNLinearSolver) { return SUNLINEARSOLVER_CUSTOM; };
    linear_->ops->setup = [](SUNLinearSolver self, SUNMatrix) {
      return static_cast<ManyCells*>(self->content)->factorise();
    };
    linear_->ops->solve = [](SUNLinearSolver self, SUNMatrix, N_Vector x, N_Vector b, realtype) {
      return static_cast<ManyCells*>(self->content)->solve(N_VGetArrayPointer(x), N_VGetArrayPointer(b));
    };
    memory_ = CVodeCreate(CV_BDF, context_);
    N_VConst(0, y_);
    require(CVodeInit(memory_, tendency, 0, y_), "CVodeInit");
    require(CVodeSetErrHandlerFn(
                memory_, [](int, const char*, const char*, char*, void*) {}, nullptr),
            "CVodeSetErrHandlerFn"); // the report of the call says it
    require(CVodeSStolerances(memory_, options.relative_tolerance, options.absolute_tolerance),
            "CVodeSStolerances");
    require(CVodeSetUserData(memory_, this), "CVodeSetUserData");
    require(CVodeSetLinearSolver(memory_, linear_, matrix_), "CVodeSetLinearSolver");
    require(CVodeSetLinSysFn(memory_, linear_system), "CVodeSetLinSysFn");
    require(CVodeSetMaxNumSteps(memory_, 5000), "CVodeSetMaxNumSteps");
  }
  ManyCells(const ManyCells&) = delete;
  ManyCells& operator=(const ManyCells&) = delete;
  ~ManyCells() {
    CVodeFree(&memory_);
    SUNLinSolFreeEmpty(linear_);
    SUNMatFreeEmpty(matrix_);
    N_VDestroy(y_);
    SUNContext_Free(&context_);
  }

  /// One call of 120 s from the state y; keeps the solutions with these numbers.
  CallReport run(const std::vector<double>& y, const std::vector<std::int64_t>& kept,
                 std::vector<Moment>& moments) {
    report_ = {};
    kept_ = &kept;
    moments_ = &moments;
    std::ranges::copy(y, N_VGetArrayPointer(y_));
    require(CVodeReInit(memory_, 0, y_), "CVodeReInit");
    require(CVodeSetStopTime(memory_, interval), "CVodeSetStopTime");
    realtype reached = 0;
    report_.failed = CVode(memory_, interval, y_, &reached, CV_NORMAL) < 0;
    long steps = 0;
    require(CVodeGetNumSteps(memory_, &steps), "CVodeGetNumSteps");
    report_.steps = steps;
    return report_;
  }

private:
  [[nodiscard]] CellValues<const double> in(const double* values, std::int64_t components) const {
    return {values, cells_, components, cells_};
  }
  [[nodiscard]] CellValues<double> out(double* values, std::int64_t components) const {
    return {values, cells_, components, cells_};
  }
  [[nodiscard]] CellValues<const double> k() const {
    return in(k_.data(), static_cast<std::int64_t>(k_.size()) / cells_);
  }

  static int tendency(realtype, N_Vector y, N_Vector f, void* self) {
    const auto& all = *static_cast<ManyCells*>(self);
    cb05_cvode::tendency(all.in(N_VGetArrayPointer(y), all.species_), all.k(),
                         all.out(N_VGetArrayPointer(f), all.species_));
    return std::isfinite(absolute_sum(f)) ? 0 : 1;
  }
  static int linear_system(realtype, N_Vector y, N_Vector, SUNMatrix, booleantype current, booleantype* made,
                           realtype gamma, void* self, N_Vector, N_Vector, N_Vector) {
    auto& all = *static_cast<ManyCells*>(self);
    *made = current == SUNFALSE ? SUNTRUE : SUNFALSE;
    if (current == SUNFALSE)
      std::copy_n(N_VGetArrayPointer(y), all.linearised_.size(), all.linearised_.data());
    all.gamma_ = gamma;
    return 0;
  }
  int factorise() {
    cb05_cvode::factorise(in(linearised_.data(), species_), k(), out(factor_.data(), entries), gamma_);
    return SUNLS_SUCCESS;
  }
  int solve(double* x, const double* b) {
    const auto number = static_cast<std::int64_t>(report_.gammas.size());
    report_.gammas.push_back(gamma_);
    cb05_cvode::solve(in(factor_.data(), entries), in(b, species_), out(x, species_));
    if (std::ranges::find(*kept_, number) != kept_->end())
      moments_->push_back({.number = number,
                           .gamma = gamma_,
                           .concentration = linearised_,
                           .right_side = {b, b + linearised_.size()},
                           .solution = {x, x + linearised_.size()}});
    return SUNLS_SUCCESS;
  }
  static double absolute_sum(N_Vector v) {
    double sum = 0;
    for (std::int64_t n = 0; n < NV_LENGTH_S(v); ++n)
      sum += std::abs(NV_Ith_S(v, n));
    return sum;
  }

  std::int64_t cells_;
  std::int64_t species_;
  std::vector<double> k_;
  std::vector<double> linearised_; // concentrations at which J is taken
  std::vector<double> factor_;
  double gamma_ = 0;
  CallReport report_;
  const std::vector<std::int64_t>* kept_ = nullptr;
  std::vector<Moment>* moments_ = nullptr;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver linear_ = nullptr;
  void* memory_ = nullptr;
};

} // namespace

Draw draw_systems(const DrawOptions& options, std::vector<CallReport>& reports) {
  const std::int64_t n = options.levels;
  const auto species = static_cast<std::int64_t>(cb05().species.size());
  const auto inputs = static_cast<std::int64_t>(cb05().inputs.size());
  const Column column = study_column(n);
  const std::vector<double> rates = usual_rates();
  Draw draw;
  draw.cells = n;
  std::vector<double> y;
  for (std::int64_t z = 0; z < n; ++z)
    draw.air.push_back(column.air_density(z));
  for (const double fraction : usual_mole_fractions())
    for (const double air : draw.air)
      y.push_back(fraction * air);
  const auto input = [&](std::int64_t call) {
    std::vector<double> values;
    for (std::size_t q = 0; q < rates.size(); ++q)
      for (std::int64_t z = 0; z < n; ++z) {
        const bool emission = cb05().inputs[q].starts_with("EMIS.");
        const double share = emits(interval * static_cast<double>(call)) ? column.emission[index(z)] : 0;
        values.push_back(rates[q] * (emission ? share : 1));
      }
    return values;
  };
  const auto constants = [&](const std::vector<double>& values) {
    std::vector<double> k(index(204 * n));
    using In = CellValues<const double>;
    cb05_cvode::rate_constants(In(column.temperature.data(), n, 1, n), In(column.pressure.data(), n, 1, n),
                               In(values.data(), n, inputs, n), CellValues<double>(k.data(), n, 204, n));
    return k;
  };
  draw.rate_constant = constants(input(0)); // those of emissions, which change, are not in J
  const auto integrate = integrator("rodas3");
  std::vector<double> step(index(n));
  std::vector<std::int32_t> outcome(index(n));
  std::vector<std::int64_t> steps(index(n));
  std::vector<double> values = input(0);
  for (std::int64_t call = 0; call < options.calls; ++call) {
    if (call > 0 &&
        emits(interval * static_cast<double>(call)) != emits(interval * static_cast<double>(call - 1)))
      values = input(call);
    if (std::ranges::find(options.kept, call) != options.kept.end()) {
      ManyCells cvode(options, species, constants(values));
      std::vector<Moment> moments;
      const auto total = static_cast<double>(cvode.run(y, {}, moments).gammas.size());
      std::vector<std::int64_t> numbers;
      for (const double part : options.parts)
        numbers.push_back(std::lround(part * (total - 1)));
      CallReport report = cvode.run(y, numbers, moments); // the same again: now it is known how many
      report.call = call;
      reports.push_back(report);
      for (Moment& moment : moments) {
        moment.call = call;
        draw.moments.push_back(std::move(moment));
      }
    }
    integrate({.concentration = {y.data(), n, species, n},
               .temperature = {column.temperature.data(), n, 1, n},
               .pressure = {column.pressure.data(), n, 1, n},
               .rate_input = {values.data(), n, inputs, n},
               .step = {step.data(), n, 1, n},
               .outcome = {outcome.data(), n, 1, n},
               .steps = {steps.data(), n, 1, n},
               .absolute_tolerance = 1e-16,
               .interval = interval,
               .relative_tolerance = 1e-4});
    if (const auto failed = std::ranges::find_if(outcome, [](std::int32_t o) { return o != 0; });
        failed != outcome.end())
      throw heddle::Error("cell " + std::to_string(failed - outcome.begin()),
                          "Rodas3 failed in call " + std::to_string(call) + ": " + std::to_string(*failed),
                          "take fewer calls");
  }
  return draw;
}
