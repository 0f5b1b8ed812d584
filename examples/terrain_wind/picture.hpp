// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_PICTURE_HPP
#define HEDDLE_PICTURE_HPP

#include <filesystem>
#include <string>

#include "flow.hpp"
#include "options.hpp"

namespace terrain_wind {

struct Caption {
  std::string title;
  std::string subtitle;
};

/// Draws the mean wind: an oblique view of the ground with streamlines, a map of the speed near the ground
/// and two vertical sections through the highest point. Throws heddle::Error where the file cannot be
/// written.
void draw_picture(const Flow& flow, const Options& options, const Caption& caption,
                  const std::filesystem::path& file);

} // namespace terrain_wind

#endif
