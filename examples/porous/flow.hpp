// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_POROUS_FLOW_HPP
#define HEDDLE_POROUS_FLOW_HPP

#include <array>
#include <cstdint>
#include <functional>

#include "heddle/index_list.hpp"
#include "heddle/sparse_field.hpp"
#include "heddle/task_graph.hpp"
#include "voxels.hpp"

namespace porous {

/// How the flow is driven. Lattice units: voxels, steps, density 1.
struct Drive {
  int axis = 0;
  double viscosity = 1.0 / 6;
  double force = 1e-6; ///< a volume, along the axis: what a pressure that falls by so much a voxel does
};

/// A steady flow, and how it was reached.
struct Steady {
  double flux = 0; ///< mean velocity along the axis over all voxels, solid ones too
  std::int64_t steps = 0;
  double seconds = 0; ///< in steps
  bool met = false;   ///< the flux changed by less than the tolerance at the end
};

/// Creeping flow through the pores of a periodic image, on a list of its pore voxels, in f32 or f64. At rest
/// at first.
template <class T> class Flow {
public:
  /// Throws heddle::Error where there is no pore or not enough memory.
  Flow(const Voxels& image, const Drive& drive, heddle::Memory memory);
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;

  /// Steps until the flux changes by less than `tolerance` of itself in `every` steps (an even number), but
  /// at most `most` steps. seen: called after each `every` steps with the steps so far and the flux.
  Steady run(double tolerance, std::int64_t every, std::int64_t most,
             const std::function<void(std::int64_t, double)>& seen = {});

  /// Two steps.
  void step_twice() { loop_.run(1); }

  /// Permeability in voxels^2 by Darcy's law, flux = permeability / viscosity * force. For an image in a
  /// duct, `length` of `period` voxels along the axis are the medium, which has nearly all of the pressure
  /// drop.
  [[nodiscard]] static double permeability(const Drive& drive, double flux, std::int64_t length,
                                           std::int64_t period) {
    return drive.viscosity * flux / drive.force * static_cast<double>(length) / static_cast<double>(period);
  }

  [[nodiscard]] const heddle::IndexList& list() const { return list_; }
  /// Velocity of the state after the last run().
  [[nodiscard]] const heddle::SparseField<T>& velocity() const { return u_; }

private:
  [[nodiscard]] double flux();

  Drive drive_;
  double voxels_;
  heddle::IndexList list_;
  heddle::SparseField<T> f_, f_next_, rho_, u_;
  heddle::TaskGraph loop_, moments_;
};

extern template class Flow<float>;
extern template class Flow<double>;

} // namespace porous

#endif
