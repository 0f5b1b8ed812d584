// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_LBM_MOMENTS_TILE_HPP
#define HEDDLE_LBM_MOMENTS_TILE_HPP

#include <cstdint>

#include "heddle/grid/field_view.hpp"

/// A step by heddle/device/moment_tile.hpp, with small tiles so that small boxes have several. q19 keeps the
/// next plane in registers, the others in shared memory. Returns its status.
namespace tile {

using Floats = heddle::FieldView<float>;
using Halves = heddle::FieldView<std::uint16_t>;

int q19(const Floats& flow, const Floats& stress, const Floats& shear, const Floats& flow_next,
        const Floats& stress_next, const Floats& shear_next, double omega, void* stream);
int q19_ahead(const Floats& flow, const Floats& stress, const Floats& shear, const Floats& flow_next,
              const Floats& stress_next, const Floats& shear_next, double omega, void* stream);
int q27(const Floats& flow, const Floats& stress, const Floats& shear, const Floats& flow_next,
        const Floats& stress_next, const Floats& shear_next, double omega, void* stream);
int mixed(const Floats& flow, const Halves& stress, const Halves& shear, const Floats& flow_next,
          const Halves& stress_next, const Halves& shear_next, double omega, void* stream);
int halves(const Halves& flow, const Halves& stress, const Halves& shear, const Halves& flow_next,
           const Halves& stress_next, const Halves& shear_next, double omega, void* stream);

/// What else there is in a box: walls at sides (the bits of heddle::BoxWalls), of which the top moves, a
/// force, and a rate of the trace of the stress.
struct Box {
  std::uint32_t sides = 0;
  float lid_x = 0, lid_y = 0;
  float force_x = 0, force_y = 0, force_z = 0;
  float omega_bulk = 0;
};

int q19_box(const Floats& flow, const Floats& stress, const Floats& shear, const Floats& flow_next,
            const Floats& stress_next, const Floats& shear_next, double omega, const Box& box, void* stream);
int q27_box(const Floats& flow, const Floats& stress, const Floats& shear, const Floats& flow_next,
            const Floats& stress_next, const Floats& shear_next, double omega, const Box& box, void* stream);
int mixed_box(const Floats& flow, const Halves& stress, const Halves& shear, const Floats& flow_next,
              const Halves& stress_next, const Halves& shear_next, double omega, const Box& box,
              void* stream);
int halves_box(const Halves& flow, const Halves& stress, const Halves& shear, const Halves& flow_next,
               const Halves& stress_next, const Halves& shear_next, double omega, const Box& box,
               void* stream);

int mixed_q27_box(const Floats& flow, const Halves& stress, const Halves& shear, const Floats& flow_next,
                  const Halves& stress_next, const Halves& shear_next, double omega, const Box& box,
                  void* stream);
int halves_q27_box(const Halves& flow, const Halves& stress, const Halves& shear, const Halves& flow_next,
                   const Halves& stress_next, const Halves& shear_next, double omega, const Box& box,
                   void* stream);

/// The walls of a box alone, and force and omega_bulk alone.
int q19_walls(const Floats& flow, const Floats& stress, const Floats& shear, const Floats& flow_next,
              const Floats& stress_next, const Floats& shear_next, double omega, const Box& box,
              void* stream);
int q19_driven(const Floats& flow, const Floats& stress, const Floats& shear, const Floats& flow_next,
               const Floats& stress_next, const Floats& shear_next, double omega, const Box& box,
               void* stream);

/// The constants of a lattice, as numbers of f32.
struct Slopes {
  double axis, edge, corner, w_axis, w_edge, w_corner;
};
Slopes slopes_q19();
Slopes slopes_q27();

} // namespace tile

#endif
