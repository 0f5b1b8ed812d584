// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_COLUMN_PHYSICS_PICTURE_HPP
#define HEDDLE_COLUMN_PHYSICS_PICTURE_HPP

#include <filesystem>
#include <string>

#include "air.hpp"
#include "options.hpp"
#include "output.hpp"

namespace front {

/// A map of the rain that fell, and a section along x through the place with most of it: cloud, rain and
/// snow, isentropes and 0 degrees Celsius. Throws heddle::Error where the file cannot be written.
void draw(const Snapshot& snapshot, const Options& options, const Levels& levels, const std::string& subtitle,
          const std::filesystem::path& file);

} // namespace front

#endif
