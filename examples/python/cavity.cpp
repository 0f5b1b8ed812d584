// SPDX-License-Identifier: Apache-2.0
// cavity.py in C++, on the kernels that heddle.load wrote for it: the same bits. Needs the emitted files
// alone.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <utility>
#include <vector>

#include "cavity.hpp"

namespace {

/// What an emitted wrapper asks of a view: x is axis 0, components come behind space.
struct View {
  double* first;
  std::int64_t extents[3];
  std::int64_t strides[3];
  double* data() const { return first; }
  std::int64_t extent(int axis) const { return extents[axis]; }
  std::int64_t stride(int axis) const { return strides[axis]; }
};

/// n x n cells with a ghost layer around, for each component.
struct Field {
  Field(std::int64_t edge, std::int64_t count)
      : n(edge), components(count), values(static_cast<std::size_t>(count * (n + 2) * (n + 2))) {}
  View rows(std::int64_t begin, std::int64_t end) {
    const std::int64_t pitch = n + 2;
    return {values.data() + 1 + (begin + 1) * pitch, {n, end - begin, components}, {1, pitch, pitch * pitch}};
  }

  std::int64_t n;
  std::int64_t components;
  std::vector<double> values;
};

} // namespace

/// cavity <cells along an edge> <steps>: prints the velocity along x on the vertical through the centre.
/// Kernels throw for fields that they cannot take; so does memory that does not suffice.
int main(int count, char** words) try {
  const std::int64_t n = count > 1 ? std::atoll(words[1]) : 64;
  const std::int64_t steps = count > 2 ? std::atoll(words[2]) : 20'000;
  constexpr std::uint32_t walls = 1 + 2 + 4 + 8; // w, e, s, n
  constexpr double u_lid = 0.1;
  constexpr double reynolds = 100;
  const double omega = 1 / (3 * u_lid * static_cast<double>(n) / reynolds + 0.5);
  Field f(n, 9);
  Field f_next(n, 9);
  for (std::int64_t step = 0; step < steps; ++step) {
    cavity::step(f.rows(0, n), f_next.rows(0, n), walls, omega);
    cavity::lid(f_next.rows(n - 1, n), walls, u_lid); // runs over the row at the lid alone
    std::swap(f.values, f_next.values);
  }
  Field rho(n, 1);
  Field velocity(n, 2);
  cavity::moments(f.rows(0, n), rho.rows(0, n), velocity.rows(0, n), walls);
  for (std::int64_t y = 0; y < n; ++y) {
    const double* const centre = velocity.rows(y, y + 1).data() + n / 2;
    std::printf("%a\n", (centre[-1] + centre[0]) / 2 / u_lid);
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "cavity: %s\n", error.what());
  return 1;
}
