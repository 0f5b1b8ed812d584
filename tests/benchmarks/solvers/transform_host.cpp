// SPDX-License-Identifier: Apache-2.0
// Our own transforms on the CPU beside FFTW's, which are measured plans of whole planes.
#include <chrono>

#include "heddle/core/error.hpp"
#include "transform_case.hpp"

namespace {

using heddle::TransformBackEnd;
using Kind = heddle::TransformKind;

template <class Real>
bench::Timed timed(const heddle::PlaneShape& shape, std::int64_t planes, TransformBackEnd back_end) {
  auto fields = std::make_shared<bench::Transformed<Real>>(shape, planes, heddle::Memory::host, back_end);
  return [fields] {
    heddle::Stream stream;
    const auto start = std::chrono::steady_clock::now();
    fields->there_and_back(stream);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
}

template <class Real>
void add_planes(const char* precision, const heddle::PlaneShape& shape, std::int64_t planes) {
  bench::add_transform("planes/" + bench::shape_name(shape, planes) + "/" + precision, shape, planes, 15,
                       "fftw", [=] {
                         return std::pair(timed<Real>(shape, planes, TransformBackEnd::generated),
                                          timed<Real>(shape, planes, TransformBackEnd::fftw));
                       });
}

} // namespace

void bench::add_transform_host() {
  try {
    static_cast<void>(heddle::make_plane_transform<double>({Kind::dft, 4, Kind::dft, 4}, heddle::Memory::host,
                                                           TransformBackEnd::fftw));
  } catch (const heddle::Error&) {
    return; // nothing to stand beside
  }
  const std::int64_t planes = 128;
  add_planes<double>("f64", {Kind::dft, 256, Kind::dft, 256}, planes);
  add_planes<float>("f32", {Kind::dft, 256, Kind::dft, 256}, planes);
  add_planes<double>("f64", {Kind::dft, 256, Kind::dct2, 256}, planes);
  add_planes<double>("f64", {Kind::dct2, 256, Kind::dct2, 256}, planes);
  add_planes<double>("f64", {Kind::dst2, 256, Kind::dst2, 256}, planes);
  add_planes<double>("f64", {Kind::dct4, 256, Kind::dct4, 256}, planes);
  add_planes<double>("f64", {Kind::dct1, 257, Kind::dct1, 257}, planes);
  add_planes<double>("f64", {Kind::dst1, 255, Kind::dst1, 255}, planes);
  add_planes<double>("f64", {Kind::dft, 240, Kind::dft, 240}, planes);
  add_planes<double>("f64", {Kind::dft, 250, Kind::dft, 250}, planes);
  add_planes<double>("f64", {Kind::dft, 257, Kind::dft, 257}, planes);
}
