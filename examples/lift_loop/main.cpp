// SPDX-License-Identifier: Apache-2.0
// Runs four legacy loops and the kernels that Heddle made of them on the same memory, and compares every bit.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <random>
#include <vector>

#include "legacy.hpp"
#include "lifted.hpp"

namespace {

constexpr int nx = 67, ny = 41, nz = 29; // interior cells; odd, so that no vector fits

/// What a kernel sees of an array of the loop: the first interior cell, extents and strides, as the head of
/// model.py says them.
template <typename T> struct Cells {
  T* first;
  std::int64_t extents[3];
  std::int64_t strides[3];
  T* data() const { return first; }
  std::int64_t extent(std::size_t d) const { return extents[d]; }
  std::int64_t stride(std::size_t d) const { return strides[d]; }
};

template <typename T> Cells<T> plane(std::vector<T>& values, int ghosts) {
  const int row = nx + 2 * ghosts;
  return {values.data() + ghosts * row + ghosts, {nx, ny, 1}, {1, row, 1}};
}

template <typename T> Cells<T> box(std::vector<T>& values, int ghosts) {
  const int row = nx + 2 * ghosts;
  const int level = row * (ny + 2 * ghosts);
  return {values.data() + ghosts * (level + row + 1), {nx, ny, nz}, {1, row, level}};
}

template <typename T> Cells<T> list(std::vector<T>& values) {
  return {values.data(), {static_cast<std::int64_t>(values.size()), 1, 1}, {1, 1, 1}};
}

std::mt19937 generator(7);

std::vector<double> numbers(int count, double low, double high) {
  std::uniform_real_distribution<double> draw(low, high);
  std::vector<double> values(static_cast<std::size_t>(count));
  for (double& value : values)
    value = draw(generator);
  return values;
}

std::vector<int> indices(int count, int below) {
  std::uniform_int_distribution<int> draw(0, below - 1);
  std::vector<int> values(static_cast<std::size_t>(count));
  for (int& value : values)
    value = draw(generator);
  return values;
}

/// Says how many values differ and by how many units in the last place; true if none does.
bool same(const char* name, const std::vector<double>& legacy, const std::vector<double>& generated) {
  std::size_t different = 0;
  double worst = 0;
  for (std::size_t i = 0; i < legacy.size(); ++i) {
    if (std::memcmp(&legacy[i], &generated[i], sizeof(double)) == 0) continue;
    ++different;
    const double unit = std::nextafter(std::abs(legacy[i]), INFINITY) - std::abs(legacy[i]);
    worst = std::fmax(worst, std::abs(legacy[i] - generated[i]) / unit);
  }
  std::printf("%-16s %7zu values, %zu differ, by at most %g ulp\n", name, legacy.size(), different, worst);
  return different == 0;
}

bool advection() {
  constexpr int ghosts = 2;
  const int size = (nx + 2 * ghosts) * (ny + 2 * ghosts);
  std::vector<double> q = numbers(size, 0, 1), u = numbers(size, -1, 1), v = numbers(size, -1, 1);
  std::vector<double> expected(q), found(q);
  advect(q.data(), u.data(), v.data(), expected.data(), nx, ny, ghosts, 0.3, 0.2);
  lifted::advect(plane(q, ghosts), plane(u, ghosts), plane(v, ghosts), plane(found, ghosts), 0.3, 0.2);
  return same("advect", expected, found);
}

bool relaxation() {
  const int size = (nx + 2) * (ny + 2) * (nz + 2);
  std::vector<double> expected = numbers(size, -1, 1), rhs = numbers(size, -1, 1);
  std::vector<double> found(expected);
  std::vector<int> solid = indices(size, 4);
  for (int& flag : solid)
    flag = flag == 3;
  for (int colour : {0, 1, 0, 1}) {
    sor(expected.data(), rhs.data(), solid.data(), nx + 2, ny + 2, nz + 2, 1.7, 0.01, colour);
    lifted::sor(box(found, 1), box(rhs, 1), box(solid, 1), 1.7, 0.01, colour);
  }
  return same("sor", expected, found);
}

bool columns() {
  const int size = nx * ny * nz;
  std::vector<double> a = numbers(size, -1, 0), b = numbers(size, 2.5, 3), c = numbers(size, -1, 0);
  std::vector<double> d = numbers(size, -1, 1), ratio(d), solution(d), other_ratio(d), other(d);
  diffuse_column(a.data(), b.data(), c.data(), d.data(), ratio.data(), solution.data(), nx, ny, nz);
  lifted::diffuse_column(box(a, 0), box(b, 0), box(c, 0), box(d, 0), box(other_ratio, 0), box(other, 0));
  return same("diffuse_column", solution, other) && same("  its ratios", ratio, other_ratio);
}

bool gather() {
  constexpr int count = 5000;
  std::vector<double> flux = numbers(count, -1, 1), area = numbers(count, 0, 1),
                      expected = numbers(count, -1, 1);
  std::vector<double> found(expected);
  std::vector<int> donor = indices(count, count);
  receive(flux.data(), donor.data(), area.data(), expected.data(), count);
  lifted::receive(list(flux), list(donor), list(area), list(found));
  return same("receive", expected, found);
}

} // namespace

int main() try {
  const bool good[] = {advection(), relaxation(), columns(), gather()};
  for (bool each : good) {
    if (!each) return 1;
  }
  return 0;
} catch (const std::exception& error) { // from a kernel, for arrays that it cannot take
  std::fprintf(stderr, "lift_loop: %s\n", error.what());
  return 1;
}
