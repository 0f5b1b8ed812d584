// SPDX-License-Identifier: Apache-2.0
#include "flow.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

#include "heddle/core/error.hpp"

namespace porous {

template <class T>
Flow<T>::Flow(const Voxels& image, const Drive& drive, heddle::Memory memory, heddle::Ranks& ranks)
    : ranks_(&ranks), drive_(drive), voxels_(static_cast<double>(image.pore.size())),
      grid_(
          heddle::BlockGrid::slabs({{0, 0, 0}, image.extent}, {true, true, true}, ranks.count(), image.pore)),
      loop_({.name = "two steps", .memory = memory, .capture = heddle::Capture::once}),
      moments_({.name = "moments", .memory = memory}) {
  ranks.each([&](heddle::Transport& transport) {
    parts_.push_back(std::make_unique<Part<T>>(image, drive, grid_, transport, memory));
    parts_.back()->add_steps(loop_);
    parts_.back()->add_moments(moments_);
  });
  total_.emplace(process_grid(), velocity(), heddle::ReductionKind::sum, ranks.processes(), drive.axis);
}

template <class T> std::vector<const heddle::SparseField<T>*> Flow<T>::velocity() const {
  std::vector<const heddle::SparseField<T>*> fields;
  for (const auto& part : parts_)
    fields.push_back(&part->velocity());
  return fields;
}

template <class T> heddle::ListReport Flow<T>::lists() const {
  heddle::ListReport all;
  for (const auto& part : parts_)
    all += part->list().report();
  return all;
}

template <class T> double Flow<T>::flux() {
  moments_.run();
  return total_->value() / voxels_;
}

template <class T>
Steady Flow<T>::run(double tolerance, std::int64_t every, std::int64_t most,
                    const std::function<void(std::int64_t, double)>& seen) {
  Steady steady;
  while (!steady.met && steady.steps < most) {
    const std::int64_t steps = std::min(every, most - steady.steps);
    const auto begin = std::chrono::steady_clock::now();
    loop_.run(steps / 2);
    steady.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    steady.steps += steps;
    const double before = steady.flux;
    steady.flux = flux();
    if (!std::isfinite(steady.flux)) {
      throw heddle::Error("step " + std::to_string(steady.steps),
                          "the flow became unstable: its flux is not finite",
                          "choose a smaller --force or a larger --viscosity");
    }
    // Fewer steps at the end change less: they say nothing of those that the tolerance is for.
    steady.met = steps == every && std::abs(steady.flux - before) < tolerance * std::abs(steady.flux);
    if (seen) seen(steady.steps, steady.flux);
  }
  return steady;
}

template class Flow<float>;
template class Flow<double>;

} // namespace porous
