// SPDX-License-Identifier: Apache-2.0
#include "moment_steps.hpp"

#include "heddle/device/moment_tile.hpp"

namespace {

template <typename To, typename T> heddle::MomentField<To> field(const heddle::FieldView<T>& view) {
  return {view.data(), view.stride(1), view.stride(2)};
}

/// ahead: planes whose moments are under way; Exchange: what threads hand populations over in.
template <typename Lattice, int height, int chunk, int ahead, typename Exchange = float, typename Flow,
          typename Stress, typename Walls = heddle::NoWalls, typename Drive = heddle::Undriven>
int step(const moments::Views<Flow, Stress>& from, const moments::Views<Flow, Stress>& to, float omega,
         void* stream, const Walls& walls = {}, const Drive& drive = {}) {
  const heddle::MomentFields<const Flow, const Stress> before{
      field<const Flow>(from.flow), field<const Stress>(from.stress), field<const Stress>(from.shear)};
  const heddle::MomentFields<Flow, Stress> after{field<Flow>(to.flow), field<Stress>(to.stress),
                                                 field<Stress>(to.shear)};
  return heddle::launch_moment_step<Lattice, 32, height, chunk, 2, ahead, Exchange>(
      before, after, omega, from.flow.extent(0), from.flow.extent(1), from.flow.extent(2), stream, walls,
      drive);
}

constexpr heddle::BoxWalls closed{.sides = 63, .lid_x = 0.01F, .lid_y = 0.0F};
constexpr heddle::Driven gravity{.force_x = 0.0F, .force_y = 0.0F, .force_z = -1e-6F, .omega_bulk = 1.0F};

} // namespace

int moments::step_d3q19(const Floats& from, const Floats& to, float omega, void* stream) {
  return step<heddle::D3Q19, 13, 32, 1>(from, to, omega, stream);
}
int moments::step_d3q27(const Floats& from, const Floats& to, float omega, void* stream) {
  return step<heddle::D3Q27, 12, 32, 0>(from, to, omega, stream);
}
int moments::step_d3q19(const Mixed& from, const Mixed& to, float omega, void* stream) {
  return step<heddle::D3Q19, 13, 32, 2>(from, to, omega, stream);
}
int moments::step_d3q19(const Halves& from, const Halves& to, float omega, void* stream) {
  return step<heddle::D3Q19, 13, 64, 2, std::uint16_t>(from, to, omega, stream);
}

// Walls cost registers: D3Q27 has fewer rows here, but for halves, which take more planes.
int moments::box_d3q19(const Floats& from, const Floats& to, float omega, void* stream) {
  return step<heddle::D3Q19, 13, 32, 1>(from, to, omega, stream, closed);
}
int moments::box_d3q19(const Mixed& from, const Mixed& to, float omega, void* stream) {
  return step<heddle::D3Q19, 13, 32, 2>(from, to, omega, stream, closed);
}
int moments::box_d3q19(const Halves& from, const Halves& to, float omega, void* stream) {
  return step<heddle::D3Q19, 13, 64, 2, std::uint16_t>(from, to, omega, stream, closed);
}
int moments::box_d3q27(const Floats& from, const Floats& to, float omega, void* stream) {
  return step<heddle::D3Q27, 11, 32, 0>(from, to, omega, stream, closed);
}
int moments::box_d3q27(const Mixed& from, const Mixed& to, float omega, void* stream) {
  return step<heddle::D3Q27, 11, 32, 1>(from, to, omega, stream, closed);
}
int moments::box_d3q27(const Halves& from, const Halves& to, float omega, void* stream) {
  return step<heddle::D3Q27, 12, 64, 2, std::uint16_t>(from, to, omega, stream, closed);
}
int moments::driven_d3q19(const Floats& from, const Floats& to, float omega, void* stream) {
  return step<heddle::D3Q19, 13, 32, 1>(from, to, omega, stream, closed, gravity);
}
int moments::driven_d3q19(const Mixed& from, const Mixed& to, float omega, void* stream) {
  return step<heddle::D3Q19, 13, 32, 2>(from, to, omega, stream, closed, gravity);
}
int moments::driven_d3q19(const Halves& from, const Halves& to, float omega, void* stream) {
  return step<heddle::D3Q19, 13, 64, 2, std::uint16_t>(from, to, omega, stream, closed, gravity);
}
