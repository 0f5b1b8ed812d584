// SPDX-License-Identifier: Apache-2.0
// Levels on several ranks: what one rank gives, to the bit where columns are transposed, and to 1e-13 where
// they are partitioned; any ends of columns, any number of ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "../../support/noise.hpp"
#include "heddle/core/error.hpp"
#include "heddle/poisson/poisson.hpp"
#include "heddle/poisson/slab_poisson.hpp"
#include "heddle/transport/thread_group.hpp"

namespace {

using heddle::Boundary;
using heddle::Location;
using heddle::PoissonProblem;
using heddle::SlabMethod;
using test::noise;

constexpr Boundary P = Boundary::periodic, D = Boundary::dirichlet, N = Boundary::neumann;

/// Heights that grow by 6 % a level and the density of an atmosphere.
PoissonProblem problem_of(heddle::PoissonDirection x, heddle::PoissonDirection y, std::int64_t levels,
                          Boundary lower, Boundary upper, double shift = 0) {
  std::vector<double> heights;
  for (std::int64_t k = 0; k < levels; ++k)
    heights.push_back(0.5 * std::pow(1.06, static_cast<double>(k)));
  PoissonProblem problem{x, y, heddle::stretched_column(heights, lower, upper), shift};
  for (std::int64_t k = 0; k <= levels; ++k)
    problem.z.face_density.push_back(std::exp(-0.05 * static_cast<double>(k)));
  for (std::int64_t k = 0; k < levels; ++k)
    problem.z.density.push_back(std::exp(-0.05 * (static_cast<double>(k) + 0.5)));
  if (lower == P) problem.z.face_density.back() = problem.z.face_density.front(); // the same face
  return problem;
}

std::vector<PoissonProblem> problems() {
  std::vector<PoissonProblem> all{problem_of({8, 0.7}, {6, 0.9}, 11, N, N),
                                  problem_of({9, 0.7}, {5, 0.9}, 12, P, P),
                                  problem_of({8, 0.7, D, N}, {6, 0.9}, 9, P, P),
                                  problem_of({7, 0.7, N, N}, {6, 0.9, D, D}, 13, D, N),
                                  problem_of({6, 0.7}, {4, 0.9, N, D, Location::face}, 16, N, D, 0.3),
                                  problem_of({8, 0.7, N, N}, {4, 0.9, N, N}, 8, P, P, 1e-3)};
  all.push_back({{6, 1}, {5, 1}, heddle::uniform_column(10, 0.4, D, N, Location::face)});
  PoissonProblem with_values = problem_of({6, 0.7, D, N}, {5, 0.9, N, D}, 10, N, D);
  with_values.x.lower_value = 1.5;
  with_values.x.upper_value = -0.25;
  with_values.y.lower_value = 0.5;
  with_values.y.upper_value = 2;
  with_values.z.lower_value = -1;
  with_values.z.upper_value = 0.75;
  all.push_back(with_values);
  return all;
}

template <class Real> Real right_side(std::int64_t i, std::int64_t j, std::int64_t k) {
  return static_cast<Real>(noise(i + 101 * (j + 103 * k)));
}

/// The unknowns of the levels first <= k < last, solved by any of the solvers, x fastest, without padding.
template <class Real, class Solver>
std::vector<Real> solved(Solver& solver, const PoissonProblem& problem, std::int64_t first,
                         std::int64_t last) {
  std::vector<Real> field(static_cast<std::size_t>(solver.size()), std::numeric_limits<Real>::quiet_NaN());
  const auto for_unknowns = [&](auto&& f) {
    for (std::int64_t k = first; k < last; ++k)
      for (std::int64_t j = 0; j < problem.y.unknowns; ++j)
        for (std::int64_t i = 0; i < problem.x.unknowns; ++i)
          f(i, j, k,
            field[static_cast<std::size_t>((k - first) * solver.plane_pitch() + j * solver.row_pitch() + i)]);
  };
  for_unknowns([](auto i, auto j, auto k, Real& value) { value = right_side<Real>(i, j, k); });
  solver.solve(field.data());
  std::vector<Real> p;
  for_unknowns([&](auto, auto, auto, Real& value) { p.push_back(value); });
  return p;
}

template <class Real>
std::vector<Real> on_ranks(const PoissonProblem& problem, int ranks, SlabMethod method,
                           std::int64_t* sent = nullptr) {
  std::vector<std::vector<Real>> parts(static_cast<std::size_t>(ranks));
  heddle::ThreadGroup network(ranks);
  network.run([&](heddle::Transport& transport) {
    heddle::SlabPoisson<Real> solver(problem, transport, heddle::Memory::host, nullptr, method);
    auto& part = parts[static_cast<std::size_t>(transport.rank())];
    part = solved<Real>(solver, problem, solver.first_level(), solver.last_level());
    // The same again, from the same solver.
    EXPECT_EQ(solved<Real>(solver, problem, solver.first_level(), solver.last_level()), part);
    if (sent != nullptr && transport.rank() == 0) *sent = solver.sent_bytes();
  });
  std::vector<Real> all;
  for (const auto& part : parts)
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

template <class Real> double distance(const std::vector<Real>& a, const std::vector<Real>& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    difference += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
    size += std::pow(static_cast<double>(b[i]), 2);
  }
  return std::sqrt(difference / size);
}

template <class Real> class SlabPoissons : public testing::Test {};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(SlabPoissons, Precisions);

TYPED_TEST(SlabPoissons, GiveWhatOneRankGives) {
  using Real = TypeParam;
  const double bound = sizeof(Real) == 8 ? 1e-13 : 2e-5;
  int number = 0;
  for (const PoissonProblem& problem : problems()) {
    heddle::PoissonSolver<Real> solver(problem);
    const std::vector<Real> one = solved<Real>(solver, problem, 0, problem.z.unknowns());
    ++number;
    for (int ranks = 1; ranks <= 8; ++ranks) {
      SCOPED_TRACE("problem " + std::to_string(number) + " on " + std::to_string(ranks));
      EXPECT_EQ(on_ranks<Real>(problem, ranks, SlabMethod::transposed), one);
      EXPECT_LE(distance(on_ranks<Real>(problem, ranks, SlabMethod::partitioned), one), bound);
    }
  }
}

TEST(SlabPoisson, SendsFourRealsAColumnAndRank) {
  const PoissonProblem problem = problem_of({16, 1}, {12, 1}, 64, N, N);
  std::int64_t partitioned = 0, transposed = 0;
  (void)on_ranks<double>(problem, 4, SlabMethod::partitioned, &partitioned);
  (void)on_ranks<double>(problem, 4, SlabMethod::transposed, &transposed);
  EXPECT_LE(partitioned, 4 * 8 * 16 * 12);
  EXPECT_EQ(transposed, 2 * 16 * 8 * 16 * 12 * 3 / 4);
}

TEST(SlabPoisson, ChoosesByTheLevelsOfARank) {
  const auto chosen = [&](std::int64_t levels) {
    SlabMethod method{};
    heddle::ThreadGroup network(2);
    network.run([&](heddle::Transport& transport) {
      const heddle::SlabPoisson<float> solver(problem_of({4, 1}, {4, 1}, levels, N, N), transport);
      if (transport.rank() == 0) method = solver.method();
    });
    return method;
  };
  EXPECT_EQ(chosen(7), SlabMethod::transposed);
  EXPECT_EQ(chosen(8), SlabMethod::partitioned);
}

TEST(SlabPoisson, SaysWhatIsWrong) {
  heddle::ThreadGroup network(3);
  try {
    network.run([&](heddle::Transport& rank) {
      const heddle::SlabPoisson<float> solver(problem_of({4, 1}, {4, 1}, 2, N, N), rank);
    });
    FAIL();
  } catch (const heddle::Error& error) {
    EXPECT_STREQ(error.what(), "SlabPoisson: 2 levels are too few for 3 ranks. Hint: use fewer ranks");
  }
}

} // namespace
