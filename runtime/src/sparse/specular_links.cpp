// SPDX-License-Identifier: Apache-2.0
#include "specular_links.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "heddle/core/error.hpp"

namespace heddle {

namespace {

/// The link that is `l` with its offset turned along the axes of these bits.
std::size_t image(std::span<const Link> links, std::size_t l, unsigned turned) {
  std::array<int, 3> offset = links[l].offset;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (std::abs(offset[axis]) > 1)
      throw Error("IndexList",
                  "row " + std::to_string(l) + " is two cells long, which free-slip faces do not support",
                  "use links to the nearest cells");
    if (((turned >> axis) & 1U) != 0) offset[axis] = -offset[axis];
  }
  const auto same = [&](const Link& link) { return link.offset == offset; };
  const auto found = std::find_if(links.begin(), links.end(), same);
  if (found == links.end())
    throw Error("IndexList", "row " + std::to_string(l) + " has no mirror image, which free-slip faces need",
                "use the links of a lattice");
  return static_cast<std::size_t>(found - links.begin());
}

} // namespace

void refuse_slip(std::size_t axis) {
  throw Error("IndexList",
              std::string("a face along ") + "xyz"[axis] + " is free-slip, but the axis is periodic",
              "choose one of them");
}

SpecularLinks::SpecularLinks(std::span<const Link> links, const std::array<bool, 3>& periodic,
                             const std::array<bool, 6>& slips)
    : slips_(slips), images_(links.size()) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (periodic[axis] && (slips[2 * axis] || slips[2 * axis + 1])) refuse_slip(axis);
  }
  const bool any = std::find(slips.begin(), slips.end(), true) != slips.end();
  for (std::size_t l = 0; l < links.size(); ++l) {
    for (unsigned turned = 0; turned < 8; ++turned)
      images_[l][turned] = any ? image(links, l, turned) : l;
  }
}

} // namespace heddle
