// SPDX-License-Identifier: Apache-2.0
#include "heddle/core/error.hpp"
#include "picture.hpp"

namespace porous {

bool can_draw() {
  return false;
}

void draw(const Slice&, double, const std::string&, const std::string&, const std::filesystem::path& path) {
  throw heddle::Error("picture", "'" + path.string() + "' cannot be drawn: heddle::plot was not built",
                      "install Cairo with its development files and build again");
}

} // namespace porous
