// SPDX-License-Identifier: Apache-2.0
#include "heddle/device/moment_tile.hpp"

#include "tile.hpp"

namespace {

template <class To, class T> heddle::MomentField<To> field(const heddle::FieldView<T>& view) {
  return {view.data(), view.stride(1), view.stride(2)};
}

template <class Lattice, int ahead, class Exchange = float, class Flow, class Stress,
          class Walls = heddle::NoWalls, class Drive = heddle::Undriven>
int step(const heddle::FieldView<Flow>& flow, const heddle::FieldView<Stress>& stress,
         const heddle::FieldView<Stress>& shear, const heddle::FieldView<Flow>& flow_next,
         const heddle::FieldView<Stress>& stress_next, const heddle::FieldView<Stress>& shear_next,
         double omega, void* stream, const Walls& walls = {}, const Drive& drive = {}) {
  const heddle::MomentFields<const Flow, const Stress> from{
      field<const Flow>(flow), field<const Stress>(stress), field<const Stress>(shear)};
  const heddle::MomentFields<Flow, Stress> to{field<Flow>(flow_next), field<Stress>(stress_next),
                                              field<Stress>(shear_next)};
  return heddle::launch_moment_step<Lattice, 8, 4, 3, 1, ahead, Exchange>(
      from, to, static_cast<float>(omega), flow.extent(0), flow.extent(1), flow.extent(2), stream, walls,
      drive);
}

heddle::BoxWalls walls(const tile::Box& box) {
  return {box.sides, box.lid_x, box.lid_y};
}
template <class Lattice> tile::Slopes slopes() {
  return {Lattice::slope(1),  Lattice::slope(2),  Lattice::slope(3),
          Lattice::weight(1), Lattice::weight(2), Lattice::weight(3)};
}
heddle::Driven drive(const tile::Box& box) {
  return {box.force_x, box.force_y, box.force_z, box.omega_bulk};
}

} // namespace

int tile::q19(const Floats& flow, const Floats& stress, const Floats& shear, const Floats& flow_next,
              const Floats& stress_next, const Floats& shear_next, double omega, void* stream) {
  return step<heddle::D3Q19, 0>(flow, stress, shear, flow_next, stress_next, shear_next, omega, stream);
}

int tile::q19_ahead(const Floats& flow, const Floats& stress, const Floats& shear, const Floats& flow_next,
                    const Floats& stress_next, const Floats& shear_next, double omega, void* stream) {
  return step<heddle::D3Q19, 2>(flow, stress, shear, flow_next, stress_next, shear_next, omega, stream);
}

int tile::q27(const Floats& flow, const Floats& stress, const Floats& shear, const Floats& flow_next,
              const Floats& stress_next, const Floats& shear_next, double omega, void* stream) {
  return step<heddle::D3Q27, 1>(flow, stress, shear, flow_next, stress_next, shear_next, omega, stream);
}

int tile::mixed(const Floats& flow, const Halves& stress, const Halves& shear, const Floats& flow_next,
                const Halves& stress_next, const Halves& shear_next, double omega, void* stream) {
  return step<heddle::D3Q19, 2>(flow, stress, shear, flow_next, stress_next, shear_next, omega, stream);
}

int tile::halves(const Halves& flow, const Halves& stress, const Halves& shear, const Halves& flow_next,
                 const Halves& stress_next, const Halves& shear_next, double omega, void* stream) {
  return step<heddle::D3Q19, 2, std::uint16_t>(flow, stress, shear, flow_next, stress_next, shear_next, omega,
                                               stream);
}

int tile::q19_box(const Floats& flow, const Floats& stress, const Floats& shear, const Floats& flow_next,
                  const Floats& stress_next, const Floats& shear_next, double omega, const Box& box,
                  void* stream) {
  return step<heddle::D3Q19, 0>(flow, stress, shear, flow_next, stress_next, shear_next, omega, stream,
                                walls(box), drive(box));
}

int tile::q27_box(const Floats& flow, const Floats& stress, const Floats& shear, const Floats& flow_next,
                  const Floats& stress_next, const Floats& shear_next, double omega, const Box& box,
                  void* stream) {
  return step<heddle::D3Q27, 1>(flow, stress, shear, flow_next, stress_next, shear_next, omega, stream,
                                walls(box), drive(box));
}

int tile::mixed_box(const Floats& flow, const Halves& stress, const Halves& shear, const Floats& flow_next,
                    const Halves& stress_next, const Halves& shear_next, double omega, const Box& box,
                    void* stream) {
  return step<heddle::D3Q19, 2>(flow, stress, shear, flow_next, stress_next, shear_next, omega, stream,
                                walls(box), drive(box));
}

int tile::halves_box(const Halves& flow, const Halves& stress, const Halves& shear, const Halves& flow_next,
                     const Halves& stress_next, const Halves& shear_next, double omega, const Box& box,
                     void* stream) {
  return step<heddle::D3Q19, 2, std::uint16_t>(flow, stress, shear, flow_next, stress_next, shear_next, omega,
                                               stream, walls(box), drive(box));
}

int tile::mixed_q27_box(const Floats& flow, const Halves& stress, const Halves& shear,
                        const Floats& flow_next, const Halves& stress_next, const Halves& shear_next,
                        double omega, const Box& box, void* stream) {
  return step<heddle::D3Q27, 1>(flow, stress, shear, flow_next, stress_next, shear_next, omega, stream,
                                walls(box), drive(box));
}

int tile::halves_q27_box(const Halves& flow, const Halves& stress, const Halves& shear,
                         const Halves& flow_next, const Halves& stress_next, const Halves& shear_next,
                         double omega, const Box& box, void* stream) {
  return step<heddle::D3Q27, 2, std::uint16_t>(flow, stress, shear, flow_next, stress_next, shear_next, omega,
                                               stream, walls(box), drive(box));
}

int tile::q19_walls(const Floats& flow, const Floats& stress, const Floats& shear, const Floats& flow_next,
                    const Floats& stress_next, const Floats& shear_next, double omega, const Box& box,
                    void* stream) {
  return step<heddle::D3Q19, 1>(flow, stress, shear, flow_next, stress_next, shear_next, omega, stream,
                                walls(box));
}

int tile::q19_driven(const Floats& flow, const Floats& stress, const Floats& shear, const Floats& flow_next,
                     const Floats& stress_next, const Floats& shear_next, double omega, const Box& box,
                     void* stream) {
  return step<heddle::D3Q19, 0>(flow, stress, shear, flow_next, stress_next, shear_next, omega, stream,
                                heddle::NoWalls{}, drive(box));
}

tile::Slopes tile::slopes_q19() {
  return slopes<heddle::D3Q19>();
}

tile::Slopes tile::slopes_q27() {
  return slopes<heddle::D3Q27>();
}
