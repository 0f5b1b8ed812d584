// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_PROJECTION_SLAB_PROJECTION_HPP
#define HEDDLE_PROJECTION_SLAB_PROJECTION_HPP

#include <cstdint>
#include <memory>

#include "heddle/core/buffer.hpp"
#include "heddle/poisson/boundary_lift.hpp"
#include "heddle/poisson/slab_poisson.hpp"
#include "heddle/projection/flow_operators.hpp"
#include "heddle/projection/staggered_grid.hpp"
#include "heddle/transport/transport.hpp"

namespace heddle {

/// A projection whose levels are split among the ranks of a transport, in the memory of the host or of a
/// device: the same as Projection on one rank, see SlabPoisson for how far to the bit. Beside what the solver
/// sends, a level of faces and a level of pressure cross between neighbouring ranks.
///
/// T, P and rounds: as for Projection.
template <class T, class P = T> class SlabProjection {
public:
  /// All ranks construct the same projections in the same order; transport must outlive this. memory: where
  /// velocities lie. Throws Error as SlabPoisson and Projection do.
  SlabProjection(const StaggeredGrid& grid, Transport& transport, Memory memory = Memory::host,
                 SlabMethod method = SlabMethod::automatic, int rounds = 0);
  ~SlabProjection();
  SlabProjection(SlabProjection&&) noexcept;
  SlabProjection& operator=(SlabProjection&&) noexcept;
  SlabProjection(const SlabProjection&) = delete;
  SlabProjection& operator=(const SlabProjection&) = delete;

  /// The levels of this rank, which views hold: first <= k < last.
  [[nodiscard]] std::int64_t first_level() const;
  [[nodiscard]] std::int64_t last_level() const;

  // All ranks call each of the following together, which waits for the stream where messages are on the host.

  /// Projects this rank's levels. Fills the faces at upper ends, those towards the rank above included.
  void operator()(const Velocity<T>& velocity, double step, Stream& stream);
  /// Whether projections of velocities that lie in memory as these fill so many ghost layers along x and y,
  /// too, at all levels of faces: they do from then on where their last pass over memory can.
  [[nodiscard]] bool fills_beside(const Velocity<T>& velocity, int ghosts);
  /// The same, done on return; for velocities in the host's memory.
  void operator()(const Velocity<T>& velocity, double step = 1);
  /// Fills faces or ghost cells beyond the sides of the domain and from the levels of other ranks.
  void fill(const Velocity<T>& velocity, Rim rim, Stream& stream);
  /// Of the levels of all ranks, the same on all.
  [[nodiscard]] DivergenceNorms norms(const Velocity<T>& velocity, Stream& stream);
  [[nodiscard]] double mean(FieldView<T> component, int axis, Stream& stream);

  [[nodiscard]] const FlowOperators<T, P>& operators() const noexcept;
  [[nodiscard]] const SlabPoisson<P>& solver() const noexcept;

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

} // namespace heddle

#endif
