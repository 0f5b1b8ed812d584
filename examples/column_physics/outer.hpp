// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_COLUMN_PHYSICS_OUTER_HPP
#define HEDDLE_COLUMN_PHYSICS_OUTER_HPP

#include <array>
#include <cstdint>

#include "fields.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/grid/field_view.hpp"

namespace front {

/// The air of the coarser domain: tracers as functions of place and time, in cells of any size. Its kernels
/// are in model.py.
class OuterAir {
public:
  /// options: how many tracers the scheme has, and how many there are.
  OuterAir(const Place& place, const Weather& weather, const Options& options);

  /// Where the cells of a view lie: number of the first one along x and y in the domain, and their size, m.
  struct Cells {
    std::array<std::int64_t, 2> first;
    double size;
  };
  /// Sets a group of tracers, `q`, at the time `until` (s) if `begins` is 1. box: the levels.
  void operator()(heddle::Stream& stream, std::size_t group, const heddle::FieldView<float>& q,
                  const heddle::Box& box, const Cells& cells, const heddle::Buffer<std::int32_t>& begins,
                  const heddle::Buffer<float>& until) const;
  /// What the tracers of one rank are at the beginning.
  void start(const Place& place, Air& air) const;

private:
  heddle::Profile<float> theta_, vapour_, patches_;
  std::array<double, 2> waves_, drift_;
  std::int64_t scheme_tracers_, passive_;
};

} // namespace front

#endif
