// SPDX-License-Identifier: Apache-2.0
#include "heddle/poisson/plane_transform.hpp"

#include <string>
#include <utility>

#include "fft/back_ends.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/with_cuda.hpp"
#include "register_transform.hpp"

namespace heddle {

const char* to_string(TransformKind kind) noexcept {
  constexpr const char* names[] = {"dft", "dct1", "dct2", "dct3", "dct4", "dst1", "dst2", "dst3", "dst4"};
  return names[static_cast<int>(kind)];
}

const char* to_string(TransformBackEnd back_end) noexcept {
  constexpr const char* names[] = {"automatic", "generated", "fftw", "cufft"};
  return names[static_cast<int>(back_end)];
}

namespace {

void check(const PlaneShape& shape) {
  const auto refuse = [](const std::string& reason, const std::string& hint) {
    throw Error("make_plane_transform", reason, hint);
  };
  for (const auto& [n, axis] : {std::pair{shape.nx, "nx"}, std::pair{shape.ny, "ny"}}) {
    if (n < 1)
      refuse(std::string(axis) + " is " + std::to_string(n), "use at least one number per direction");
  }
  if (shape.row_pitch != 0 && shape.row_pitch < shape.nx) {
    refuse("rows of " + std::to_string(shape.nx) + " numbers do not fit into a row pitch of " +
               std::to_string(shape.row_pitch),
           "use 0 for the smallest pitch");
  }
}

} // namespace

template <class Real>
std::unique_ptr<PlaneTransform<Real>> make_plane_transform(const PlaneShape& shape, Memory memory,
                                                           TransformBackEnd back_end) {
  check(shape);
  const bool device = memory == Memory::device;
  if (back_end == TransformBackEnd::automatic) {
    back_end = device ? TransformBackEnd::cufft : TransformBackEnd::generated;
  }
  const bool own = back_end == TransformBackEnd::generated;
  if (device && own && (shape.kind_x != TransformKind::dft || shape.kind_y != TransformKind::dft)) {
    throw Error("make_plane_transform",
                "on a device, the generated transform supports only periodic directions",
                "use TransformBackEnd::automatic, which selects cuFFT");
  }
  if (!(device && own) && device != (back_end == TransformBackEnd::cufft)) {
    throw Error("make_plane_transform",
                std::string(to_string(back_end)) + " does not transform " + to_string(memory) + " memory",
                "use TransformBackEnd::automatic");
  }
  if (!device)
    return own ? fft::make_generated_transform<Real>(shape) : fft::make_fftw_transform<Real>(shape);
  if constexpr (with_cuda)
    return own ? register_transform<Real>(shape.nx, shape.ny, shape.row_pitch)
               : fft::make_cufft_transform<Real>(shape);
  else
    throw Error("make_plane_transform", "this heddle::poisson was built without CUDA",
                "configure with -DHEDDLE_CUDA=ON, or keep the field on the host");
}

template std::unique_ptr<PlaneTransform<float>> make_plane_transform(const PlaneShape&, Memory,
                                                                     TransformBackEnd);
template std::unique_ptr<PlaneTransform<double>> make_plane_transform(const PlaneShape&, Memory,
                                                                      TransformBackEnd);

} // namespace heddle
