// SPDX-License-Identifier: Apache-2.0
#include "moment_steps.hpp"

#include "heddle/device/moment_tile.hpp"

namespace {

template <typename To, typename T>
heddle::MomentField<To> field(const heddle::FieldView<T>& view) {
  return {view.data(), view.stride(1), view.stride(2)};
}

/// ahead: planes whose moments are under way; Exchange: what threads hand populations over in.
template <typename Lattice, int height, int chunk, int ahead, typename Exchange = float, typename Flow, typename Stress>
int step(const moments::Views<Flow, Stress>& from, const moments::Views<Flow, Stress>& to, float omega, void* stream) {
  const heddle::MomentFields<const Flow, const Stress> before{
      field<const Flow>(from.flow), field<const Stress>(from.stress), field<const Stress>(from.shear)};
  const heddle::MomentFields<Flow, Stress> after{field<Flow>(to.flow), field<Stress>(to.stress), field<Stress>(to.shear)};
  return heddle::launch_moment_step<Lattice, 32, height, chunk, 2, ahead, Exchange>(
      before, after, omega, from.flow.extent(0), from.flow.extent(1), from.flow.extent(2), stream);
}

}  // namespace

int moments::step_d3q19(const Views<float, float>& from, const Views<float, float>& to, float omega, void* stream) {
  return step<heddle::D3Q19, 13, 32, 1>(from, to, omega, stream);
}
int moments::step_d3q27(const Views<float, float>& from, const Views<float, float>& to, float omega, void* stream) {
  return step<heddle::D3Q27, 12, 32, 0>(from, to, omega, stream);
}
int moments::step_d3q19(const Views<float, std::uint16_t>& from, const Views<float, std::uint16_t>& to, float omega,
                        void* stream) {
  return step<heddle::D3Q19, 13, 32, 2>(from, to, omega, stream);
}
int moments::step_d3q19(const Views<std::uint16_t, std::uint16_t>& from, const Views<std::uint16_t, std::uint16_t>& to,
                        float omega, void* stream) {
  return step<heddle::D3Q19, 13, 64, 2, std::uint16_t>(from, to, omega, stream);
}
