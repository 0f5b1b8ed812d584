// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SOLVERS_COLOURED_SWEEP_HPP
#define HEDDLE_SOLVERS_COLOURED_SWEEP_HPP

#include <array>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "heddle/core/dispatch.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/graph/sweep.hpp"
#include "heddle/grid/box.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/solvers/colour_range.hpp"
#include "heddle/solvers/wavefront_sweep.hpp"

namespace heddle {

/// The colours that a kernel sweeps: two arguments. Constructing the sweep throws Error where blocks of
/// `field` begin at odd cells.
template <class T> [[nodiscard]] auto colours(const Field<T>& field) {
  return ComputedArgument(
      [](const SweepCells& cells) { return std::tuple(cells.colours[0], cells.colours[1]); },
      [f = &field](const SweepDomain& domain) { require_even_blocks(*f, domain.kernel); });
}

/// A sweep over the cells of each block, colour by colour.
template <class Derived, int axes, class Scalars = NoParameters>
class ColouredSweep : public Sweep<Derived, axes, Scalars> {
public:
  using base = ColouredSweep;
  using Exchanged = DenseExchange;
  /// Whether the second colour may follow the first plane by plane: see wavefront_sweep. Some kernels say so.
  static constexpr bool wavefront = false;

  /// range: the colours to sweep, one after the other.
  template <class... Arguments>
  ColouredSweep(const char* name, ColourRange range, const Arguments&... arguments)
      : Sweep<Derived, axes, Scalars>(name, arguments...), colours(range) {
    this->bind(arguments...);
  }

  void in_graph(Stream& stream) const {
    this->each_block(stream, [&](int block, Stream& branch) {
      if constexpr (Derived::wavefront) {
        if (!runs_on_device<Derived>(branch)) return in_planes(branch, block);
      }
      this->call(branch, {.block = block, .colours = {colours.first, colours.last}});
    });
  }

  ColourRange colours;

private:
  void in_planes(Stream& stream, int block) const {
    const std::array<std::int64_t, 4>& extent = this->domain().blocks[static_cast<std::size_t>(block)];
    wavefront_sweep(extent, colours, [&](const PlaneRange& planes, const ColourRange& range) {
      const Box box{{0, 0, planes.first}, {extent[0], extent[1], planes.last}};
      this->call(stream, {.block = block, .box = &box, .colours = {range.first, range.last}});
    });
  }
};

} // namespace heddle

#endif
