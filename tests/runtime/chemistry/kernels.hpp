// SPDX-License-Identifier: Apache-2.0
// The mechanisms of model.py.
#ifndef HEDDLE_TESTS_RUNTIME_CHEMISTRY_KERNELS_HPP
#define HEDDLE_TESTS_RUNTIME_CHEMISTRY_KERNELS_HPP

#include "heddle/chemistry/chemistry.hpp"
#include "reactions.hpp"

namespace reaction_tests {

inline heddle::ChemicalMechanism ozone() {
  return {"ozone", {"O", "O3", "NO", "NO2"}, {"PHOTO.NO2", "PHOTO.O3", "EMIS.NO"}};
}
inline heddle::ChemicalMechanism robertson() {
  return {"robertson", {"A", "B", "C"}, {}};
}

inline void integrate_ozone(const heddle::CellBatch& b) {
  reactions::ozone(b.concentration, b.temperature, b.pressure, b.rate_input, b.step, b.outcome, b.steps,
                   b.absolute_tolerance, b.interval, b.relative_tolerance);
}
inline void integrate_robertson(const heddle::CellBatch& b) {
  reactions::robertson(b.concentration, b.temperature, b.pressure, b.step, b.outcome, b.steps,
                       b.absolute_tolerance, b.interval, b.relative_tolerance);
}
inline void integrate_hurried(const heddle::CellBatch& b) {
  reactions::hurried(b.concentration, b.temperature, b.pressure, b.step, b.outcome, b.steps,
                     b.absolute_tolerance, b.interval, b.relative_tolerance);
}

/// With a tolerance per species.
inline void integrate_each(const heddle::CellBatch& b) {
  reactions::each(b.concentration, b.temperature, b.pressure, b.step, b.outcome, b.steps,
                  b.absolute_tolerance, b.interval, b.relative_tolerance);
}

} // namespace reaction_tests

#endif
