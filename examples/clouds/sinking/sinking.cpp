// SPDX-License-Identifier: Apache-2.0
#include "sinking.hpp"

#include <array>
#include <cstdint>

#include "clouds_sinking_sweeps.hpp"
#include "heddle/core/dispatch.hpp"
#include "heddle/grid/field_view.hpp"

namespace clouds {
namespace {

constexpr int sunk_quantities = 4; // u, v, theta_l, water

/// For each level of a block: minus the large-scale velocity, over the distance to the centre above and over
/// the cells of a level. 0 in the highest one: the sources of its cells have that term (with_lid() in
/// flow.cpp).
heddle::Buffer<double> weights(const Knots& subsidence, const BaseState& base, const Place& place) {
  const heddle::Box& domain = place.blocks.domain();
  const heddle::Box block = place.blocks.block(place.rank);
  std::vector<double> all;
  for (std::int64_t k = block.lower[2]; k < block.upper[2]; ++k) {
    const auto level = static_cast<std::size_t>(k);
    const bool highest = level + 1 == base.levels();
    all.push_back(highest ? 0
                          : -subsidence.at(base.centre[level]) / base.distance[level + 1] /
                                static_cast<double>(domain.extent(0) * domain.extent(1)));
  }
  return heddle::Buffer<double>(all, place.memory);
}

} // namespace

template <class T>
Sinking<T>::Sinking(const Case& what, const BaseState& base, const Place& place,
                    const heddle::Buffer<T>& length)
    : length_(&length), rows_(place.blocks, {.components = sunk_quantities,
                                             .ghost_layers = 0,
                                             .memory = place.memory,
                                             .name = "rises of rows",
                                             .rank = place.rank,
                                             .same_along = 0}),
      levels_(place.blocks.block(place.rank).extent(2)),
      wind_(weights(what.subsides_wind ? what.subsidence : Knots(0), base, place)),
      air_(weights(what.subsidence, base, place)), values_(sunk_quantities * levels_, place.memory) {}

template <class T>
void Sinking<T>::add_to_stage(Tasks& tasks, State<T>& now, State<T>& next, heddle::Field<T>& water,
                              double share) {
  tasks.add(::clouds_sinking::Rises<T>(now.u, now.v, now.th, now.q, rows_));
  tasks.put(Task(*this, next, water, share));
}

template <class T> std::vector<heddle::FieldAccess> Sinking<T>::Task::accesses() const {
  using enum heddle::AccessMode;
  std::vector<heddle::FieldAccess> all{{&s_->rows_, "rows", read}, {s_->length_, "time step", read}};
  for (const auto mode : {read, write}) {
    all.push_back({&s_->values_, "rates of levels", mode});
    for (heddle::Field<T>* field : {&next_->u, &next_->v, &next_->th, water_})
      all.push_back({field, field->name(), mode, 0});
  }
  return all;
}

template <class T> void Sinking<T>::Task::operator()(heddle::Stream& stream) const {
  using View = heddle::FieldView<double>;
  const std::int64_t n = s_->levels_;
  const View rows = s_->rows_.view();
  const std::int64_t lines = s_->rows_.box(0).extent(1);
  // A column of the kernel is a level, and its cells are the rows of that.
  const View columns(rows.data(), {1, n, lines, sunk_quantities},
                     {1, rows.stride(2), rows.stride(1), rows.stride(3)});
  const auto weight = [&](heddle::Buffer<double>& buffer) {
    return View(buffer.data(), {1, n, 1, 1}, {1, 1, 1, 1});
  };
  const auto rate = [&](std::int64_t which) {
    return View(s_->values_.data() + which * n, {1, n, 1, 1}, {1, 1, 1, 1});
  };
  heddle::call_kernel<::clouds_sinking::Levels<T>>(stream, weight(s_->wind_), weight(s_->wind_),
                                                   weight(s_->air_), weight(s_->air_), rate(0), rate(1),
                                                   rate(2), rate(3), columns);
  const heddle::FieldView<T> u = next_->u.view();
  const auto everywhere = [&](std::int64_t which) {
    return View(s_->values_.data() + which * n, {u.extent(0), u.extent(1), n, 1}, {0, 0, 1, 0});
  };
  heddle::call_kernel<::clouds_sinking::Sink<T>>(stream, u, next_->v.view(), next_->th.view(), water_->view(),
                                                 everywhere(0), everywhere(1), everywhere(2), everywhere(3),
                                                 s_->length_->data(), share_);
}

#ifdef CLOUDS_F64
template class Sinking<double>;
#endif
#ifdef CLOUDS_F32
template class Sinking<float>;
#endif

} // namespace clouds
