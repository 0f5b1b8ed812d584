// SPDX-License-Identifier: Apache-2.0
// The loop and the kernel that was made of it, on the same memory: every bit is compared.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "legacy.hpp"
#include "tracer.hpp"

namespace {

constexpr int nx = 61, ny = 40; // interior cells
constexpr double c = 0.3;       // time step / cell size

using Values = std::vector<double>;

/// What the kernel sees of an array of the loop: the first interior cell, extents, strides.
struct Plane {
  double* first;
  explicit Plane(Values& values) : first(values.data() + 1 + (nx + 2)) {}
  double* data() const { return first; }
  std::int64_t extent(int d) const { return d == 0 ? nx : ny; }
  std::int64_t stride(int d) const { return d == 0 ? 1 : nx + 2; }
};

/// The opposite side of the domain stands in the ghost cells.
void fill_ghosts(Values& q) {
  const auto at = [&](int i, int j) -> double& { return q[static_cast<std::size_t>(i + (nx + 2) * j)]; };
  for (int j = 1; j <= ny; ++j) {
    at(0, j) = at(nx, j);
    at(nx + 1, j) = at(1, j);
  }
  for (int i = 0; i <= nx + 1; ++i) {
    at(i, 0) = at(i, ny);
    at(i, ny + 1) = at(i, 1);
  }
}

double sum(const Values& q) {
  double total = 0;
  for (int j = 1; j <= ny; ++j)
    for (int i = 1; i <= nx; ++i)
      total += q[static_cast<std::size_t>(i + (nx + 2) * j)];
  return total;
}

} // namespace

int main() {
  constexpr std::size_t size = (nx + 2) * (ny + 2);
  Values loop(size), loop_next(size), u(size), v(size);
  for (std::size_t k = 0; k < size; ++k) {
    const int i = static_cast<int>(k) % (nx + 2), j = static_cast<int>(k) / (nx + 2);
    loop[k] = std::exp(-0.02 * ((i - 20) * (i - 20) + (j - 15) * (j - 15)));
    u[k] = 0.8; // a constant wind keeps the sum of the tracer
    v[k] = -0.5;
  }
  Values kernel = loop, kernel_next = loop_next;
  const double before = sum(loop);
  for (int step = 0; step < 200; ++step) {
    fill_ghosts(loop);
    transport(loop.data(), u.data(), v.data(), loop_next.data(), nx, ny, c);
    std::swap(loop, loop_next);

    fill_ghosts(kernel);
    tracer::transport(Plane(kernel), Plane(u), Plane(v), Plane(kernel_next), c);
    std::swap(kernel, kernel_next);
  }
  fill_ghosts(loop);
  fill_ghosts(kernel);
  const bool same = std::memcmp(loop.data(), kernel.data(), size * sizeof(double)) == 0;
  std::printf("%s bits after 200 steps, sum %.12f of %.12f\n", same ? "the same" : "other", sum(kernel),
              before);
  return same && std::abs(sum(kernel) / before - 1) < 1e-13 ? 0 : 1;
}
