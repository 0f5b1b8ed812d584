// SPDX-License-Identifier: Apache-2.0
// The regularised collision with moments in memory on one GPU, beside the in-place update of 19 arrays:
// without walls, in a box with six walls and a moving lid, and there with a force and a rate of the trace.
#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "cuda_timer.hpp"
#include "heddle/core/error.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/field.hpp"
#include "lbm_case.hpp"
#include "measure.hpp"
#include "moment_steps.hpp"
#include "streams.hpp"

namespace {

constexpr float omega = 1.2F;
constexpr int rounds = 21;

/// Two copies of the moments in small random disturbances, and 19 arrays for the limit.
template <typename Flow, typename Stress> struct State {
  explicit State(std::int64_t edge)
      : grid(heddle::Box{{0, 0, 0}, {edge, edge, edge}}),
        arrays(grid, {.components = bench::populations, .memory = heddle::Memory::device, .name = "arrays"}) {
    for (Copy& copy : copies) {
      disturb(copy.flow);
      disturb(copy.stress);
      disturb(copy.shear);
    }
    disturb(arrays);
  }

  struct Copy {
    explicit Copy(const heddle::BlockGrid& grid)
        : flow(grid, options(4)), stress(grid, options(4)), shear(grid, options(2)) {}
    static heddle::FieldOptions options(int components) {
      return {.components = components, .memory = heddle::Memory::device, .cells_together = true};
    }
    moments::Views<Flow, Stress> views() { return {flow.view(), stress.view(), shear.view()}; }
    heddle::Field<Flow> flow;
    heddle::Field<Stress> stress, shear;
  };

  template <typename T> void disturb(heddle::Field<T>& field) {
    const auto view = field.view();
    const std::int64_t components = view.stride(3) == 1 ? 0 : view.extent(3) - 1; // side by side: one piece
    streams::disturb_cuda(view.data(), components * view.stride(3) + view.extent(2) * view.stride(2),
                          stream.native());
  }

  heddle::BlockGrid grid;
  heddle::Stream stream{heddle::Memory::device};
  std::array<Copy, 2> copies{Copy(grid), Copy(grid)};
  heddle::Field<float> arrays;
};

template <typename Flow, typename Stress, typename Step> bench::Case moments_case(Step step) {
  const std::int64_t edge = bench::edge(512);
  auto state = std::make_shared<State<Flow, Stress>>(edge);
  const auto view = state->arrays.view();
  const std::int64_t count = view.extent(2) * view.stride(2) / 4 * 4;
  return {.name = {},
          .updates = 2 * static_cast<double>(edge * edge * edge),
          .bytes_per_update = static_cast<double>(2 * (4 * sizeof(Flow) + 6 * sizeof(Stress))),
          .limit_bytes = 2.0 * bench::populations * sizeof(float) * static_cast<double>(count),
          .kernel =
              [state, step] {
                const auto here = state->copies[0].views();
                const auto there = state->copies[1].views();
                return bench::cuda_seconds(state->stream, [&] {
                  void* const native = state->stream.native();
                  if (step(here, there, native) != 0 || step(there, here, native) != 0) {
                    throw heddle::Error("heddle-bench", "a step on moments could not be launched");
                  }
                });
              },
          .limit =
              [state, view, count] {
                return bench::cuda_seconds(state->stream, [&] {
                  streams::update19_cuda(view.data(), view.stride(3), count, 1.0F, state->stream.native());
                });
              }};
}

template <typename Flow, typename Stress>
using Step = int (*)(const moments::Views<Flow, Stress>&, const moments::Views<Flow, Stress>&, float, void*);

template <typename Flow, typename Stress> void add(const std::string& name, Step<Flow, Stress> step) {
  bench::add(
      "lbm/" + name + "/cuda",
      [step] {
        return moments_case<Flow, Stress>(
            [step](const auto& from, const auto& to, void* stream) { return step(from, to, omega, stream); });
      },
      rounds);
}

} // namespace

void bench::add_lbm_moments_cuda() {
  using Half = std::uint16_t;
  ::add<float, float>("d3q19/regularised/moments/f32", moments::step_d3q19);
  ::add<float, float>("d3q27/regularised/moments/f32", moments::step_d3q27);
  ::add<float, Half>("d3q19/regularised/moments/mixed", moments::step_d3q19);
  ::add<Half, Half>("d3q19/regularised/moments/f16", moments::step_d3q19);
  ::add<float, float>("d3q19/regularised/moments/box/f32", moments::box_d3q19);
  ::add<float, float>("d3q27/regularised/moments/box/f32", moments::box_d3q27);
  ::add<float, Half>("d3q19/regularised/moments/box/mixed", moments::box_d3q19);
  ::add<float, Half>("d3q27/regularised/moments/box/mixed", moments::box_d3q27);
  ::add<Half, Half>("d3q19/regularised/moments/box/f16", moments::box_d3q19);
  ::add<Half, Half>("d3q27/regularised/moments/box/f16", moments::box_d3q27);
  ::add<float, float>("d3q19/regularised/moments/driven/f32", moments::driven_d3q19);
  ::add<float, Half>("d3q19/regularised/moments/driven/mixed", moments::driven_d3q19);
  ::add<Half, Half>("d3q19/regularised/moments/driven/f16", moments::driven_d3q19);
}
