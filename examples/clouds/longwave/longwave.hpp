// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CLOUDS_LONGWAVE_HPP
#define HEDDLE_CLOUDS_LONGWAVE_HPP

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base_state.hpp"
#include "case.hpp"
#include "clock.hpp"
#include "flow.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/grid/field_access.hpp"
#include "heddle/io/checkpoint.hpp"
#include "heddle/transport/transport.hpp"

namespace clouds {

/// Heating by longwave radiation in all columns of a domain: vapour as a grey gas, and cloud water, between
/// the ground and air above the lid that does not change. It is computed now and then, and acts all the time.
/// Above the lid the temperature of the initial profile falls by 6.5 K/km to 200 K, and vapour with the third
/// power of pressure. Kernels, with their sources: longwave.py. Where ranks share the levels, each call gives
/// them whole columns first and brings the heating back: any number of ranks has the same bits.
template <class T> class Longwave {
public:
  /// Fluxes of one column, W m-2, upwards, on the lower faces of levels and the lid.
  struct Fluxes {
    std::vector<double> up, down;
  };

  /// th, q, cloud: the state that is radiated. lag: 0, or 1 for heating that is one call old, while the next
  /// one is computed beside the steps. All arguments must outlive this. Throws heddle::Error for more ranks
  /// than rows along x.
  Longwave(const Case& what, const BaseState& base, const Place& place, const Column<T>& column,
           heddle::Field<T>& th, heddle::Field<T>& q, heddle::Field<T>& cloud, int lag,
           heddle::Transport& transport);
  Longwave(const Longwave&) = delete;
  Longwave& operator=(const Longwave&) = delete;
  ~Longwave();

  /// The state as it is now sets the heating, at once; with a lag, that of the call before does. The first
  /// call computes at once. All ranks together.
  void run();
  /// Waits for what is under way. Throws what that has thrown.
  void finish() { loop_.finish(); }
  /// After theta_l of a stage: what radiation adds in it. length: of the step, s, in its first entry.
  void add_to_stage(Tasks& tasks, heddle::Field<T>& th_next, const heddle::Buffer<T>& length, double share);
  [[nodiscard]] heddle::Field<T>& heating() { return heating_; } ///< K s-1, of theta_l
  void add_to(heddle::Checkpoint& checkpoint);
  /// Of a column of this rank in the last call that did not lag, where that took all columns at once.
  [[nodiscard]] Fluxes column(std::int64_t x, std::int64_t y) const;

private:
  struct Scratch;
  struct Shared;

  /// From th, q and cloud to heating.
  class Task {
  public:
    explicit Task(Longwave& longwave) : l_(&longwave) {}
    static constexpr bool takes_versions = true;
    [[nodiscard]] static std::string_view name() { return "longwave"; }
    [[nodiscard]] std::vector<heddle::FieldAccess> accesses() const;
    [[nodiscard]] heddle::Memory memory() const { return l_->heating_.memory(); }
    void operator()(heddle::Stream& stream) const;

  private:
    Longwave* l_;
  };

  /// What a call reads and writes: of whole columns.
  struct Columns {
    heddle::Field<T>*th, *q, *cloud, *heating;
  };

  const Column<T>* column_;
  heddle::Field<T>*th_, *q_, *cloud_;
  heddle::Field<T> heating_;
  std::unique_ptr<Shared> shared_; // where there are several ranks
  Columns columns_;
  double first_exner_, above_lid_;
  std::unique_ptr<Scratch> scratch_; // of one call: calls do not overlap
  heddle::TaskGraph loop_;
};

} // namespace clouds

#endif
