// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_COLUMN_PHYSICS_PART_HPP
#define HEDDLE_COLUMN_PHYSICS_PART_HPP

#include <functional>
#include <memory>
#include <vector>

#include "clock.hpp"
#include "column_physics_sweeps.hpp"
#include "fields.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/graph/transfers.hpp"
#include "heddle/halo/halo_exchange.hpp"
#include "heddle/io/checkpoint.hpp"
#include "heddle/transport/transport.hpp"
#include "nest.hpp"
#include "radiation.hpp"

namespace front {

/// What one rank computes: its blocks, and the tasks of a step on them.
class Part {
public:
  Part(const Options& options, const Place& place, const Weather& weather, heddle::Transport& transport);
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  /// The clock, and mass fluxes at its time, with those of neighbours.
  template <class Graph> void add_wind(Graph& graph) {
    graph.add(clock_);
    graph.add(wind_);
  }
  /// `look`, on the host, at tracers and mass fluxes: with what that takes from a device.
  void add_look(heddle::Transfers& graph, std::function<void()> look);
  /// Three stages, the last one limited: from q to q_a.
  void add_advection(heddle::TaskGraph& graph);
  /// Clouds and rain, on q_a.
  void add_microphysics(heddle::TaskGraph& graph);
  /// After the clock, and at the end of a step.
  void add_boundary(heddle::TaskGraph& graph) { nest_.add_begin(graph); }
  void add_end(heddle::TaskGraph& graph) { nest_.add_end(graph); }

  [[nodiscard]] Clock& clock() { return clock_; }
  [[nodiscard]] Radiation& radiation() { return radiation_; }
  [[nodiscard]] Air& air() { return air_; }
  [[nodiscard]] const Air& air() const { return air_; }
  void add_to(heddle::Checkpoint& checkpoint);

private:
  /// The last stage of a group of tracers, from q_b to q_a, whose fluxes are limited.
  class Limited {
  public:
    virtual ~Limited() = default;
    virtual void add_to(heddle::TaskGraph& graph) = 0;
  };
  class InThreeKernels;
  class AtOnce;
  /// How a group of tracers moves.
  struct Advection {
    Advection(Air& air, Tracers& group, double time_step, double per_spacing, heddle::Transport& transport);

    column_physics::Stage<float> first, second;
    heddle::HaloExchange before_first, before_second;
    std::unique_ptr<Limited> last;
  };

  void add_wsm3(heddle::TaskGraph& graph);
  void add_wsm5(heddle::TaskGraph& graph);

  double time_step_, per_spacing_;
  Scheme scheme_;
  bool cells_apart_;
  Clock clock_;
  Air air_;
  Nest nest_;
  Radiation radiation_;
  column_physics::Wind<float> wind_;
  std::vector<std::unique_ptr<Advection>> advection_; // of each group
};

} // namespace front

#endif
