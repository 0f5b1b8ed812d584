// SPDX-License-Identifier: Apache-2.0
// The transforms of a device beside a copy of the field, which moves it twice: `ratio` times two is their
// passes.
#include "cuda_timer.hpp"
#include "transform_case.hpp"

namespace {

using Kind = heddle::TransformKind;

template <class Real>
void add_planes(const char* precision, const heddle::PlaneShape& shape, std::int64_t planes) {
  const std::string name = "planes/" + bench::shape_name(shape, planes) + "/" + precision + "/cuda";
  bench::add_transform(name, shape, planes, 9, "copy", [=] {
    auto stream = std::make_shared<heddle::Stream>(heddle::Memory::device);
    auto fields = std::make_shared<bench::Transformed<Real>>(shape, planes, heddle::Memory::device,
                                                             heddle::TransformBackEnd::automatic);
    auto copy = std::make_shared<heddle::Buffer<char>>(static_cast<std::int64_t>(fields->bytes()),
                                                       heddle::Memory::device);
    return std::pair<bench::Timed, bench::Timed>(
        [=] { return bench::cuda_seconds(*stream, [&] { fields->there_and_back(*stream); }); },
        [=] {
          return bench::cuda_seconds(*stream, [&] {
            bench::check(cudaMemcpyAsync(copy->data(), fields->data(), fields->bytes(),
                                         cudaMemcpyDeviceToDevice,
                                         static_cast<cudaStream_t>(stream->native())));
          });
        });
  });
}

} // namespace

void bench::add_transform_cuda() {
  for (const std::int64_t n : {256, 512, 600, 1024}) {
    for (const bool unscaled : {true, false}) {
      if (n != 512 && !unscaled) continue;
      const heddle::PlaneShape shape = {Kind::dft, n, Kind::dft, n, 0, unscaled};
      add_planes<float>(unscaled ? "f32/unscaled" : "f32", shape, 128);
      add_planes<double>(unscaled ? "f64/unscaled" : "f64", shape, 128);
    }
  }
  for (const auto& [x, y] : {std::pair{Kind::dft, Kind::dct2}, std::pair{Kind::dct2, Kind::dct2},
                             std::pair{Kind::dct4, Kind::dct4}}) {
    add_planes<float>("f32", {x, 512, y, 512}, 128);
    add_planes<double>("f64", {x, 512, y, 512}, 128);
  }
  add_planes<double>("f64", {Kind::dct1, 513, Kind::dct1, 513}, 128);
}
