// SPDX-License-Identifier: Apache-2.0
#include "flow.hpp"

#include <chrono>
#include <cmath>
#include <string>

#include "heddle/error.hpp"
#include "heddle/reduction.hpp"
#include "porous_sweeps.hpp"

namespace porous {
namespace {

heddle::IndexList list_of(const Voxels& image, heddle::Memory memory) {
  return {heddle::Box{{0, 0, 0}, image.extent}, image.pore, {true, true, true}, links, memory};
}

double along(const Drive& drive, int axis) {
  return drive.axis == axis ? drive.force : 0;
}

heddle::TaskGraphOptions graph(const char* name, heddle::Memory memory) {
  return {.name = name, .memory = memory, .capture = memory == heddle::Memory::device};
}

} // namespace

template <class T>
Flow<T>::Flow(const Voxels& image, const Drive& drive, heddle::Memory memory)
    : drive_(drive), voxels_(static_cast<double>(image.pore.size())), list_(list_of(image, memory)),
      f_(list_, 19, memory, "f"), f_next_(list_, 19, memory, "f_next"), rho_(list_, 1, memory, "rho"),
      u_(list_, 3, memory, "u"), loop_(graph("two steps", memory)), moments_(graph("moments", memory)) {
  // Populations are zero-centred: at rest, with density 1, all of them are zero.
  const SparseStepParameters parameters{.g_x = along(drive, 0),
                                        .g_y = along(drive, 1),
                                        .g_z = along(drive, 2),
                                        .omega = 1 / (3 * drive.viscosity + 0.5)};
  loop_.add(SparseStep<T>(f_, f_next_, list_.all(), parameters));
  loop_.add(SparseStep<T>(f_next_, f_, list_.all(), parameters));
  moments_.add(Moments<T>(f_, rho_, u_, list_.all(),
                          {.g_x = along(drive, 0), .g_y = along(drive, 1), .g_z = along(drive, 2)}));
}

template <class T> double Flow<T>::flux() {
  moments_.run();
  const heddle::Reduction<T> total(u_, heddle::ReductionKind::sum, drive_.axis);
  return total.value() / voxels_;
}

template <class T>
Steady Flow<T>::run(double tolerance, std::int64_t every, std::int64_t most,
                    const std::function<void(std::int64_t, double)>& seen) {
  Steady steady;
  while (!steady.met && steady.steps < most) {
    const auto begin = std::chrono::steady_clock::now();
    loop_.run(every / 2);
    steady.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    steady.steps += every;
    const double before = steady.flux;
    steady.flux = flux();
    if (!std::isfinite(steady.flux)) {
      throw heddle::Error("step " + std::to_string(steady.steps),
                          "the flow became unstable: its flux is not finite",
                          "choose a smaller --force or a larger --viscosity");
    }
    steady.met = std::abs(steady.flux - before) < tolerance * std::abs(steady.flux);
    if (seen) seen(steady.steps, steady.flux);
  }
  return steady;
}

template class Flow<float>;
template class Flow<double>;

} // namespace porous
