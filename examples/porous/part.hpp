// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_POROUS_PART_HPP
#define HEDDLE_POROUS_PART_HPP

#include <array>
#include <cstdint>

#include "heddle/graph/task_graph.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/halo/halo_exchange.hpp"
#include "heddle/sparse/index_list.hpp"
#include "heddle/sparse/sparse_field.hpp"
#include "heddle/transport/transport.hpp"
#include "porous_sweeps.hpp"
#include "voxels.hpp"

namespace porous {

/// How the flow is driven. Lattice units: voxels, steps, density 1.
struct Drive {
  int axis = 0;
  double viscosity = 1.0 / 6;
  double force = 1e-6; ///< a volume, along the axis: what a pressure that falls by so much a voxel does
};

/// The pores of one rank: its slab of the image, two arrays of populations, and the generated sweeps on them.
template <class T> class Part {
public:
  Part(const Voxels& image, const Drive& drive, const heddle::BlockGrid& grid, heddle::Transport& transport,
       heddle::Memory memory);
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  /// A step from the first array to the second, and one back.
  void add_steps(heddle::TaskGraph& loop);
  /// The velocity from the populations.
  void add_moments(heddle::TaskGraph& graph);

  [[nodiscard]] const heddle::IndexList& list() const { return list_; }
  [[nodiscard]] const heddle::SparseField<T>& velocity() const { return u_; }

private:
  heddle::IndexList list_;
  heddle::SparseField<T> f_, f_next_, rho_, u_;
  SparseStep<T> forth_, back_;
  heddle::HaloExchange before_forth_, before_back_;
  Moments<T> moments_;
  heddle::HaloExchange before_moments_;
};

extern template class Part<float>;
extern template class Part<double>;

} // namespace porous

#endif
