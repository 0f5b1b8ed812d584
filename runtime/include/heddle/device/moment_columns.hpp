// SPDX-License-Identifier: MIT-0
// The column of cells along z that a thread takes: its moments plane by plane, in memory and on
// their way from there.
#ifndef HEDDLE_DEVICE_MOMENT_COLUMNS_HPP
#define HEDDLE_DEVICE_MOMENT_COLUMNS_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "heddle/device/gpu.hpp"
#include "heddle/device/moment_collision.hpp"
#include "heddle/device/moment_words.hpp"
#include "heddle/device/shared.hpp"

namespace heddle {

/// The fields of a step, before or after it.
template <typename Flow, typename Stress>
struct MomentFields {
  MomentField<Flow> flow;
  MomentField<Stress> stress;
  MomentField<Stress> shear;
};

namespace detail {

/// The moments of a cell as memory holds them.
template <typename Flow, typename Stress>
struct MomentWords {
  typename Stored<Flow>::Four flow{};
  typename Stored<Stress>::Four stress{};
  typename Stored<Stress>::Two shear{};

  __device__ Moments moments() const {
    constexpr float flow_scale = Stored<Stress>::unit / Stored<Flow>::unit;
    const float4 f = numbers(flow, flow_scale);
    const float4 t = numbers(stress, 1.0F);
    const float2 s = numbers(shear, 1.0F);
    return {f.x, f.y, f.z, f.w, t.x, t.y, t.z, t.w, s.x, s.y};
  }
};

/// A cell's place in each field. Formed where all threads of a warp are: the plane's part is then
/// the same for all, and computed once per warp.
template <typename Flow, typename Stress>
struct MomentPlace {
  using Number = std::remove_const_t<Flow>;
  using Entry = std::remove_const_t<Stress>;
  template <typename Word, typename T>
  using Like = std::conditional_t<std::is_const_v<T>, const Word, Word>;

  Like<typename Stored<Number>::Four, Flow>* flow;
  Like<typename Stored<Entry>::Four, Stress>* stress;
  Like<typename Stored<Entry>::Two, Stress>* shear;

  __device__ MomentWords<Number, Entry> loaded() const {
    return {*flow, *stress, *shear};
  }
};

/// The moments of one cell per thread, on their way to shared memory: `planes` of them.
template <typename Flow, typename Stress, int threads, int planes>
struct MomentsAhead {
  typename Stored<Flow>::Four flow[std::size_t{planes}][std::size_t{threads}];
  typename Stored<Stress>::Four stress[std::size_t{planes}][std::size_t{threads}];
  typename Stored<Stress>::Two shear[std::size_t{planes}][std::size_t{threads}];

  /// Starts to load the moments of a cell (copy_ahead).
  __device__ void ask(int stage, int thread, const MomentPlace<const Flow, const Stress>& from) {
    copy_ahead(&flow[stage][thread], from.flow);
    copy_ahead(&stress[stage][thread], from.stress);
    copy_ahead(&shear[stage][thread], from.shear);
  }
  /// The moments that a thread has loaded; its copies are complete.
  __device__ MomentWords<Flow, Stress> arrived(int stage, int thread) const {
    return {flow[stage][thread], stress[stage][thread], shear[stage][thread]};
  }
};

/// Where the column at (x, y) lies in each field; in 32 bits, since registers decide how many
/// blocks fit.
struct MomentColumn {
  template <typename Flow, typename Stress>
  __device__ MomentColumn(const MomentFields<Flow, Stress>& fields, std::int64_t x, std::int64_t y)
      : flow(column_of<4>(fields.flow, x, y)),
        stress(column_of<4>(fields.stress, x, y)),
        shear(column_of<2>(fields.shear, x, y)) {
  }

  template <typename Flow, typename Stress>
  __device__ MomentPlace<Flow, Stress> at(const MomentFields<Flow, Stress>& fields,
                                          std::int32_t plane) const {
    using Place = MomentPlace<Flow, Stress>;
    return {word<std::remove_pointer_t<decltype(Place::flow)>, 4>(fields.flow, plane, flow),
            word<std::remove_pointer_t<decltype(Place::stress)>, 4>(fields.stress, plane, stress),
            word<std::remove_pointer_t<decltype(Place::shear)>, 2>(fields.shear, plane, shear)};
  }

  std::uint32_t flow, stress, shear;
};

}  // namespace detail

}  // namespace heddle

#endif
