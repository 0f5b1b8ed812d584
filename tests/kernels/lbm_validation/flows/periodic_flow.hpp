// SPDX-License-Identifier: Apache-2.0
#ifndef LBM_VALIDATION_PERIODIC_FLOW_HPP
#define LBM_VALIDATION_PERIODIC_FLOW_HPP

#include "case.hpp"
#include "lbm_validation.hpp"
#include "lbm_validation_sweeps.hpp"
#include "moment_flow.hpp"

namespace validation {

/// A plane flow in a periodic box by the cumulant operator: start(omega, state), step(omega), moments(cell).
template <class T> class PlanePopulations {
public:
  explicit PlanePopulations(const Cell& extent)
      : flow_(d2q9, lbm_validation::links, extent, all_cells(extent), {true, true, true}) {}

  template <class F> void start(double omega, F&& state) { flow_.start(omega, state); }
  void step(double omega) {
    flow_.step([&](const auto&... arguments) { lbm_validation::cumulant(arguments..., omega); });
  }
  [[nodiscard]] std::pair<double, Vector> moments(const Cell& cell) const {
    return flow_.moments(flow_.number(cell));
  }

private:
  ListFlow<T, 9> flow_;
};

/// Calls f(flow) with a plane periodic flow in the given precision; moments have the regularised
/// operator.
template <class F> auto with_plane_flow(Precision precision, const Cell& extent, F&& f) {
  if (in_moments(precision)) {
    return with_stress(precision, [&]<class T>(T) {
      MomentFlow<2, T> flow(extent);
      return f(flow);
    });
  }
  return with_storage(precision, [&]<class T>(T) {
    PlanePopulations<T> flow(extent);
    return f(flow);
  });
}

} // namespace validation

#endif
