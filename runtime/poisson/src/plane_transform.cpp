// SPDX-License-Identifier: Apache-2.0
#include "heddle/plane_transform.hpp"

#include "fft/generated_transform.hpp"
#include "heddle/error.hpp"

namespace heddle {

const char* to_string(TransformKind kind) noexcept {
  constexpr const char* names[] = {"dft",  "dct1", "dct2", "dct3", "dct4",
                                   "dst1", "dst2", "dst3", "dst4"};
  return names[static_cast<int>(kind)];
}

const char* to_string(TransformBackEnd back_end) noexcept {
  constexpr const char* names[] = {"automatic", "generated", "fftw", "cufft"};
  return names[static_cast<int>(back_end)];
}

template <class Real>
std::unique_ptr<PlaneTransform<Real>> make_plane_transform(const PlaneShape& shape, TransformBackEnd back_end,
                                                           const Stream* stream) {
  static_cast<void>(back_end);
  static_cast<void>(stream);
  return fft::make_generated_transform<Real>(shape);
}

template std::unique_ptr<PlaneTransform<float>> make_plane_transform(const PlaneShape&, TransformBackEnd, const Stream*);
template std::unique_ptr<PlaneTransform<double>> make_plane_transform(const PlaneShape&, TransformBackEnd, const Stream*);

} // namespace heddle
