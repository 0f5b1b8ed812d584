// SPDX-License-Identifier: Apache-2.0
#ifndef PRESSURE_PROJECTION_PICTURE_HPP
#define PRESSURE_PROJECTION_PICTURE_HPP

#include <filesystem>
#include <string>

#include "cases.hpp"

namespace pressure_projection {

/// Speed in colours, streamlines on top.
void draw(const PlaneFlow& flow, const std::string& title, const std::filesystem::path& path);

} // namespace pressure_projection

#endif
