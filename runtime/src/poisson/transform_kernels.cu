// SPDX-License-Identifier: Apache-2.0
// The periodic transform of planes, in place: one kernel, and two passes over memory, a direction.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "device_launch.hpp"
#include "flow_kernels.cuh"
#include "heddle/device/launch.hpp"
#include "transform_kernels.cuh"

namespace heddle::device {

namespace {

constexpr bool is_power_of_two(int n) {
  return (n & (n - 1)) == 0;
}

/// How rows of n reals are spread over threads: what was quickest on an H200. blocks: of an SM.
template <int n, class Real> struct Rows {
  static constexpr bool single = sizeof(Real) == 4, power = is_power_of_two(n);
  static constexpr int count = !power ? 10 : n >= 1024 || (single && n >= 256) ? 16 : 8;
  using L = Lines<n / 2, count, power ? 64 : 60>;
  // The way back, with the sums of a correction.
  static constexpr int back_count = single && power && n <= 512 ? 8 : count;
  using Back = Lines<n / 2, back_count, power ? 64 : 60>;
  static constexpr int blocks = single ? (n >= 1024 ? 10 : 12) : !power ? 8 : n >= 1024 ? 7 : 12;
};

/// The same where rows beside each other are corrected together: of a block's lines the first is one that the
/// block before has, too.
template <int n, class Real> struct CorrectedRows {
  static constexpr bool single = sizeof(Real) == 4, few = single && is_power_of_two(n) && n <= 512;
  static constexpr int count = Rows<n, Real>::back_count;
  using L = Lines<n / 2, count, is_power_of_two(n) ? 256 : 240>;
  static constexpr int blocks = few ? 3 : 2;
  static constexpr std::int64_t most_levels = single ? 8 : 4; // of a block
  static_assert(L::lines > 1);
};

/// Blocks of a launch that keep a GPU busy.
constexpr std::int64_t enough_blocks = 132;

/// The same of columns of n complex numbers. They lie beside each other in pieces of 64 or 128 bytes.
template <int n, class Real> struct Columns {
  static constexpr bool single = sizeof(Real) == 4, power = is_power_of_two(n);
  static constexpr int count = !power ? 10 : n < 512 ? 8 : single ? 32 : 16;
  using L = Lines<n, count, power ? 256 : single ? 480 : 240>;
  static constexpr int blocks = power || single ? 2 : 3;
};

/// Calls f with n as a constant; launch_failed where there are no kernels for it.
template <class F> int with_size(std::int64_t n, F&& f) {
  switch (n) {
  case 64:
    return f(std::integral_constant<int, 64>{});
  case 128:
    return f(std::integral_constant<int, 128>{});
  case 256:
    return f(std::integral_constant<int, 256>{});
  case 512:
    return f(std::integral_constant<int, 512>{});
  case 600:
    return f(std::integral_constant<int, 600>{});
  case 1024:
    return f(std::integral_constant<int, 1024>{});
  default:
    return launch_failed;
  }
}

template <class L, class Kernel, class Real, class... More>
int put(Kernel kernel, std::int64_t lines, const PlaneArguments<Real>& a, void* stream, const More&... more) {
  const dim3 grid(static_cast<unsigned>(parts<L>(lines)), static_cast<unsigned>(a.planes), 1);
  return launch_with_shared(kernel, grid, dim3(L::block, 1, 1), L::template shared_bytes<Real>, stream, a,
                            more...);
}

} // namespace

bool transforms(std::int64_t n) {
  return with_size(n, [](auto) { return 0; }) == 0;
}

template <class Real> int transform_x(bool inverse, const PlaneArguments<Real>& a, void* stream) {
  return with_size(a.nx, [&](auto n) {
    using Shape = Rows<n, Real>;
    using There = typename Shape::L;
    using Back = typename Shape::Back;
    if (inverse) return put<Back>(transform_rows<true, Back, Shape::blocks, Real>, a.ny, a, stream);
    return put<There>(transform_rows<false, There, Shape::blocks, Real>, a.ny, a, stream);
  });
}

template <class Real> int transform_y(bool inverse, const PlaneArguments<Real>& a, void* stream) {
  return with_size(a.ny, [&](auto n) {
    using Shape = Columns<n, Real>;
    using L = typename Shape::L;
    return put<L>(inverse ? transform_columns<true, L, Shape::blocks, Real>
                          : transform_columns<false, L, Shape::blocks, Real>,
                  a.nx / 2 + 1, a, stream);
  });
}

template <class Real>
int divergence_x(const PlaneArguments<Real>& a, const PeriodicFlow<Real>& flow, void* stream) {
  return with_size(a.nx, [&](auto n) {
    using Shape = Rows<n, Real>;
    using L = typename Shape::L;
    return put<L>(divergence_rows<L, Shape::blocks * 2 / 3, Real>, a.ny, a, stream, flow);
  });
}

template <class Real>
int correction_x(const PlaneArguments<Real>& a, const PeriodicFlow<Real>& flow, void* stream) {
  return with_size(a.nx, [&](auto n) {
    using L = typename CorrectedRows<n, Real>::L;
    const std::int64_t across = (a.ny + L::lines - 2) / (L::lines - 1);
    // Blocks enough for a GPU, and few levels that two blocks transform.
    const std::int64_t wanted = 8 * enough_blocks / across, most = CorrectedRows<n, Real>::most_levels;
    const std::int64_t levels =
        std::clamp((a.planes + wanted - 1) / std::max<std::int64_t>(wanted, 1), std::int64_t{1}, most);
    const dim3 grid(static_cast<unsigned>(across), static_cast<unsigned>((a.planes + levels - 1) / levels),
                    1);
    return launch_with_shared(correct_rows<L, CorrectedRows<n, Real>::blocks, Real>, grid,
                              dim3(L::block, 1, 1), corrected_bytes<L, Real>, stream, a, flow,
                              static_cast<int>(levels));
  });
}

template int divergence_x(const PlaneArguments<float>&, const PeriodicFlow<float>&, void*);
template int divergence_x(const PlaneArguments<double>&, const PeriodicFlow<double>&, void*);
template int correction_x(const PlaneArguments<float>&, const PeriodicFlow<float>&, void*);
template int correction_x(const PlaneArguments<double>&, const PeriodicFlow<double>&, void*);
template int transform_x(bool, const PlaneArguments<float>&, void*);
template int transform_x(bool, const PlaneArguments<double>&, void*);
template int transform_y(bool, const PlaneArguments<float>&, void*);
template int transform_y(bool, const PlaneArguments<double>&, void*);

} // namespace heddle::device
