// SPDX-License-Identifier: Apache-2.0
#include "heddle/core/error.hpp"
#include "picture.hpp"

namespace air_quality {

bool can_draw() {
  return false;
}

void draw_picture(const Column&, const Sun&, const History&, const std::string&,
                  const std::filesystem::path& file) {
  throw heddle::Error("picture '" + file.string() + "'", "this program was built without heddle::plot",
                      "install Cairo (Debian: libcairo2-dev) and configure again");
}

} // namespace air_quality
