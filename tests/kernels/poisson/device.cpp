// SPDX-License-Identifier: Apache-2.0
// The solver on the device against the solver on the host.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "../../support/noise.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/poisson/poisson.hpp"

namespace {

using heddle::Boundary;
using heddle::Location;
using heddle::Memory;
using heddle::PoissonProblem;
using heddle::TransformBackEnd;
using test::noise;
constexpr Boundary P = Boundary::periodic, D = Boundary::dirichlet, N = Boundary::neumann;

/// p, cell by cell, in double. rounds: solves of the same field, all but the last one thrown away.
template <class Real>
std::vector<double> solved(const PoissonProblem& problem, Memory memory, TransformBackEnd back_end,
                           int rounds = 1) {
  heddle::PoissonSolver<Real> solver(problem, memory, back_end);
  const std::int64_t nx = problem.x.unknowns, ny = problem.y.unknowns, nz = problem.z.unknowns();
  std::vector<Real> values(static_cast<std::size_t>(solver.size()), Real(0));
  const auto place = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    return static_cast<std::size_t>(k * solver.plane_pitch() + j * solver.row_pitch() + i);
  };
  double mean = 0; // of what every solver gets: zero, so that singular problems have a solution
  for (std::int64_t i = 0; i < nx * ny * nz; ++i)
    mean += noise(static_cast<std::size_t>(i)) / static_cast<double>(nx * ny * nz);
  const auto for_cells = [&](auto&& f) {
    for (std::int64_t k = 0; k < nz; ++k)
      for (std::int64_t j = 0; j < ny; ++j)
        for (std::int64_t i = 0; i < nx; ++i)
          f(static_cast<std::size_t>((k * ny + j) * nx + i), place(i, j, k));
  };
  for_cells([&](std::size_t cell, std::size_t at) {
    values[at] = static_cast<Real>(static_cast<float>(noise(cell) - mean));
  });
  heddle::Buffer<Real> field(solver.size(), memory);
  for (int round = 0; round < rounds; ++round) {
    heddle::copy_bytes(field.data(), memory, values.data(), Memory::host, field.bytes());
    solver.solve(field.data());
  }
  const std::vector<Real> found = field.to_host();
  std::vector<double> p(static_cast<std::size_t>(nx * ny * nz));
  for_cells([&](std::size_t cell, std::size_t at) { p[cell] = static_cast<double>(found[at]); });
  return p;
}

/// Root mean square of the difference, after its mean is taken off, over that of b.
double distance(const std::vector<double>& a, const std::vector<double>& b, bool free_constant) {
  double mean_a = 0, mean_b = 0, difference = 0, size = 0;
  for (std::size_t i = 0; free_constant && i < a.size(); ++i) {
    mean_a += a[i] / static_cast<double>(a.size());
    mean_b += b[i] / static_cast<double>(a.size());
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += std::pow(a[i] - mean_a - b[i] + mean_b, 2);
    size += std::pow(b[i] - mean_b, 2);
  }
  return std::sqrt(difference / size);
}

PoissonProblem problem_of(heddle::PoissonDirection x, heddle::PoissonDirection y, std::int64_t levels,
                          Boundary lower, Boundary upper) {
  PoissonProblem problem{x, y, heddle::uniform_column(levels, 0.7, lower, upper)};
  for (std::int64_t k = 0; k < levels; ++k)
    problem.z.density.push_back(1 + 0.2 * noise(static_cast<std::size_t>(k)));
  return problem;
}

TEST(PoissonOnDevice, AsOnTheHost) {
  const PoissonProblem problems[] = {
      problem_of({64, 1}, {128, 0.8}, 128, N, N), problem_of({512, 1}, {64, 0.8}, 40, N, D),
      problem_of({60, 1}, {45, 0.8}, 128, P, P), problem_of({30, 1, N, N}, {64, 0.8}, 33, N, N),
      problem_of({48, 1, D, N}, {27, 0.8, D, D}, 20, D, N)};
  for (const PoissonProblem& problem : problems) {
    const bool singular = heddle::is_singular(problem);
    const auto expected = solved<double>(problem, Memory::host, TransformBackEnd::generated);
    const auto f64 = solved<double>(problem, Memory::device, TransformBackEnd::cufft, 3);
    EXPECT_LE(distance(f64, expected, singular), 1e-13) << problem.x.unknowns;
    const auto f32 = solved<float>(problem, Memory::device, TransformBackEnd::cufft);
    EXPECT_LE(distance(f32, expected, singular), 1e-5) << problem.x.unknowns;
  }
}

TEST(PoissonOnDevice, OwnTransformAsOnTheHost) {
  for (const PoissonProblem& problem :
       {problem_of({64, 1}, {128, 0.8}, 128, N, N), problem_of({1024, 1}, {64, 0.8}, 64, P, P),
        problem_of({256, 1}, {512, 0.8}, 16, D, N), problem_of({64, 1}, {1024, 1}, 300, N, N),
        problem_of({600, 1}, {64, 0.8}, 20, N, N), problem_of({64, 1}, {600, 0.8}, 20, N, D)}) {
    const bool singular = heddle::is_singular(problem);
    const auto expected = solved<double>(problem, Memory::host, TransformBackEnd::generated);
    const auto f64 = solved<double>(problem, Memory::device, TransformBackEnd::generated, 3);
    EXPECT_LE(distance(f64, expected, singular), 1e-13) << problem.x.unknowns;
    const auto f32 = solved<float>(problem, Memory::device, TransformBackEnd::generated);
    EXPECT_LE(distance(f32, expected, singular), 1e-5) << problem.x.unknowns;
  }
}

/// Bytes a cell of field and solver, after a solve: cuFFT's work area is taken when it is first needed.
template <class Real> double bytes_of_a_cell(std::int64_t n, TransformBackEnd back_end) {
  heddle::PoissonSolver<Real> solver(problem_of({n, 1}, {n, 1}, 128, N, N), Memory::device, back_end);
  heddle::Buffer<Real> field(solver.size(), Memory::device);
  solver.solve(field.data());
  const double bytes = static_cast<double>(field.bytes()) + static_cast<double>(solver.workspace_bytes());
  return bytes / static_cast<double>(n * n * 128);
}

TEST(PoissonOnDevice, TakesAtMostTwiceTheField) {
  for (const TransformBackEnd back_end : {TransformBackEnd::automatic, TransformBackEnd::cufft})
    for (const std::int64_t n : {512, 600, 1024}) {
      const double f32 = bytes_of_a_cell<float>(n, back_end), f64 = bytes_of_a_cell<double>(n, back_end);
      std::printf("%s %d: %.3f B a cell in f32, %.3f in f64\n", to_string(back_end), static_cast<int>(n), f32,
                  f64);
      EXPECT_LE(f32, 8.2) << n << " " << to_string(back_end);
      EXPECT_LE(f64, 16.4) << n << " " << to_string(back_end);
      EXPECT_GE(f32, 4) << n;
    }
}

/// One plan, two streams, work in both under way at a time.
TEST(PoissonOnDevice, StreamsShareAPlan) {
  using heddle::TransformKind;
  for (const auto& [kind_x, kind_y] : {std::pair{TransformKind::dct2, TransformKind::dst4},
                                       std::pair{TransformKind::dft, TransformKind::dft}}) {
    const auto plan = heddle::make_plane_transform<double>({kind_x, 300, kind_y, 210}, Memory::device,
                                                           TransformBackEnd::cufft);
    const std::int64_t pitch = plan->row_pitch() * plan->rows(), planes = 64;
    std::vector<double> start;
    for (std::int64_t i = 0; i < pitch * planes; ++i)
      start.push_back(noise(static_cast<std::size_t>(i)));
    const auto transformed = [&](int streams) {
      std::vector<heddle::Buffer<double>> fields;
      std::vector<heddle::Stream> of;
      for (int s = 0; s < streams; ++s) {
        fields.emplace_back(std::span<const double>(start), Memory::device);
        of.emplace_back(Memory::device);
      }
      for (int round = 0; round < 4; ++round)
        for (std::size_t s = 0; s < of.size(); ++s)
          plan->forward(fields[s].data(), planes, pitch, of[s]);
      std::vector<std::vector<double>> found;
      for (std::size_t s = 0; s < of.size(); ++s) {
        of[s].synchronise();
        found.push_back(fields[s].to_host());
      }
      return found;
    };
    const auto expected = transformed(1).front();
    for (const auto& found : transformed(3))
      EXPECT_EQ(std::memcmp(found.data(), expected.data(), expected.size() * sizeof(double)), 0);
  }
}

} // namespace
