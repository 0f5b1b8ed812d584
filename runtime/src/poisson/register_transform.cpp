// SPDX-License-Identifier: Apache-2.0
#include "register_transform.hpp"

#include <string>
#include <vector>

#include "device_launch.hpp"
#include "device_tables.hpp"
#include "heddle/core/error.hpp"

namespace heddle {

namespace {

/// Rows of nx + 2 reals, at least, that begin at multiples of 32 bytes: whole sectors of the cache.
template <class Real> std::int64_t aligned_pitch(std::int64_t nx) {
  constexpr std::int64_t sector = 32 / sizeof(Real);
  return (nx + 2 + sector - 1) / sector * sector;
}

template <class Real> class RegisterTransform final : public PlaneTransform<Real> {
public:
  RegisterTransform(std::int64_t nx, std::int64_t ny, std::int64_t row_pitch)
      : nx_(nx), ny_(ny), row_pitch_(row_pitch == 0 ? aligned_pitch<Real>(nx) : row_pitch),
        waves_x_(wave_table<Real>(nx)), waves_y_(wave_table<Real>(ny)) {}

  void forward(Real* field, std::int64_t planes, std::int64_t plane_pitch, Stream& stream) override {
    const auto arguments = arguments_of(field, planes, plane_pitch);
    require(device::transform_x(false, arguments, stream.native()));
    require(device::transform_y(false, arguments, stream.native()));
  }
  void inverse(Real* field, std::int64_t planes, std::int64_t plane_pitch, Stream& stream) override {
    const auto arguments = arguments_of(field, planes, plane_pitch);
    require(device::transform_y(true, arguments, stream.native()));
    require(device::transform_x(true, arguments, stream.native()));
  }

  [[nodiscard]] bool takes_flow() const override { return true; }
  void forward_of_flow(const PeriodicFlow<Real>& flow, Real* field, std::int64_t planes,
                       std::int64_t plane_pitch, Stream& stream) override {
    const auto arguments = arguments_of(field, planes, plane_pitch);
    require(device::divergence_x(arguments, flow, stream.native()));
    require(device::transform_y(false, arguments, stream.native()));
  }
  void inverse_into_flow(const PeriodicFlow<Real>& flow, Real* field, std::int64_t planes,
                         std::int64_t plane_pitch, Stream& stream) override {
    const std::int64_t below = flow.neighbour_below ? 1 : 0;
    const auto all = arguments_of(field - below * plane_pitch, planes + below, plane_pitch);
    require(device::transform_y(true, all, stream.native()));
    require(device::correction_x(arguments_of(field, planes, plane_pitch), flow, stream.native()));
  }

  [[nodiscard]] std::int64_t row_pitch() const override { return row_pitch_; }
  [[nodiscard]] std::int64_t rows() const override { return ny_; }
  [[nodiscard]] std::vector<std::int64_t> positions_x() const override {
    std::vector<std::int64_t> modes(static_cast<std::size_t>(row_pitch_), -1);
    for (std::int64_t i = 0; i < nx_ + 2; ++i)
      modes[static_cast<std::size_t>(i)] = i / 2;
    return modes;
  }
  [[nodiscard]] std::vector<std::int64_t> positions_y() const override {
    std::vector<std::int64_t> modes;
    for (std::int64_t j = 0; j < ny_; ++j)
      modes.push_back(j <= ny_ / 2 ? j : ny_ - j);
    return modes;
  }
  [[nodiscard]] std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(waves_x_.bytes() + waves_y_.bytes());
  }
  [[nodiscard]] std::string description() const override {
    return "own kernels with points in registers: both directions are periodic";
  }

private:
  device::PlaneArguments<Real> arguments_of(Real* field, std::int64_t planes,
                                            std::int64_t plane_pitch) const {
    return {field,
            nx_,
            ny_,
            planes,
            row_pitch_,
            plane_pitch,
            waves_x_.data(),
            waves_y_.data(),
            2 / static_cast<Real>(nx_ * ny_)};
  }
  static void require(int status) {
    if (status != 0) throw Error("PlaneTransform", "the kernel launch failed");
  }

  std::int64_t nx_, ny_, row_pitch_;
  Buffer<Real> waves_x_, waves_y_;
};

} // namespace

bool has_register_transform(std::int64_t nx, std::int64_t ny) {
  return device::transforms(nx) && device::transforms(ny);
}

template <class Real>
std::unique_ptr<PlaneTransform<Real>> register_transform(std::int64_t nx, std::int64_t ny,
                                                         std::int64_t row_pitch) {
  if (!has_register_transform(nx, ny)) {
    throw Error("register_transform",
                std::to_string(nx) + " x " + std::to_string(ny) + " is not a size with generated kernels",
                "use 64, 128, 256, 512, 600 or 1024, or TransformBackEnd::cufft");
  }
  if (row_pitch != 0 && (row_pitch < nx + 2 || row_pitch % 2 != 0)) {
    throw Error("register_transform",
                "rows of " + std::to_string(row_pitch) + " reals are too short for the transform of " +
                    std::to_string(nx),
                "use an even pitch of at least nx + 2, or 0");
  }
  return std::make_unique<RegisterTransform<Real>>(nx, ny, row_pitch);
}

template std::unique_ptr<PlaneTransform<float>> register_transform(std::int64_t, std::int64_t, std::int64_t);
template std::unique_ptr<PlaneTransform<double>> register_transform(std::int64_t, std::int64_t, std::int64_t);

} // namespace heddle
