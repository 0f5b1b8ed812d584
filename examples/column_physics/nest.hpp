// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_COLUMN_PHYSICS_NEST_HPP
#define HEDDLE_COLUMN_PHYSICS_NEST_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "clock.hpp"
#include "fields.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/graph/task_graph.hpp"
#include "outer.hpp"

namespace front {

/// The lateral boundaries of the blocks of one rank: what the coarser domain has there, interpolated, and the
/// end of a step, which leads the tracers there. All of it happens where the fields lie: no step waits for
/// the host.
class Nest {
public:
  Nest(const Place& place, const Weather& weather, const Clock& clock, Air& air, const Options& options);
  Nest(const Nest&) = delete;
  Nest& operator=(const Nest&) = delete;

  /// After the clock. Where a step of the coarser domain begins: its cells around each block at the end of
  /// that step, and tendencies that lead there from q; in other steps nothing.
  void add_begin(heddle::TaskGraph& graph);
  /// At the end of a step: q_a, heated and drawn towards the boundary, is q again.
  void add_end(heddle::TaskGraph& graph);

private:
  /// What a group of tracers has in a block.
  struct Zones {
    std::size_t group;
    int block;
    heddle::Buffer<float> coarse, strips; // strips: values, then tendencies
  };
  [[nodiscard]] heddle::FieldView<float> strip(Zones& zones, int which) const;
  void interpolate(Zones& zones, heddle::Stream& stream);
  void settle(Zones& zones, heddle::Stream& stream);

  const Clock* clock_;
  Air* air_;
  OuterAir outer_;
  double time_step_, spacing_;
  heddle::Field<float> share_;
  heddle::Field<std::int32_t> along_, depth_;
  std::vector<Zones> zones_; // the blocks of a group one after the other
};

} // namespace front

#endif
