// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_SPARSE_SPECULAR_LINKS_HPP
#define HEDDLE_SRC_SPARSE_SPECULAR_LINKS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "heddle/sparse/link.hpp"

namespace heddle {

/// Throws Error: a face along a periodic axis slips.
[[noreturn]] void refuse_slip(std::size_t axis);

/// Links that come back from faces without friction.
class SpecularLinks {
public:
  /// Throws Error where a slipping face lies along a periodic axis, or a link has no mirror image.
  SpecularLinks(std::span<const Link> links, const std::array<bool, 3>& periodic,
                const std::array<bool, 6>& slips);

  /// Whether a link that leads to `position` comes back from a face across an axis.
  [[nodiscard]] bool turns(std::size_t axis, std::int64_t position, std::int64_t extent) const {
    return (position < 0 && slips_[2 * axis]) || (position >= extent && slips_[2 * axis + 1]);
  }
  /// The link whose offset is turned along the axes of these bits.
  [[nodiscard]] std::size_t operator()(std::size_t link, unsigned turned) const {
    return images_[link][turned];
  }

private:
  std::array<bool, 6> slips_;
  std::vector<std::array<std::size_t, 8>> images_;
};

} // namespace heddle

#endif
