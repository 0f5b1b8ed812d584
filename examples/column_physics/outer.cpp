// SPDX-License-Identifier: Apache-2.0
#include "outer.hpp"

#include <span>
#include <vector>

#include "column_physics.hpp"
#include "heddle/core/dispatch.hpp"

namespace front {
namespace {

struct AirKernel {
  static void host(const auto&... a) { column_physics::outer_air(a...); }
  static void device(const auto&... a) { column_physics::outer_air_cuda(a...); }
};

struct TracersKernel {
  static void host(const auto&... a) { column_physics::outer_tracers(a...); }
  static void device(const auto&... a) { column_physics::outer_tracers_cuda(a...); }
};

std::vector<double> patches(const Weather& weather) {
  std::vector<double> values;
  for (int k = 0; k < weather.levels().count(); ++k)
    values.push_back(weather.patch(k));
  return values;
}

} // namespace

OuterAir::OuterAir(const Place& place, const Weather& weather, const Options& options)
    : theta_(place.levels(weather.levels().theta)), vapour_(place.levels(weather.levels().vapour)),
      patches_(place.levels(patches(weather))), waves_(Weather::waves()), drift_(weather.wind(0)),
      scheme_tracers_(options.scheme_tracers()), passive_(options.all_tracers() - options.scheme_tracers()) {}

void OuterAir::operator()(heddle::Stream& stream, std::size_t group, const heddle::FieldView<float>& q,
                          const heddle::Box& box, const Cells& cells,
                          const heddle::Buffer<std::int32_t>& begins,
                          const heddle::Buffer<float>& until) const {
  if (group > 0) {
    heddle::call_kernel<TracersKernel>(stream, q, begins.data(), until.data(), cells.first[0], cells.first[1],
                                       cells.size, waves_[0], waves_[1], drift_[0], drift_[1],
                                       static_cast<std::int64_t>(group) * tracers - scheme_tracers_,
                                       passive_);
    return;
  }
  heddle::call_kernel<AirKernel>(stream, q, theta_.first(box), vapour_.first(box), patches_.first(box),
                                 begins.data(), until.data(), cells.first[0], cells.first[1], cells.size,
                                 waves_[0], waves_[1], drift_[0], drift_[1]);
}

void OuterAir::start(const Place& place, Air& air) const {
  const std::vector<std::int32_t> one{1};
  const heddle::Buffer<std::int32_t> begins(std::span<const std::int32_t>(one), place.memory);
  const heddle::Buffer<float> until(1, place.memory);
  heddle::Stream stream(place.memory);
  for (std::size_t group = 0; group < air.groups(); ++group) {
    heddle::Field<float>& q = air.group(group).q;
    for (int b = 0; b < q.blocks(); ++b) {
      const heddle::Box& box = q.box(b);
      (*this)(stream, group, q.view(b), box, {{box.lower[0], box.lower[1]}, place.spacing}, begins, until);
    }
  }
  stream.synchronise();
}

} // namespace front
