// SPDX-License-Identifier: Apache-2.0
// The air of a domain from a file with the names of WRF's wrfinput files.
#ifndef HEDDLE_COLUMN_PHYSICS_INPUT_HPP
#define HEDDLE_COLUMN_PHYSICS_INPUT_HPP

#include <filesystem>
#include <vector>

#include "air.hpp"
#include "options.hpp"

namespace front {

/// What a file says: levels, and the tracers of the scheme in each cell (x fastest, then y, then level).
struct Input {
  Levels levels;
  std::vector<std::vector<float>> tracers;
};

/// Reads, of the first time in the file: T (potential temperature - 300 K), QVAPOR, QCLOUD, QRAIN, for WSM5
/// also QICE and QSNOW (kg/kg), cell by cell; pressure P + PB (Pa), geopotential PH + PHB of faces (m2 s-2),
/// mass of columns MU + MUB (Pa), ZNW (eta of faces), P_TOP (Pa), wind U and V on faces along x and y (m/s),
/// which have one value per level here, and W, which is 0: the front makes the ascent. Potential temperature
/// and vapour of the coarser domain are those of the sounding.
///
/// Throws heddle::Error that names the variable: where it is missing, has another shape than `size` asks for,
/// is not finite, negative where it must not be, water of more than 0.1 kg/kg, air below 100 K or above 400
/// K, or varies along a level by more than the example can take (heights by 5 % of a level, pressure and mass
/// by 1 %, wind by 0.5 m/s); and where the program was built without NetCDF.
[[nodiscard]] Input read_input(const std::filesystem::path& file, const Options& options,
                               const Sounding& sounding);

} // namespace front

#endif
