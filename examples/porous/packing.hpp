// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_POROUS_PACKING_HPP
#define HEDDLE_POROUS_PACKING_HPP

#include <cstdint>

#include "voxels.hpp"

namespace porous {

/// Equal spheres at random places in a periodic cube of `edge` voxels. They are pushed apart until they
/// touch, as far as there is room (down to a porosity of about 0.37; below it they overlap), then their
/// diameter is adapted so that the share `porosity` of all voxels is pore. The same for the same arguments.
/// `found`: their diameter, in voxels. Throws heddle::Error for a porosity outside 0.3 to 0.95, or spheres
/// too large for the cube.
[[nodiscard]] Voxels random_packing(std::int64_t edge, double diameter, double porosity, unsigned seed,
                                    double& found);

/// One sphere in a periodic cube, so that its images form a simple cubic array.
[[nodiscard]] Voxels cubic_array(std::int64_t edge, double diameter);

/// Kozeny and Carman's permeability of a packing of spheres, d^2 porosity^3 / (180 (1 - porosity)^2) (Carman
/// 1937).
[[nodiscard]] double kozeny_carman(double diameter, double porosity);

} // namespace porous

#endif
