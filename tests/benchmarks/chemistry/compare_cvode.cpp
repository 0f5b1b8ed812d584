// SPDX-License-Identifier: Apache-2.0
// heddle-compare-cvode [cells [hours]]: the realistic column of the Block-cells study (photolysis fixed,
// emissions in the first 12 hours), 2-minute calls. Each cell by Rodas3, and by what else
// AIR_QUALITY_INTEGRATORS names, from a cold start in each call and with remembered steps, and by CVODE (BDF,
// Newton) that starts anew in each call, with KLU and tables of reactions, and with emitted f, factorisation
// and solution; one thread, CPU time. Errors are rms of |dy|/(|y| + 1e-15 mol m-3) over all species, cells
// and calls, against CVODE with rtol 1e-10. Attempts: steps that were accepted, and those that failed, of all
// integrators alike.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include "cb05_rates.hpp"
#include "cb05_tables.hpp"
#include "column.hpp"
#include "mechanism.hpp"

namespace {

using namespace air_quality;
using heddle::CellValues;

constexpr double interval = 120;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Concentrations after each call, cells fastest; and what it took.
struct Run {
  std::vector<double> states;
  double seconds = 0;
  double attempts = 0; // steps of all cells and calls, those that failed too
};

class Protocol {
public:
  Protocol(std::int64_t cells, int calls)
      : cells_(cells), calls_(calls), column_(study_column(cells)), rates_(usual_rates()) {}

  [[nodiscard]] std::size_t species() const { return cb05().species.size(); }
  [[nodiscard]] std::int64_t cells() const { return cells_; }
  [[nodiscard]] int calls() const { return calls_; }
  [[nodiscard]] const Column& column() const { return column_; }

  [[nodiscard]] std::vector<double> start() const {
    std::vector<double> y;
    for (const double fraction : usual_mole_fractions())
      for (std::int64_t z = 0; z < cells_; ++z)
        y.push_back(fraction * column_.air_density(z));
    return y;
  }
  [[nodiscard]] std::vector<double> inputs(int call) const {
    std::vector<double> values;
    for (std::size_t q = 0; q < rates_.size(); ++q)
      for (std::int64_t z = 0; z < cells_; ++z) {
        const bool emission = cb05().inputs[q].starts_with("EMIS.");
        const double share = emits(interval * call) ? column_.emission[static_cast<std::size_t>(z)] : 0;
        values.push_back(rates_[q] * (emission ? share : 1));
      }
    return values;
  }

private:
  std::int64_t cells_;
  int calls_;
  Column column_;
  std::vector<double> rates_;
};

/// By an integrator of air_quality. cold: each call begins with no step remembered.
Run emitted(const Protocol& protocol, const std::string& name, double rtol, double atol, bool cold) {
  const std::int64_t n = protocol.cells();
  const auto species = static_cast<std::int64_t>(protocol.species());
  const auto integrate = integrator(name);
  std::vector<double> y = protocol.start();
  std::vector<double> step(static_cast<std::size_t>(n));
  std::vector<std::int32_t> outcome(step.size());
  std::vector<std::int64_t> steps(step.size());
  const Column& column = protocol.column();
  Run run;
  for (int call = 0; call < protocol.calls(); ++call) {
    const std::vector<double> inputs = protocol.inputs(call);
    if (cold) std::fill(step.begin(), step.end(), 0.0);
    const double begin = cpu_seconds();
    integrate({.concentration = {y.data(), n, species, n},
               .temperature = {column.temperature.data(), n, 1, n},
               .pressure = {column.pressure.data(), n, 1, n},
               .rate_input = {inputs.data(), n, static_cast<std::int64_t>(cb05().inputs.size()), n},
               .step = {step.data(), n, 1, n},
               .outcome = {outcome.data(), n, 1, n},
               .steps = {steps.data(), n, 1, n},
               .absolute_tolerance = atol,
               .interval = interval,
               .relative_tolerance = rtol});
    run.seconds += cpu_seconds() - begin;
    for (std::size_t z = 0; z < step.size(); ++z) {
      if (outcome[z] != 0)
        std::printf("%s: cell %zu failed in call %d: %d\n", name.c_str(), z, call, outcome[z]);
      run.attempts += static_cast<double>(steps[z]);
    }
    run.states.insert(run.states.end(), y.begin(), y.end());
  }
  return run;
}

struct Chemistry {
  const MassAction* equations;
  std::vector<double> k;
};

int tendency(realtype, N_Vector y, N_Vector f, void* data) {
  const auto* const c = static_cast<Chemistry*>(data);
  c->equations->tendency(c->k.data(), N_VGetArrayPointer(y), N_VGetArrayPointer(f));
  return 0;
}

int jacobian(realtype, N_Vector y, N_Vector, SUNMatrix matrix, void* data, N_Vector, N_Vector, N_Vector) {
  const auto* const c = static_cast<Chemistry*>(data);
  std::copy(c->equations->columns().begin(), c->equations->columns().end(),
            SUNSparseMatrix_IndexPointers(matrix));
  std::copy(c->equations->rows().begin(), c->equations->rows().end(), SUNSparseMatrix_IndexValues(matrix));
  c->equations->jacobian(c->k.data(), N_VGetArrayPointer(y), SUNSparseMatrix_Data(matrix));
  return 0;
}

void require(int flag, const char* what) {
  if (flag >= 0) return;
  std::printf("CVODE: %s: %d\n", what, flag);
  std::exit(1);
}

/// Since CVodeReInit: steps that were accepted, failed tests of the error, and nonlinear iterations that did
/// not converge. heddle::cvode_integrator counts these.
double attempts_of(void* memory) {
  long accepted = 0, failed_tests = 0, failed_iterations = 0;
  require(CVodeGetNumSteps(memory, &accepted), "CVodeGetNumSteps");
  require(CVodeGetNumErrTestFails(memory, &failed_tests), "CVodeGetNumErrTestFails");
  require(CVodeGetNumNonlinSolvConvFails(memory, &failed_iterations), "CVodeGetNumNonlinSolvConvFails");
  return static_cast<double>(accepted + failed_tests + failed_iterations);
}

Run cvode(const Protocol& protocol, double rtol, double atol) {
  const std::int64_t n = protocol.cells();
  const auto species = static_cast<std::int64_t>(protocol.species());
  const MassAction equations(cb05_reactions, static_cast<int>(species));
  Chemistry chemistry{&equations, std::vector<double>(cb05_reactions.size())};
  SUNContext context = nullptr;
  require(SUNContext_Create(nullptr, &context), "SUNContext_Create");
  N_Vector y = N_VNew_Serial(species, context);
  SUNMatrix matrix =
      SUNSparseMatrix(species, species, static_cast<std::int64_t>(equations.rows().size()), CSC_MAT, context);
  SUNLinearSolver solver = SUNLinSol_KLU(y, matrix, context);
  void* memory = CVodeCreate(CV_BDF, context);
  require(CVodeInit(memory, tendency, 0, y), "CVodeInit");
  require(CVodeSStolerances(memory, rtol, atol), "CVodeSStolerances");
  require(CVodeSetUserData(memory, &chemistry), "CVodeSetUserData");
  require(CVodeSetLinearSolver(memory, solver, matrix), "CVodeSetLinearSolver");
  require(CVodeSetJacFn(memory, jacobian), "CVodeSetJacFn");
  require(CVodeSetMaxNumSteps(memory, 1'000'000), "CVodeSetMaxNumSteps");

  std::vector<std::vector<double>> inputs;
  for (int call = 0; call < protocol.calls(); ++call)
    inputs.push_back(protocol.inputs(call));
  const std::vector<double> start = protocol.start();
  const auto reactions = static_cast<std::int64_t>(chemistry.k.size());
  const auto input_count = static_cast<std::int64_t>(cb05().inputs.size());
  Run run;
  run.states.resize(start.size() * inputs.size());
  const Column& column = protocol.column();
  for (std::int64_t z = 0; z < n; ++z) {
    double* const state = N_VGetArrayPointer(y);
    for (std::int64_t s = 0; s < species; ++s)
      state[s] = start[static_cast<std::size_t>(s * n + z)];
    const auto cell = static_cast<std::size_t>(z);
    for (std::size_t call = 0; call < inputs.size(); ++call) {
      const double begin = cpu_seconds();
      cb05_rates::rate_constants(CellValues<const double>(&column.temperature[cell], 1, 1, 1),
                                 CellValues<const double>(&column.pressure[cell], 1, 1, 1),
                                 CellValues<const double>(&inputs[call][cell], 1, input_count, n),
                                 CellValues<double>(chemistry.k.data(), 1, reactions, 1));
      require(CVodeReInit(memory, 0, y), "CVodeReInit");
      require(CVodeSetStopTime(memory, interval), "CVodeSetStopTime");
      realtype reached = 0;
      require(CVode(memory, interval, y, &reached, CV_NORMAL), "CVode");
      run.seconds += cpu_seconds() - begin;
      run.attempts += attempts_of(memory);
      for (std::int64_t s = 0; s < species; ++s)
        run.states[call * start.size() + static_cast<std::size_t>(s * n + z)] = state[s];
    }
  }
  CVodeFree(&memory);
  SUNLinSolFree(solver);
  SUNMatDestroy(matrix);
  N_VDestroy(y);
  SUNContext_Free(&context);
  return run;
}

double rms(const Run& run, const Run& exact) {
  double squares = 0;
  for (std::size_t n = 0; n < exact.states.size(); ++n) {
    const double error = std::abs(run.states[n] - exact.states[n]) / (std::abs(exact.states[n]) + 1e-15);
    squares += error * error;
  }
  return std::sqrt(squares / static_cast<double>(exact.states.size()));
}

} // namespace

int main(int count, char** arguments) {
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 12);
  const std::int64_t cells = count > 1 ? std::atoll(arguments[1]) : 32;
  const double hours = count > 2 ? std::atof(arguments[2]) : 24;
  const Protocol protocol(cells, static_cast<int>(hours * 3600 / interval));
  const double all = static_cast<double>(cells) * protocol.calls();
  const Run exact = cvode(protocol, 1e-10, 1e-22);
  std::printf("%lld cells, %d calls of %g s; reference: CVODE, rtol 1e-10, %.1f us per cell and call\n"
              "attempts: steps per cell and call, accepted or failed, of all integrators\n",
              static_cast<long long>(cells), protocol.calls(), interval, exact.seconds / all * 1e6);
  const auto print = [&](const std::string& name, double rtol, double atol, const Run& run) {
    std::printf("%-12s rtol %-7.1g atol %-7.1g rms %.2e  %8.2f us  %6.2f attempts\n", name.c_str(), rtol,
                atol, rms(run, exact), run.seconds / all * 1e6, run.attempts / all);
  };
  for (const double rtol : {1e-3, 1e-4, 3e-5, 1e-5, 1e-6, 1e-8}) {
    const double atol = rtol > 1e-7 ? 1e-16 : 1e-20;
    for (const std::string& name : integrators()) {
      if (name == "cvode") continue;
      print(name + " cold", rtol, atol, emitted(protocol, name, rtol, atol, true));
      print(name + " warm", rtol, atol, emitted(protocol, name, rtol, atol, false));
      if (rtol > 5e-5) print(name + " warm", rtol, 1e-15, emitted(protocol, name, rtol, 1e-15, false));
    }
  }
  for (const auto& [rtol, atol] :
       {std::pair{1e-4, 1e-16}, {1e-5, 1e-16}, {1e-6, 1e-16}, {1e-6, 1e-18}, {1e-7, 1e-18}}) {
    print("CVODE, KLU", rtol, atol, cvode(protocol, rtol, atol));
#if defined(AIR_QUALITY_CVODE)
    print("CVODE, ours", rtol, atol, emitted(protocol, "cvode", rtol, atol, true));
#endif
  }
  return 0;
}
