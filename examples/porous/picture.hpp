// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_POROUS_PICTURE_HPP
#define HEDDLE_POROUS_PICTURE_HPP

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace porous {

/// A plane through a medium: `speed` of nx * ny voxels, x fastest; negative in solid ones.
struct Slice {
  std::int64_t nx = 0;
  std::int64_t ny = 0;
  std::vector<float> speed;
};

/// Whether this program can draw: heddle::plot (Cairo) was there when it was built.
[[nodiscard]] bool can_draw();
/// Writes a picture of a plane, `unit` being the speed that the colour bar calls 1. Throws heddle::Error
/// where the file cannot be written, or nothing can be drawn.
void draw(const Slice& slice, double unit, const std::string& title, const std::string& subtitle,
          const std::filesystem::path& path);

} // namespace porous

#endif
