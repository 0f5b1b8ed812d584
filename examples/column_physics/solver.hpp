// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_COLUMN_PHYSICS_SOLVER_HPP
#define HEDDLE_COLUMN_PHYSICS_SOLVER_HPP

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "constants.hpp"
#include "heddle/core/trace.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/graph/transfers.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/io/checkpoint.hpp"
#include "heddle/transport/ranks.hpp"
#include "options.hpp"
#include "part.hpp"
#include "weather.hpp"

namespace front {

/// Steps of the whole domain on the ranks that there are. The bits do not depend on their number, nor on the
/// blocks.
class Solver {
public:
  /// All threads and processes construct it, and call it, together. All arguments must outlive it. Throws
  /// heddle::Error for a domain that cannot be divided as asked. trace: where to note what ran when, or null:
  /// steps on a GPU are recorded as a graph only without one.
  Solver(const Options& options, const Weather& weather, heddle::Ranks& ranks, heddle::Trace* trace);
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  /// `count` steps from the one with this number, counted from 0. A run begins with a step of the coarser
  /// domain: with a multiple of `ratio`. The host waits for a device at the end of a call, not in between.
  void step(std::int64_t number, std::int64_t count = 1);
  /// What a check finds in the blocks here: the largest Courant number, and how many values of tracers are
  /// negative by rounding.
  struct Found {
    double courant = 0;
    std::int64_t negative = 0;
  };
  /// Throws heddle::Error with the place where the step with this number would be too long for the wind, or
  /// where a tracer is not finite.
  Found check(std::int64_t number);

  /// Launches of a step in the CUDA graph that steps were recorded as; 0 where they were not.
  [[nodiscard]] double launches() const { return loop_.recorded_nodes(); }
  /// What a check takes from a device, copy by copy; empty on a host.
  [[nodiscard]] const heddle::Transfers& transfers() const { return look_; }
  /// Radiation for the tracers of now, for those who call it themselves, on a host.
  void radiate() { radiation_.run(1); }
  /// Waits for radiation that is under way.
  void finish() { loop_.finish(); }
  void add_to(heddle::Checkpoint& checkpoint);
  /// The blocks as the processes of the ranks share them.
  [[nodiscard]] heddle::BlockGrid process_grid() const { return ranks_->process_grid(grid_); }
  [[nodiscard]] const std::vector<std::unique_ptr<Part>>& parts() const { return parts_; }
  /// What the values of a field of `Air` are on the whole domain, x fastest, on rank 0; elsewhere empty.
  /// plane: it has one value per column.
  [[nodiscard]] std::vector<float> gather(const std::function<const heddle::Field<float>&(const Air&)>& field,
                                          int component = 0, bool plane = false) const;
  [[nodiscard]] std::vector<float> gather(heddle::Field<float> Air::* field, int component = 0,
                                          bool plane = false) const {
    return gather([field](const Air& air) -> const heddle::Field<float>& { return air.*field; }, component,
                  plane);
  }
  /// The same of a tracer.
  [[nodiscard]] std::vector<float> tracer(int number) const;

private:
  void set_clocks(std::int64_t steps);

  const Options* options_;
  heddle::Ranks* ranks_;
  heddle::BlockGrid grid_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::int64_t clock_at_ = -1;  // the number of steps that the clocks show; none yet
  heddle::TaskGraph radiation_; // of all parts here: one task that may lag
  heddle::TaskGraph loop_, checks_;
  heddle::Transfers look_; // tasks of a check
  Found found_;
};

/// "advection 55 %, microphysics 30 %, ...": what each part took of the time of the tasks in a trace, and how
/// long what ran beside them took.
[[nodiscard]] std::string shares(const heddle::Trace& trace);

} // namespace front

#endif
