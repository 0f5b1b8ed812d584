// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CLOUDS_STATISTICS_HPP
#define HEDDLE_CLOUDS_STATISTICS_HPP

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "base_state.hpp"
#include "case.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/grid/profile.hpp"
#include "heddle/projection/rank_values.hpp"
#include "heddle/transport/transport.hpp"
#include "sample.hpp"
#include "stepper.hpp"

namespace clouds {

/// Means over the lowest level.
struct LowestLevel {
  double stress_u = 0, stress_v = 0;     // upward flux of momentum, m2 s-2
  double theta_flux = 0, water_flux = 0; // upward, from a sea that gives them: K m/s and m/s
  double fallen = 0;                     // rain since the start, kg/m2
};

/// Statistics of the air of a stepper, where its fields lie: kernels of statistics.py sum over rows along x,
/// in double precision, and the host adds the rows of a level in one order. So any number of ranks has the
/// same bits, and from a device only sums of rows are copied. Fluxes are those that the scheme advects. All
/// ranks make the same calls, and get the same numbers.
template <class T> class Statistics {
public:
  /// All arguments must outlive this. Throws heddle::Error for rows that are too long for a device.
  Statistics(const Case& what, const BaseState& base, Stepper<T>& stepper, Scheme scheme,
             heddle::Transport& transport, heddle::Trace* trace = nullptr);
  ~Statistics();
  Statistics(const Statistics&) = delete;
  Statistics& operator=(const Statistics&) = delete;

  /// Of the state as it is now. After Stepper::survey().
  [[nodiscard]] Sample measure(double time);
  [[nodiscard]] LowestLevel lowest();

private:
  class Graphs;
  /// Sums of each quantity over each level of all ranks, divided by the number of cells of a level.
  using Means = std::vector<std::vector<double>>;

  [[nodiscard]] Graphs& graphs();
  [[nodiscard]] Means means_of(const heddle::Field<double>& rows);
  void set_centres(const Means& means, Sample& sample) const;
  void set_faces(const Means& means, Sample& sample) const;
  void set_deviations(const Means& means, Sample& sample) const;
  void set_columns(Sample& sample);
  void set_series(Sample& sample) const;

  const Case* what_;
  const BaseState* base_;
  Stepper<T>* stepper_;
  Scheme scheme_;
  heddle::Transport* transport_;
  heddle::Trace* trace_;
  heddle::RankValues ranks_;
  heddle::Field<T> none_; // zeros, in place of what a case does not have
  heddle::Field<double> rows_, deviation_rows_;
  heddle::Buffer<double> lowest_rows_, none_fallen_;
  heddle::Field<T> densest_, fastest_; // of columns: cloud water, upward velocity
  std::vector<std::unique_ptr<heddle::Profile<double>>> mean_profiles_;
  std::map<const State<T>*, std::unique_ptr<Graphs>> graphs_; // of each state that was measured
};

} // namespace clouds

#endif
