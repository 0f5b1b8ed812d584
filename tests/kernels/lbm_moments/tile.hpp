// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_LBM_MOMENTS_TILE_HPP
#define HEDDLE_LBM_MOMENTS_TILE_HPP

#include <cstdint>

#include "heddle/field_view.hpp"

/// A step by heddle/device/moment_tile.hpp, with small tiles so that small boxes have several. q19 keeps the next plane in
/// registers, the others in shared memory. Returns its status.
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

} // namespace tile

#endif
