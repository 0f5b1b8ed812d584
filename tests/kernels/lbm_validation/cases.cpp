// SPDX-License-Identifier: Apache-2.0
#include "case.hpp"

namespace validation {

const char* name_of(Precision precision) {
  constexpr const char* names[] = {"f64", "f32", "f32 moments", "mixed", "f16"};
  return names[static_cast<std::size_t>(precision)];
}

Case& Case::add(const std::vector<Precision>& precisions, double seconds, int threads,
                const std::function<Outcome(Precision)>& compute) {
  return add_anywhere(precisions, seconds, threads, 0,
                      [compute](Precision precision, heddle::Memory) { return compute(precision); });
}

Case& Case::add_anywhere(const std::vector<Precision>& precisions, double seconds, int threads,
                         double device_seconds,
                         const std::function<Outcome(Precision, heddle::Memory)>& compute) {
  for (const Precision precision : precisions) {
    constexpr double shares[] = {1, 0.6, 1, 1.1, 1}; // of the time of f64
    const double share = shares[static_cast<std::size_t>(precision)];
    runs.push_back({precision, share * seconds, threads,
                    [compute, precision](heddle::Memory memory) { return compute(precision, memory); },
                    share * device_seconds});
  }
  return *this;
}

std::vector<Case> cases(Size size) {
  std::vector<Case> all;
  for (const auto& group :
       {channel_cases(size), wave_cases(size), vortex_cases(size), cavity_cases(size), cylinder_cases(size),
        sphere_cases(size), convection_cases(size), equivalence_cases()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

} // namespace validation
