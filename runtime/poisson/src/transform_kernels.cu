// SPDX-License-Identifier: Apache-2.0
// The periodic transform of planes whose directions are powers of two: two passes over memory a direction, in
// place.
#include <cstddef>

#include "device_launch.hpp"
#include "heddle/device/launch.hpp"
#include "transform_kernels.cuh"

namespace heddle::device {

namespace {

/// How lines of `points` are spread over threads: what was quickest on an H200, of what fits into registers.
template <int points, class Real> struct Rows {
  static constexpr int count = points >= 128 ? 16 : 8;
  static constexpr int threads = points / count; // of a line; a warp at most
  static constexpr bool wide = sizeof(Real) == 8 && points <= 256;
  static constexpr int lines = (wide ? 128 : 64) / threads;
  static constexpr int blocks = sizeof(Real) == 4 ? 12 : wide ? 3 : 7;
};
template <int points, class Real> struct Columns {
  static constexpr bool single = sizeof(Real) == 4;
  static constexpr int count = single && points >= 512 ? 16 : 8;
  static constexpr int threads = points / count;
  static constexpr int lines = points <= 256   ? 64 / int{sizeof(Real)}
                               : points <= 512 ? 32 / int{sizeof(Real)}
                                               : 4;
  static constexpr int blocks = single || points > 512 ? 2 : points > 256 ? 3 : 1;
};

template <int nx, class Real> int launch_x(bool inverse, const PlaneArguments<Real>& a, void* stream) {
  constexpr int points = nx / 2;
  using S = Rows<points, Real>;
  const auto blocks = static_cast<unsigned>((a.ny * a.planes + S::lines - 1) / S::lines);
  constexpr std::size_t bytes = shared_bytes<points, S::count, S::lines, Real>;
  const auto kernel = inverse ? rows_inverse<points, S::count, S::lines, S::blocks, Real>
                              : rows_forward<points, S::count, S::lines, S::blocks, Real>;
  return launch_with_shared(kernel, dim3(blocks, 1, 1), dim3(S::threads, S::lines, 1), bytes, stream, a);
}

template <int points, class Real> int launch_y(bool inverse, const PlaneArguments<Real>& a, void* stream) {
  using S = Columns<points, Real>;
  const auto tiles = static_cast<unsigned>((a.nx / 2 + S::lines) / S::lines); // of nx / 2 + 1 columns
  constexpr std::size_t bytes = shared_bytes<points, S::count, S::lines, Real>;
  const auto kernel = inverse ? columns_of_waves<true, points, S::count, S::lines, S::blocks, Real>
                              : columns_of_waves<false, points, S::count, S::lines, S::blocks, Real>;
  const dim3 grid(tiles, static_cast<unsigned>(a.planes), 1);
  return launch_with_shared(kernel, grid, dim3(S::lines, S::threads, 1), bytes, stream, a);
}

} // namespace

bool transforms(std::int64_t n) {
  return n == 64 || n == 128 || n == 256 || n == 512 || n == 1024;
}

template <class Real> int transform_x(bool inverse, const PlaneArguments<Real>& a, void* stream) {
  switch (a.nx) {
  case 64:
    return launch_x<64>(inverse, a, stream);
  case 128:
    return launch_x<128>(inverse, a, stream);
  case 256:
    return launch_x<256>(inverse, a, stream);
  case 512:
    return launch_x<512>(inverse, a, stream);
  case 1024:
    return launch_x<1024>(inverse, a, stream);
  default:
    return launch_failed;
  }
}

template <class Real> int transform_y(bool inverse, const PlaneArguments<Real>& a, void* stream) {
  switch (a.ny) {
  case 64:
    return launch_y<64>(inverse, a, stream);
  case 128:
    return launch_y<128>(inverse, a, stream);
  case 256:
    return launch_y<256>(inverse, a, stream);
  case 512:
    return launch_y<512>(inverse, a, stream);
  case 1024:
    return launch_y<1024>(inverse, a, stream);
  default:
    return launch_failed;
  }
}

template int transform_x(bool, const PlaneArguments<float>&, void*);
template int transform_x(bool, const PlaneArguments<double>&, void*);
template int transform_y(bool, const PlaneArguments<float>&, void*);
template int transform_y(bool, const PlaneArguments<double>&, void*);

} // namespace heddle::device
