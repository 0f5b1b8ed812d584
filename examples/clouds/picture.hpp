// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CLOUDS_PICTURE_HPP
#define HEDDLE_CLOUDS_PICTURE_HPP

#include <filesystem>
#include <string>

#include "base_state.hpp"
#include "case.hpp"
#include "sample.hpp"
#include "snapshot.hpp"

namespace clouds {

/// A section of the end of a run, time series, and profiles of the last hour.
void draw(const Case& what, const BaseState& base, const History& history, const Snapshot& end,
          const std::string& subtitle, const std::filesystem::path& file);

} // namespace clouds

#endif
