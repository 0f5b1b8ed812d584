// SPDX-License-Identifier: Apache-2.0
// heddle-solvers host|device n_x n_y n_z [omega...]: iterations and time of each solver for a wind around a
// cube, until no velocity is further than 0.01 m/s from that of the converged solution, and how often the
// host waited for the device while they iterated; as a table in Markdown.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "../../kernels/multigrid/cube.hpp"
#include "heddle/solvers/conjugate_gradient.hpp"
#include "heddle/solvers/relaxation.hpp"
#include "heddle/solvers/solve.hpp"
#include "solver_bench_sweeps.hpp"

namespace {

using heddle::Memory;
using heddle::Stream;
using heddle::TaskGraph;
using Real = float;
using Cube = test::Cube<Real>;
template <typename T> using Gradients = heddle::ConjugateGradient<solver_bench::Solver, T, std::uint8_t, 3>;

constexpr double allowed = 0.01; // m/s

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A case, its solution in double rounded to float, and how far a field is from it.
class Comparison {
public:
  Comparison(const test::Cell& cells, Memory memory)
      : cube(cells, true, memory), exact_(cube.grid, options(memory)), error_(1, memory) {
    test::Cube<double> precise(cells, true, memory);
    Gradients<double> gradients({&precise.open, precise.weights()}, precise.lambda, precise.right);
    std::printf("exact: %s\n\n", to_string(gradients.solve({.residual = 1e-6})).c_str());
    test::Cube<double> copy = precise.on_host();
    heddle::Field<Real> rounded(cube.grid, options(Memory::host));
    rounded.fill([&](auto x, auto y, auto z, int c) { return copy.lambda.view()(x, y, z, c); });
    exact_.copy_from(rounded);
  }

  /// Largest error of a velocity, m/s.
  double error() {
    const std::array<double, 3> s{0.5 / cube.h[0], 0.5 / cube.h[1], 0.5 / cube.h[2]};
    const solver_bench::VelocityError<Real> measure(cube.open, exact_, cube.lambda, error_,
                                                    {s[0], s[1], s[2]});
    Stream stream(cube.lambda.memory());
    measure(stream);
    stream.synchronise();
    return static_cast<double>(error_.to_host().front());
  }

  void restart() { cube.lambda.fill(Real(0)); }

  /// The fewest `step` iterations after which the error is allowed; `run(n)` does n of them from where it is.
  std::int64_t needed(std::int64_t step, std::int64_t most, const std::function<void(std::int64_t)>& run) {
    restart();
    for (std::int64_t done = step; done <= most; done += step) {
      run(step);
      if (error() <= allowed) return done;
    }
    return -1;
  }

  Cube cube;

private:
  static heddle::FieldOptions options(Memory memory) {
    return {.components = 2, .memory = memory, .name = "exact"};
  }

  heddle::Field<Real> exact_;
  heddle::Buffer<Real> error_;
};

void row(const char* method, std::int64_t iterations, double seconds, double error, std::int64_t waits) {
  std::printf("| %s | %lld | %.2f | %.3f | %.2g | %lld |\n", method, static_cast<long long>(iterations),
              1e3 * seconds, 1e3 * seconds / static_cast<double>(iterations), error,
              static_cast<long long>(waits));
  std::fflush(stdout);
}

/// How often the host waits for the device in `run`.
std::int64_t waits_of(const std::function<void()>& run) {
  const std::int64_t before = heddle::host_waits();
  run();
  return heddle::host_waits() - before;
}

/// How often it waits while `run(iterations)` iterates: what that waits more than the fewest iterations do.
std::int64_t waits_within(const std::function<void(std::int64_t)>& run, std::int64_t fewest,
                          std::int64_t iterations) {
  return waits_of([&] { run(iterations); }) - waits_of([&] { run(fewest); });
}

/// Iterations of SOR as a solve does them: in cycles of ten, the last of which measures; on the device one
/// graph. last: smoothing sweeps after them, which count as iterations.
void sor(Comparison& test, const char* name, double omega, std::int64_t iterations, std::int64_t most,
         int last = 0) {
  Cube& cube = test.cube;
  const std::array<double, 3> c = cube.weights();
  solver_bench::Sweep<Real> sweep(cube.open, cube.lambda, cube.right, {c[0], c[1], c[2], omega});
  heddle::Buffer<Real> change(1, cube.lambda.memory());
  solver_bench::Check<Real> check(cube.open, cube.lambda, cube.right, change, {c[0], c[1], c[2], omega});
  TaskGraph cycle({.memory = cube.lambda.memory()});
  for (int i = 0; i < 9; ++i)
    cycle.add(sweep);
  cycle.add(check);
  solver_bench::Sweep<Real> smooth(cube.open, cube.lambda, cube.right,
                                   {c[0], c[1], c[2], heddle::smoothing_omega});
  Stream stream(cube.lambda.memory());
  heddle::Field<Real> kept(cube.grid, {.components = 2, .memory = cube.lambda.memory(), .name = "kept"});
  const auto relax = [&](std::int64_t n) {
    solve(cycle, change, {.tolerance = 0, .most_cycles = n / 10, .patience = n});
  };
  const auto finish = [&] {
    for (int i = 0; i < last; ++i)
      smooth(stream);
    stream.synchronise();
  };
  const auto further =
      [&](std::int64_t n) { // from where the iterations before were, without their smoothing sweeps
        cube.lambda.copy_from(kept);
        relax(n);
        kept.copy_from(cube.lambda);
        finish();
      };
  if (iterations == 0) {
    kept.fill(Real(0));
    iterations = test.needed(10, most, further);
  }
  if (iterations < 0) {
    std::printf("| %s | > %lld | | | | |\n", name, static_cast<long long>(most));
    return;
  }
  test.restart();
  const auto run = [&](std::int64_t n) {
    relax(n);
    finish();
  };
  const double seconds = seconds_of([&] { run(iterations); });
  const double error = test.error();
  row(name, iterations + last, seconds, error, waits_within(run, 10, iterations));
}

/// A half sweep with each omega of the schedule; put into a stream by the host, which waits at the end.
void chebyshev(Comparison& test, double radius, std::int64_t most) {
  Cube& cube = test.cube;
  const std::array<double, 3> c = cube.weights();
  solver_bench::Sweep<Real> sweep(cube.open, cube.lambda, cube.right, {c[0], c[1], c[2], 1});
  heddle::ChebyshevOmega omega(radius);
  const auto run = [&](std::int64_t n) {
    Stream stream(cube.lambda.memory());
    for (std::int64_t i = 0; i < 2 * n; ++i) {
      sweep.parameters.omega = omega.next();
      sweep.colours = {i % 2, i % 2 + 1};
      sweep(stream);
    }
    stream.synchronise();
  };
  const std::int64_t iterations = test.needed(10, most, run);
  if (iterations < 0) return;
  test.restart();
  omega = heddle::ChebyshevOmega(radius);
  const double seconds = seconds_of([&] { run(iterations); });
  const double error = test.error();
  row("SOR, Chebyshev schedule", iterations, seconds, error, waits_within(run, 10, iterations));
}

/// V-cycles alone: lambda += correction.
void multigrid(Comparison& test) {
  Cube& cube = test.cube;
  const Memory memory = cube.lambda.memory();
  heddle::Multigrid<solver_bench::Solver, Real, std::uint8_t, 3> cycle({&cube.open, cube.weights()});
  const heddle::Cells3& cells = cycle.cells();
  const std::vector<Real> ones(static_cast<std::size_t>(cells[0] + cells[1] + cells[2]), Real(1));
  const heddle::Buffer<Real> one(std::span<const Real>(ones), memory);
  heddle::Buffer<Real> largest(1, memory);
  heddle::Buffer<Real> work(heddle::reduction_work(cube.right, {0, 1, 2}, 2), memory);
  const auto run = [&](std::int64_t n) {
    Stream stream(memory);
    for (std::int64_t i = 0; i < n; ++i) {
      cycle.matrix().apply([&](const auto&... a) { solver_bench::Solver::remainder(stream, a..., 1.0); },
                           std::tuple(cube.lambda.view(), cube.right.view(), cycle.rest().view()),
                           std::tuple(0, 2, largest.data(), work.data()));
      cycle(stream);
      const auto number = heddle::everywhere(one.data(), cells);
      solver_bench::Solver::advance(stream, number, number, cycle.correction().view(), cube.lambda.view(), 0,
                                    2, largest.data(), work.data(), 1.0);
    }
    stream.synchronise();
  };
  const std::int64_t iterations = test.needed(1, 60, run);
  if (iterations < 0) {
    std::printf("| multigrid | > 60 | | | | |\n");
    return;
  }
  test.restart();
  const double seconds = seconds_of([&] { run(iterations); });
  const double error = test.error();
  row("multigrid", iterations, seconds, error, waits_within(run, 1, iterations));
}

void gradients(Comparison& test) {
  Cube& cube = test.cube;
  Gradients<Real> solver({&cube.open, cube.weights()}, cube.lambda, cube.right);
  const auto run = [&](std::int64_t n) {
    solver.solve({.residual = 1e-12, .most_iterations = n, .patience = 40});
  };
  for (std::int64_t iterations = 2; iterations <= 40; ++iterations) {
    test.restart();
    double seconds = seconds_of([&] { run(iterations); });
    const double error = test.error();
    if (error > allowed) continue;
    for (int again = 0; again < 2; ++again) {
      test.restart();
      seconds = std::min(seconds, seconds_of([&] { run(iterations); }));
    }
    row("conjugate gradients with multigrid", iterations, seconds, error, waits_within(run, 1, iterations));
    return;
  }
}

} // namespace

int main(int count, char** arguments) {
  if (count < 5) {
    std::fputs("heddle-solvers host|device n_x n_y n_z [omega...]\n", stderr);
    return 2;
  }
  const Memory memory = std::string(arguments[1]) == "device" ? Memory::device : Memory::host;
  const test::Cell n{std::atoll(arguments[2]), std::atoll(arguments[3]), std::atoll(arguments[4])};
  try {
    Comparison test(n, memory);
    const double radius = heddle::jacobi_radius(
        {{{n[0] - 2, test.cube.h[0], 2}, {n[1] - 2, test.cube.h[1], 2}, {n[2] - 1, test.cube.h[2], 1}}});
    std::printf("%lld x %lld x %lld cells, f32\n\n| method | iterations | ms | ms an iteration | error, m/s "
                "| waits of the host within |\n"
                "|---|---|---|---|---|---|\n",
                static_cast<long long>(n[0]), static_cast<long long>(n[1]), static_cast<long long>(n[2]));
    for (int i = 5; i < count; ++i) {
      sor(test, (std::string("SOR, omega ") + arguments[i]).c_str(), std::atof(arguments[i]), 0, 3000);
    }
    sor(test, "SOR, omega 1.78, 500 iterations", 1.78, 500, 500);
    sor(test, "SOR, optimal omega", heddle::optimal_omega(radius) - 0.005, 0, 3000);
    sor(test, "SOR, six smoothing sweeps at the end", heddle::omega_before_smoothing(radius), 0, 1000,
        heddle::smoothing_sweeps);
    chebyshev(test, radius, 3000);
    multigrid(test);
    gradients(test);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
