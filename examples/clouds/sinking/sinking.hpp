// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CLOUDS_SINKING_HPP
#define HEDDLE_CLOUDS_SINKING_HPP

#include <string_view>
#include <vector>

#include "base_state.hpp"
#include "case.hpp"
#include "clock.hpp"
#include "flow.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/grid/field_access.hpp"

namespace clouds {

/// Subsidence of a case that acts on the means of levels: dphi/dt = -w_ls d<phi>/dz for u, v, theta_l and
/// total water. Deviations from the means then do not feel it. Means are of the state from which a stage has
/// its rates, and are computed where the fields lie; nobody waits for them. They have the same bits for any
/// number of ranks.
template <class T> class Sinking {
public:
  /// All arguments but `what` must outlive this. length: of the step, s, in its first entry.
  Sinking(const Case& what, const BaseState& base, const Place& place, const heddle::Buffer<T>& length);
  Sinking(const Sinking&) = delete;
  Sinking& operator=(const Sinking&) = delete;

  /// What it adds in a share of a step to a state that a stage computes from `now`. water: of that state, or
  /// what becomes it.
  void add_to_stage(Tasks& tasks, State<T>& now, State<T>& next, heddle::Field<T>& water, double share);

private:
  /// From the sums of rows to the rates of levels, and from them to the next state: a task.
  class Task {
  public:
    Task(Sinking& sinking, State<T>& next, heddle::Field<T>& water, double share)
        : s_(&sinking), next_(&next), water_(&water), share_(share) {}
    [[nodiscard]] static std::string_view name() { return "sinking air"; }
    [[nodiscard]] std::vector<heddle::FieldAccess> accesses() const;
    [[nodiscard]] heddle::Memory memory() const { return s_->rows_.memory(); }
    void operator()(heddle::Stream& stream) const;

  private:
    Sinking* s_;
    State<T>* next_;
    heddle::Field<T>* water_;
    double share_;
  };

  const heddle::Buffer<T>* length_;
  heddle::Field<double> rows_;
  std::int64_t levels_;                        // of this rank
  heddle::Buffer<double> wind_, air_, values_; // weights of levels; rates of u, v, theta_l, water
};

} // namespace clouds

#endif
