// SPDX-License-Identifier: Apache-2.0
#include "heddle/solvers/coarse_level.hpp"

#include <algorithm>
#include <cmath>

namespace heddle {

Centres even_centres(std::int64_t cells, double size) {
  Centres centres;
  for (std::int64_t i = -1; i <= cells; ++i)
    centres.push_back((static_cast<double>(i) + 0.5) * size);
  return centres;
}

Centres coarser(const Centres& fine) {
  const std::size_t cells = fine.size() - 2;
  Centres centres{fine.front()};
  for (std::size_t i = 1; i <= cells; i += 2)
    centres.push_back(i + 1 <= cells ? (fine[i] + fine[i + 1]) / 2 : fine[i]);
  centres.push_back(fine.back());
  return centres;
}

Cells3 merged_cells(const std::array<Centres, 3>& centres) {
  constexpr double longest = 2.5;
  std::size_t shortest = 3;
  std::array<double, 3> size{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Centres& c = centres[axis];
    if (c.size() <= 3) continue; // one cell
    size[axis] = HUGE_VAL;
    for (std::size_t i = 2; i + 1 < c.size(); ++i)
      size[axis] = std::min(size[axis], c[i] - c[i - 1]);
    if (shortest == 3 || size[axis] < size[shortest]) shortest = axis;
  }
  if (shortest == 3 || *std::max_element(size.begin(), size.end()) <= longest * size[shortest])
    return {2, 2, 2};
  Cells3 merged{1, 1, 1};
  merged[shortest] = 2;
  return merged;
}

std::vector<FaceRun> coarse_faces(const Centres& fine) {
  const Centres coarse = coarser(fine);
  const auto cells = static_cast<std::int64_t>(fine.size()) - 2;
  const auto last = static_cast<std::int64_t>(coarse.size()) - 2;
  const auto distance = [](const Centres& centres, std::int64_t face) {
    const auto above = static_cast<std::size_t>(face) + 1;
    return centres[above] - centres[above - 1];
  };
  std::vector<FaceRun> runs;
  for (std::int64_t face = 0; face <= last; ++face) {
    const std::int64_t fine_face = std::min(2 * face, cells);
    const double factor = distance(fine, fine_face) / distance(coarse, face);
    const bool continues = !runs.empty() && std::abs(runs.back().factor - factor) < 1e-12 &&
                           runs.back().fine + 2 * runs.back().count == fine_face;
    if (continues) {
      ++runs.back().count;
    } else {
      runs.push_back({face, 1, fine_face, factor});
    }
  }
  return runs;
}

} // namespace heddle
