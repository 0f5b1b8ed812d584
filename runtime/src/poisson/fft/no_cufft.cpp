// SPDX-License-Identifier: Apache-2.0
#include "back_ends.hpp"
#include "heddle/core/error.hpp"

namespace heddle::fft {

template <class Real> std::unique_ptr<PlaneTransform<Real>> make_cufft_transform(const PlaneShape&) {
  throw Error("make_plane_transform", "this build of Heddle has no cuFFT",
              "build it with HEDDLE_CUDA=ON, or keep the field on the host");
}

template std::unique_ptr<PlaneTransform<float>> make_cufft_transform(const PlaneShape&);
template std::unique_ptr<PlaneTransform<double>> make_cufft_transform(const PlaneShape&);

} // namespace heddle::fft
