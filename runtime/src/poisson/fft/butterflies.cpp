// SPDX-License-Identifier: Apache-2.0
#include "butterflies.hpp"

#include <cstddef>
#include <type_traits>
#include <utility>

#include "fft.h"

namespace heddle::fft {

namespace {

/// The arrays of a pass as the kernels take them: extents and strides of x, y, z and the component.
struct Shape {
  std::array<std::int64_t, 4> extent;
  std::array<std::int64_t, 4> in;
  std::array<std::int64_t, 4> out;
};

/// Calls a kernel with the tables of its twiddle factors, one argument each.
template <class Real, class Kernel, std::size_t... table>
void call(Kernel kernel, const Shape& shape, Lines<const Real> in, Lines<Real> out,
          [[maybe_unused]] const Real* twiddles, std::index_sequence<table...>) {
  const std::int64_t* const extent = shape.extent.data();
  static_cast<void>(kernel(in.re, extent, shape.in.data(), in.im, extent, shape.in.data(), out.re, extent,
                           shape.out.data(), out.im, extent, shape.out.data(),
                           twiddles + static_cast<std::int64_t>(table) * shape.extent[2]...));
}

template <int radix, class Real, class Twiddled, class Plain>
void pass(Twiddled twiddled, Plain plain, const Shape& shape, Lines<const Real> in, Lines<Real> out,
          const Real* twiddles) {
  if (twiddles != nullptr) {
    call(twiddled, shape, in, out, twiddles,
         std::make_index_sequence<static_cast<std::size_t>(2 * (radix - 1))>());
  } else {
    call(plain, shape, in, out, twiddles, std::index_sequence<>());
  }
}

/// Picks the kernel of a precision.
template <class Real, class Single, class Double> auto of(Single single, Double twice) {
  if constexpr (std::is_same_v<Real, float>) {
    return single;
  } else {
    return twice;
  }
}

} // namespace

template <class Real>
void butterflies(int radix, std::int64_t groups, std::int64_t beside, Lines<const Real> in, Lines<Real> out,
                 const Real* twiddles) {
  const std::int64_t r = radix;
  const Shape shape = {{lanes, beside, groups, r},
                       {1, in.stride, beside * in.stride, groups * beside * in.stride},
                       {1, out.stride, r * beside * out.stride, beside * out.stride}};
  const auto run = [&]<int size>(std::integral_constant<int, size>, auto twiddled, auto plain) {
    pass<size, Real>(twiddled, plain, shape, in, out, twiddles);
  };
#define HEDDLE_FFT_RADIX(r)                                                                                  \
  case r:                                                                                                    \
    return run(std::integral_constant<int, r>(),                                                             \
               of<Real>(fft_radix##r##_twiddle_f32_unchecked, fft_radix##r##_twiddle_f64_unchecked),         \
               of<Real>(fft_radix##r##_f32_unchecked, fft_radix##r##_f64_unchecked));
  switch (radix) {
    HEDDLE_FFT_RADIX(2)
    HEDDLE_FFT_RADIX(3)
    HEDDLE_FFT_RADIX(4)
    HEDDLE_FFT_RADIX(5)
    HEDDLE_FFT_RADIX(7)
    HEDDLE_FFT_RADIX(8)
    HEDDLE_FFT_RADIX(11)
    HEDDLE_FFT_RADIX(13)
    HEDDLE_FFT_RADIX(16)
  default:
    break; // plans are made of radices only
  }
#undef HEDDLE_FFT_RADIX
}

template void butterflies<float>(int, std::int64_t, std::int64_t, Lines<const float>, Lines<float>,
                                 const float*);
template void butterflies<double>(int, std::int64_t, std::int64_t, Lines<const double>, Lines<double>,
                                  const double*);

} // namespace heddle::fft
