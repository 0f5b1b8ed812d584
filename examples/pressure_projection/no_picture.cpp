// SPDX-License-Identifier: Apache-2.0
#include "heddle/core/error.hpp"
#include "picture.hpp"

namespace pressure_projection {

void draw(const PlaneFlow&, const std::string&, const std::filesystem::path& path) {
  throw heddle::Error("picture", "'" + path.string() + "' cannot be drawn: heddle::plot was not built",
                      "install Cairo with its development files and build again");
}

} // namespace pressure_projection
