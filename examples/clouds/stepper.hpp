// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CLOUDS_STEPPER_HPP
#define HEDDLE_CLOUDS_STEPPER_HPP

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base_state.hpp"
#include "case.hpp"
#include "clock.hpp"
#include "flow.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/core/trace.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/io/checkpoint.hpp"
#include "heddle/projection/rank_values.hpp"
#include "heddle/projection/slab_projection.hpp"
#include "heddle/solvers/surface_layer.hpp"
#include "heddle/transport/transport.hpp"
#include "longwave.hpp"
#include "rain.hpp"
#include "sinking.hpp"

namespace clouds {

/// What limits the next time step, the same on all ranks: the largest |u|/dx + |v|/dy + |w|/h of a cell, and
/// the largest K_h (1/dx^2 + 1/dy^2 + 1/h^2), both 1/s.
struct Rates {
  double advection = 0, diffusion = 0;
};

/// Where a stepper computes.
struct Machine {
  heddle::Memory memory = heddle::Memory::host; // where fields lie and kernels run
  /// Solve for the pressure on the host, whose transforms round otherwise than those of a device: all results
  /// then have the bits of a host. Slow.
  bool host_pressure = false;
  heddle::Trace* trace = nullptr; // where to note when tasks ran; they then follow each other. Outlives it.
};

/// The air of one rank, and what takes it from one time to the next. All ranks make the same calls.
template <class T> class Stepper {
public:
  /// transport must outlive this. Throws heddle::Error for a domain that cannot be divided among the ranks,
  /// and for Williamson's steps of a case in which water cannot become negative.
  Stepper(const Case& what, const BaseState& base, const std::array<std::int64_t, 3>& cells, Scheme scheme,
          heddle::Transport& transport, const Machine& machine = {},
          RungeKutta steps = RungeKutta::wicker_skamarock);
  ~Stepper();
  Stepper(const Stepper&) = delete;
  Stepper& operator=(const Stepper&) = delete;

  /// Initial profiles with noise of this seed; without divergence.
  void start(std::uint64_t seed);
  /// Makes what was set in now() a flow without divergence.
  void project();
  /// Viscosity and cloud water of the present state, and what they mean for the next step.
  Rates survey();
  /// Computes the heating by longwave radiation anew, in a case with it; see Longwave::run. After survey().
  void radiate();
  /// Waits for what goes on beside the steps. Throws what that has thrown.
  void finish();
  /// Three stages, each with a projection; then rain falls and forms. After survey().
  void step(double length);
  /// The step before the first one of advance(), s: none is longer than 1.05 times the one before it, where
  /// no end had cut that.
  void set_last_step(double length) { last_step_ = length; }
  [[nodiscard]] double last_step() const { return last_step_; }
  /// Steps of the length that the flow allows for a time (s), each followed by a survey; returns their
  /// number. After survey(). Throws heddle::Error as Clock::read.
  std::int64_t advance(double time);

  [[nodiscard]] State<T>& now() { return *states_[now_]; }
  [[nodiscard]] heddle::Field<T>& viscosity() { return viscosity_; } ///< K_m, m2 s-1
  [[nodiscard]] heddle::Field<T>& cloud() { return cloud_; }         ///< q_c, kg/kg
  /// By longwave radiation, of theta_l, K s-1; null in a case without.
  [[nodiscard]] heddle::Field<T>* heating() { return longwave_ ? &longwave_->heating() : nullptr; }
  /// Minus the stress of a wind of 1 m/s, in the lowest level, m/s.
  [[nodiscard]] heddle::Field<T>& drag() { return drag_; }
  /// Upward fluxes of theta_l (0) and water (1) that a sea gives, in the lowest level, K m/s and m/s; null
  /// in a case without.
  [[nodiscard]] heddle::Field<T>* sea_flux(int which) {
    return what_->sea ? &rain_->sea_flux(which) : nullptr;
  }
  [[nodiscard]] const Column<T>& column() const { return column_; }
  /// Rain at the ground since the start, kg/m2, in the lowest level; null in a case without rain or sea.
  [[nodiscard]] heddle::Field<double>* fallen() { return rain_ ? &rain_->fallen() : nullptr; }
  [[nodiscard]] const Place& place() const { return place_; }
  /// The largest divergence times the width of a cell, m/s (density 1).
  [[nodiscard]] double divergence();

  void add_to(heddle::Checkpoint& checkpoint);
  /// Brings the state where a checkpoint takes it from.
  void settle();
  /// After a checkpoint was read.
  void restored() { now_ = 0; }

private:
  class Graph;

  /// What projects a state, as a task.
  struct Project;

  /// Memory::device where a projection only puts work into a stream of the device.
  [[nodiscard]] heddle::Memory work_of_streams() const;
  /// Whether a step from one of the first two states ends in the other one.
  [[nodiscard]] bool alternates() const;
  /// Whether the first stages find the buoyancy of what they leave: on a GPU, where nothing changes that
  /// further.
  [[nodiscard]] bool scalars_lift() const;
  /// Whether steps are recorded once and launched as a whole.
  [[nodiscard]] bool recorded() const;

  const Case* what_;
  const BaseState* base_;
  Scheme scheme_;
  RungeKutta runge_kutta_;
  heddle::Transport* transport_;
  heddle::Trace* trace_;
  bool host_pressure_;
  Place place_;
  Column<T> column_;
  heddle::SlabProjection<T> projection_;
  std::unique_ptr<State<T>> mirror_; // of velocities, where the host projects those of a device
  heddle::RankValues ranks_;
  heddle::Stream stream_;
  std::array<std::unique_ptr<State<T>>, 3> states_;
  std::size_t now_ = 0;
  bool winds_are_filled_ = false; // whether a projection fills ghost cells along x and y
  heddle::Field<T> viscosity_, cloud_, buoyancy_;
  heddle::Field<T> drag_, rise_u_, rise_v_; // in the lowest cells
  heddle::SurfaceLayerTable surface_;
  heddle::Buffer<T> drag_table_, advection_, diffusion_;
  Clock<T> clock_;
  std::unique_ptr<Rain<T>> rain_;         // in a case that needs it
  std::unique_ptr<Longwave<T>> longwave_; // likewise
  std::unique_ptr<Sinking<T>> sinking_;   // likewise
  double last_step_ = 0;
  // Of state 0, and of state 1; `two_steps_` begins at state 0.
  std::array<std::unique_ptr<Graph>, 2> surveys_, stages_, steps_;
  std::unique_ptr<Graph> two_steps_;
};

} // namespace clouds

#endif
