// SPDX-License-Identifier: Apache-2.0
// Gray-Scott on Views of Kokkos. In each step Kokkos fills the ghost cells, an emitted kernel computes the
// new values, and Kokkos goes on with them. The same step as a lambda of Kokkos runs beside it, and gives the
// same bits.
#include <Kokkos_Core.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <utility>

#include "heddle/adapters/kokkos.hpp"
#include "kokkos_gray_scott.hpp"

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using Plane = Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace>; // (x, y), ghost cells included
using Cells = Kokkos::MDRangePolicy<Host, Kokkos::Rank<2>>;
constexpr double feed = 0.035, kill = 0.06;

struct State {
  explicit State(int n) : u("u", n + 2, n + 2), v("v", n + 2, n + 2) {}
  Plane u, v;
};

/// Ghost cells are copies of the cells at the opposite side.
void wrap(const Plane& c) {
  const int n = static_cast<int>(c.extent(0)) - 2;
  Kokkos::parallel_for(
      "wrap", Kokkos::RangePolicy<Host>(1, n + 1), KOKKOS_LAMBDA(int i) {
        c(0, i) = c(n, i);
        c(n + 1, i) = c(1, i);
        c(i, 0) = c(i, n);
        c(i, n + 1) = c(i, 1);
      });
}

void step_of_heddle(const State& now, const State& next) {
  using heddle::adapters::kokkos_view;
  Kokkos::fence(); // the kernel runs at once
  kokkos_gray_scott::step(kokkos_view(now.u, {.reach = 1, .ghosts = 1}),
                          kokkos_view(now.v, {.reach = 1, .ghosts = 1}), kokkos_view(next.u, {.ghosts = 1}),
                          kokkos_view(next.v, {.ghosts = 1}), feed, kill);
}

void step_of_kokkos(const State& now, const State& next) {
  const Plane u = now.u, v = now.v, u_next = next.u, v_next = next.v;
  const int n = static_cast<int>(u.extent(0)) - 2;
  Kokkos::parallel_for(
      "step", Cells({1, 1}, {n + 1, n + 1}), KOKKOS_LAMBDA(int x, int y) {
        const double spread_u = u(x, y - 1) + u(x - 1, y) + u(x + 1, y) + u(x, y + 1) - 4 * u(x, y);
        const double spread_v = v(x, y - 1) + v(x - 1, y) + v(x + 1, y) + v(x, y + 1) - 4 * v(x, y);
        const double eaten = u(x, y) * (v(x, y) * v(x, y));
        u_next(x, y) = 0.16 * spread_u + u(x, y) + feed * (1 - u(x, y)) - eaten;
        v_next(x, y) = 0.08 * spread_v + eaten + v(x, y) - v(x, y) * (feed + kill);
      });
}

/// Starts with a square of v, and returns the state after so many steps; ms: the time of one of them.
template <typename Step> State run(int n, int steps, const Step& step, double& ms) {
  State now(n), next(n);
  Kokkos::parallel_for(
      "start", Cells({0, 0}, {n + 2, n + 2}), KOKKOS_LAMBDA(int x, int y) {
        const bool spot = 2 * std::abs(x - n / 2) < 20 && 2 * std::abs(y - n / 2) < 20;
        now.u(x, y) = spot ? 0.5 : 1.0;
        now.v(x, y) = spot ? 0.25 : 0.0;
      });
  Kokkos::fence();
  const Kokkos::Timer timer;
  for (int i = 0; i < steps; ++i) {
    wrap(now.u);
    wrap(now.v);
    step(now, next);
    std::swap(now, next);
  }
  Kokkos::fence();
  ms = 1e3 * timer.seconds() / steps;
  return now;
}

/// How many cells v has reached, and in how many the states differ.
std::pair<long, long> compare(const State& one, const State& other, int n) {
  long reached = 0, different = 0;
  Kokkos::parallel_reduce(
      "compare", Cells({1, 1}, {n + 1, n + 1}),
      KOKKOS_LAMBDA(int x, int y, long& cells, long& unlike) {
        cells += one.v(x, y) > 0.1;
        unlike += one.u(x, y) != other.u(x, y) || one.v(x, y) != other.v(x, y);
      },
      reached, different);
  return {reached, different};
}

} // namespace

int main(int argc, char** argv) try {
  const Kokkos::ScopeGuard guard(argc, argv);
  const int n = argc > 1 ? std::atoi(argv[1]) : 256;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 5000;
  if (n < 24 || steps < 1) {
    std::fprintf(stderr, "usage: %s [cells along an edge, at least 24] [steps]\n", argv[0]);
    return 2;
  }
  double ours = 0, theirs = 0;
  const State heddle = run(n, steps, step_of_heddle, ours);
  const State kokkos = run(n, steps, step_of_kokkos, theirs);
  const auto [reached, different] = compare(heddle, kokkos, n);
  std::printf("v is in %ld of %ld cells after %d steps\n", reached, static_cast<long>(n) * n, steps);
  std::printf("a step with Heddle's kernel %.3f ms, with a lambda of Kokkos %.3f ms\n", ours, theirs);
  std::printf("cells that differ: %ld\n", different);
  return different == 0 && reached > 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "kokkos_gray_scott: %s\n", error.what());
  return 1;
}
