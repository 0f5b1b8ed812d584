// SPDX-License-Identifier: Apache-2.0
#include "part.hpp"

#include "heddle/grid/block_kinds.hpp"

namespace porous {
namespace {

double along(const Drive& drive, int axis) {
  return drive.axis == axis ? drive.force : 0;
}

SparseStepParameters parameters(const Drive& drive) {
  return {.g_x = along(drive, 0),
          .g_y = along(drive, 1),
          .g_z = along(drive, 2),
          .omega = 1 / (3 * drive.viscosity + 0.5)};
}

} // namespace

// Populations are zero-centred: at rest, with density 1, all of them are zero.
template <class T>
Part<T>::Part(const Voxels& image, const Drive& drive, const heddle::BlockGrid& grid,
              heddle::Transport& transport, heddle::Memory memory)
    : list_(grid, transport.rank(), heddle::flags_in_memory(image.pore, grid.domain(), grid.periodic()),
            links, memory),
      f_(list_, 19, memory, "f"), f_next_(list_, 19, memory, "f_next"), rho_(list_, 1, memory, "rho"),
      u_(list_, 3, memory, "u"), forth_(f_, f_next_, list_.all(), parameters(drive)),
      back_(f_next_, f_, list_.all(), parameters(drive)), before_forth_(forth_.before(), transport),
      before_back_(back_.before(), transport),
      moments_(f_, rho_, u_, list_.all(),
               {.g_x = along(drive, 0), .g_y = along(drive, 1), .g_z = along(drive, 2)}),
      before_moments_(moments_.before(), transport) {}

template <class T> void Part<T>::add_steps(heddle::TaskGraph& loop) {
  loop.add(before_forth_);
  loop.add(forth_);
  loop.add(before_back_);
  loop.add(back_);
}

template <class T> void Part<T>::add_moments(heddle::TaskGraph& graph) {
  graph.add(
      before_moments_); // what a pull step leaves is to be read from the neighbours, as the next step would
  graph.add(moments_);
}

template class Part<float>;
template class Part<double>;

} // namespace porous
