// SPDX-License-Identifier: Apache-2.0
#include "case.hpp"

namespace validation {

const char* name_of(Precision precision) {
  constexpr const char* names[] = {"f64", "f32", "mixed", "f16"};
  return names[static_cast<std::size_t>(precision)];
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto& group : {channel_cases(), wave_cases(), vortex_cases(), cavity_cases(), cylinder_cases(),
                            sphere_cases(), convection_cases()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

} // namespace validation
