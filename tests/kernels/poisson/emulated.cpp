// SPDX-License-Identifier: Apache-2.0
// The solver's CUDA kernels, run on the CPU: transforms against their definition, columns against the
// generated ones.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <map>
#include <numbers>
#include <vector>

#include "../../support/noise.hpp"
#include "columns.hpp"
#include "device_launch.hpp"
#include "heddle/poisson/poisson.hpp"
#include "heddle/poisson/reference_transform.hpp"
#include "kernel_input.hpp"

namespace {

using heddle::Boundary;
using heddle::Location;
using test::noise;
using test::noisy;
using test::waves;
constexpr Boundary P = Boundary::periodic, D = Boundary::dirichlet, N = Boundary::neumann;

using Wave = std::complex<long double>;

/// exp(-2 pi i k / n).
const std::vector<Wave>& roots(std::size_t n) {
  static std::map<std::size_t, std::vector<Wave>> known;
  std::vector<Wave>& values = known[n];
  for (std::size_t k = values.size(); k < n; ++k)
    values.push_back(std::polar(1.0L, -2 * std::numbers::pi_v<long double> * static_cast<long double>(k) /
                                          static_cast<long double>(n)));
  return values;
}

/// The transform of points, from those of every second, third or fifth one.
std::vector<Wave> by_parts(const std::vector<Wave>& points) {
  const std::size_t n = points.size();
  if (n == 1) return points;
  const std::size_t p = n % 2 == 0 ? 2 : n % 3 == 0 ? 3 : 5;
  const std::vector<Wave>& root = roots(n);
  std::vector<Wave> result(n);
  for (std::size_t m = 0; m < p; ++m) {
    std::vector<Wave> part;
    for (std::size_t k = m; k < n; k += p)
      part.push_back(points[k]);
    part = by_parts(part);
    for (std::size_t k = 0; k < n; ++k)
      result[k] += part[k % part.size()] * root[m * k % n];
  }
  return result;
}

template <class T> class Emulated : public testing::Test {};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(Emulated, Precisions);

TYPED_TEST(Emulated, TransformsAsTheirDefinition) {
  using Real = TypeParam;
  struct Size {
    std::int64_t nx, ny;
  };
  for (const Size& size :
       {Size{64, 64}, Size{64, 128}, Size{128, 64}, Size{256, 64}, Size{512, 64}, Size{64, 256},
        Size{64, 512}, Size{1024, 64}, Size{64, 1024}, Size{600, 64}, Size{64, 600}, Size{128, 128}}) {
    const std::int64_t planes = 2, row_pitch = size.nx + 8, plane_pitch = row_pitch * size.ny + 2;
    std::vector<Real> field = noisy<Real>(planes * plane_pitch);
    const std::vector<Real> start = field;
    const auto wave_x = waves<Real>(size.nx), wave_y = waves<Real>(size.ny);
    const heddle::device::PlaneArguments<Real> arguments{
        field.data(),  size.nx,       size.ny,
        planes,        row_pitch,     plane_pitch,
        wave_x.data(), wave_y.data(), 2 / static_cast<Real>(size.nx * size.ny)};
    ASSERT_EQ(heddle::device::transform_x(false, arguments, nullptr), 0);
    ASSERT_EQ(heddle::device::transform_y(false, arguments, nullptr), 0);

    // The second plane, by parts.
    std::vector<std::vector<Wave>> plane(static_cast<std::size_t>(size.ny));
    for (std::int64_t j = 0; j < size.ny; ++j) {
      std::vector<Wave> row;
      for (std::int64_t i = 0; i < size.nx; ++i)
        row.emplace_back(
            static_cast<long double>(start[static_cast<std::size_t>(plane_pitch + j * row_pitch + i)]));
      plane[static_cast<std::size_t>(j)] = by_parts(row);
    }
    for (std::size_t i = 0; i <= static_cast<std::size_t>(size.nx / 2); ++i) {
      std::vector<Wave> column;
      for (const auto& row : plane)
        column.push_back(row[i]);
      column = by_parts(column);
      for (std::size_t j = 0; j < column.size(); ++j)
        plane[j][i] = column[j];
    }
    double difference = 0, sum = 0;
    for (std::int64_t j = 0; j < size.ny; ++j)
      for (std::int64_t i = 0; i < size.nx + 2; ++i) {
        const Wave wave = plane[static_cast<std::size_t>(j)][static_cast<std::size_t>(i / 2)];
        const auto expected = static_cast<double>(i % 2 == 0 ? wave.real() : wave.imag());
        const auto found =
            static_cast<double>(field[static_cast<std::size_t>(plane_pitch + j * row_pitch + i)]);
        difference += (expected - found) * (expected - found);
        sum += expected * expected;
      }
    EXPECT_LE(std::sqrt(difference / sum), 4 * std::numeric_limits<Real>::epsilon())
        << size.nx << " " << size.ny;

    ASSERT_EQ(heddle::device::transform_y(true, arguments, nullptr), 0);
    ASSERT_EQ(heddle::device::transform_x(true, arguments, nullptr), 0);
    difference = sum = 0;
    for (std::int64_t k = 0; k < planes; ++k)
      for (std::int64_t j = 0; j < size.ny; ++j)
        for (std::int64_t i = 0; i < size.nx; ++i) {
          const auto at = static_cast<std::size_t>(k * plane_pitch + j * row_pitch + i);
          difference += std::pow(static_cast<double>(field[at]) - static_cast<double>(start[at]), 2);
          sum += std::pow(static_cast<double>(start[at]), 2);
        }
    EXPECT_LE(std::sqrt(difference / sum), 8 * std::numeric_limits<Real>::epsilon())
        << size.nx << " " << size.ny;
  }
}

TYPED_TEST(Emulated, ColumnsAsTheGeneratedOnes) {
  using Real = TypeParam;
  struct Case {
    std::int64_t levels;
    Boundary lower, upper;
    bool paired;
  };
  for (const Case& c :
       {Case{1, D, N, true}, Case{5, P, P, true}, Case{8, N, N, false}, Case{9, N, D, true},
        Case{37, P, P, false}, Case{64, N, N, true}, Case{65, D, D, true}, Case{100, N, N, true},
        Case{128, N, N, true}, Case{128, P, P, true}, Case{128, N, D, false}, Case{200, N, N, true},
        Case{256, P, P, true}, Case{300, N, N, true}, Case{512, N, N, false}, Case{512, P, P, true}}) {
    heddle::PoissonProblem problem{
        {14, 0.5}, {5, 0.7}, heddle::uniform_column(c.levels, 0.8, c.lower, c.upper)};
    if (!c.paired) problem.x = {13, 0.5, N, N, Location::centre};
    for (std::int64_t k = 0; k < c.levels; ++k)
      problem.z.density.push_back(1 + 0.3 * noise(static_cast<std::size_t>(k)));
    const auto transform =
        heddle::reference_plane_transform<Real>(heddle::transform_of(problem.x), problem.x.unknowns,
                                                heddle::transform_of(problem.y), problem.y.unknowns);
    const heddle::ColumnTables tables = heddle::column_tables(problem, *transform);
    const std::int64_t row_pitch = transform->row_pitch(), rows = transform->rows(),
                       plane_pitch = row_pitch * rows;

    std::vector<Real> expected = noisy<Real>(plane_pitch * c.levels);
    for (std::int64_t k = 0; k < c.levels; ++k) // the singular mode needs a sum of 0
      expected[static_cast<std::size_t>(k * plane_pitch)] =
          c.levels % 2 == 0 ? (k % 2 == 0 ? Real(0.25) : Real(-0.25)) : Real(0);
    for (std::int64_t k = 0; c.paired && k < c.levels; ++k)
      expected[static_cast<std::size_t>(k * plane_pitch + 1)] = 0;
    std::vector<Real> found = expected;
    heddle::Stream stream;
    std::vector<double> exact(expected.begin(), expected.end());
    heddle::host_columns<double>(tables)->solve(exact.data(), plane_pitch, stream);

    const auto rounded = [](const std::vector<double>& values, std::size_t step) {
      std::vector<Real> result;
      for (std::size_t i = 0; i < values.size(); i += step)
        result.push_back(static_cast<Real>(values[i]));
      return result;
    };
    const auto lambda_x = rounded(tables.lambda_x, c.paired ? 2 : 1), lambda_y = rounded(tables.lambda_y, 1);
    std::vector<Real> levels(static_cast<std::size_t>(4 * c.levels + 4));
    Real* aligned = levels.data();
    while (reinterpret_cast<std::uintptr_t>(aligned) % (4 * sizeof(Real)) != 0)
      ++aligned;
    for (std::size_t k = 0; k < static_cast<std::size_t>(c.levels); ++k) {
      aligned[4 * k] = static_cast<Real>(tables.rows.lower[k]);
      aligned[4 * k + 1] = static_cast<Real>(tables.rows.upper[k]);
      aligned[4 * k + 2] = static_cast<Real>(tables.rows.density[k]);
      aligned[4 * k + 3] = static_cast<Real>(tables.rows.excess[k]);
    }
    const heddle::device::ColumnArguments<Real> arguments{found.data(),
                                                          static_cast<std::int64_t>(tables.lambda_x.size()),
                                                          rows,
                                                          row_pitch,
                                                          plane_pitch,
                                                          static_cast<int>(c.levels),
                                                          c.lower == P,
                                                          c.paired,
                                                          lambda_x.data(),
                                                          lambda_y.data(),
                                                          aligned};
    // The ends alone first: the same numbers, and the field stays as it is.
    const auto places = static_cast<std::int64_t>(tables.lambda_x.size());
    std::vector<Real> lowest(static_cast<std::size_t>(plane_pitch)), highest(lowest);
    if (c.lower != P) {
      auto ends = arguments;
      ends.lowest = lowest.data();
      ends.highest = highest.data();
      ASSERT_EQ(heddle::device::solve_columns(ends, nullptr), 0);
      EXPECT_EQ(found, expected);
    }
    ASSERT_EQ(heddle::device::solve_columns(arguments, nullptr), 0);
    for (std::int64_t j = 0; c.lower != P && j < rows; ++j)
      for (std::int64_t i = 0; i < places; ++i) {
        const auto at = static_cast<std::size_t>(j * row_pitch + i);
        EXPECT_EQ(lowest[at], found[at]);
        EXPECT_EQ(highest[at], found[static_cast<std::size_t>((c.levels - 1) * plane_pitch) + at]);
      }
    double difference = 0, sum = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      difference += std::pow(static_cast<double>(found[i]) - exact[i], 2);
      sum += exact[i] * exact[i];
    }
    EXPECT_LE(std::sqrt(difference / sum), (20 + static_cast<double>(c.levels) / 2) *
                                               static_cast<double>(std::numeric_limits<Real>::epsilon()))
        << c.levels << " levels";
  }
}

} // namespace
