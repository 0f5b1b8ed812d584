// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CITY_WIND_LAUNCH_HPP
#define HEDDLE_CITY_WIND_LAUNCH_HPP

#include "first_guess.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/core/with_cuda.hpp"
#include "heddle/grid/field.hpp"
#include "zones.hpp"

namespace city_wind {

/// The part of a field that a kernel runs over.
template <class T> heddle::FieldView<T> part(heddle::Field<T>& field, const CellBox& cells) {
  const heddle::FieldView<T> all = field.view();
  std::array<std::int64_t, 4> extent = all.extents();
  for (std::size_t d = 0; d < 3; ++d)
    extent[d] = cells.last[d] - cells.first[d];
  return {&all(cells.first[0], cells.first[1], cells.first[2]), extent, all.strides()};
}

/// Calls a kernel where its fields lie: `host`, or `device` with the stream as a last argument.
template <class Host, class Device, class... Arguments>
void call(heddle::Stream& stream, Host host, Device device, Arguments... arguments) {
  if constexpr (heddle::with_cuda) {
    if (stream.device()) {
      device(arguments..., stream.native());
      return;
    }
  }
  host(arguments...);
}

/// Runs the kernel of the same name over a box of cells of the fields it needs; on the device through
/// `stream`.
template <class T> class Launch {
public:
  struct Fields {
    heddle::Field<std::uint8_t>* icell;
    heddle::Field<T>*height, *u_free, *v_free, *u, *v, *w;
    heddle::Field<std::int32_t>* owner;
  };

  Launch(const Fields& fields, const CellBox& cells, heddle::Stream& stream)
      : f_(fields), cells_(cells), stream_(&stream) {}

  void operator()(first_guess::UpwindParameters p) const {
    call(
        *stream_, [](auto... a) { first_guess::upwind(a...); },
        [](auto... a) { first_guess::upwind_cuda(a...); }, on(f_.icell), on(f_.height), on(f_.u), on(f_.v),
        on(f_.w), p.dx, cells_.first[0], p.dy, cells_.first[1], p.floor, p.axis_x, p.axis_y, p.origin_x,
        p.origin_y, p.length, p.tall, p.width, p.speed_u, p.speed_v, p.speed);
  }

  void operator()(first_guess::WakeParameters p) const {
    call(
        *stream_, [](auto... a) { first_guess::wake(a...); }, [](auto... a) { first_guess::wake_cuda(a...); },
        on(f_.icell), on(f_.height), on(f_.u), on(f_.v), on(f_.w), p.dx, cells_.first[0], p.dy,
        cells_.first[1], p.floor, p.axis_x, p.axis_y, p.origin_x, p.origin_y, p.begin, p.slope, p.wall,
        p.growth, p.near, p.tall, p.width, p.end, p.speed_u, p.speed_v);
  }

  void operator()(first_guess::CanyonParameters p) const {
    call(
        *stream_, [](auto... a) { first_guess::canyon(a...); },
        [](auto... a) { first_guess::canyon_cuda(a...); }, on(f_.icell), on(f_.height), on(f_.u_free),
        on(f_.v_free), on(f_.u), on(f_.v), on(f_.w), p.dx, cells_.first[0], p.dy, cells_.first[1], p.floor,
        p.axis_x, p.axis_y, p.origin_x, p.origin_y, p.begin, p.slope, p.wall, p.front, p.front_begin,
        p.front_slope, p.growth, p.near, p.tall, p.width, p.end, p.front_tall, p.normal_x, p.normal_y,
        p.speed_u, p.speed_v);
  }

  void operator()(first_guess::SidewallParameters p) const {
    call(
        *stream_, [](auto... a) { first_guess::sidewall(a...); },
        [](auto... a) { first_guess::sidewall_cuda(a...); }, on(f_.icell), on(f_.height), on(f_.u_free),
        on(f_.u), on(f_.v_free), on(f_.v), p.dx, cells_.first[0], p.dy, cells_.first[1], p.floor, p.axis_x,
        p.axis_y, p.origin_x, p.origin_y, p.side, p.depth, p.length, p.reach, p.tall, p.roughness);
  }

  void operator()(first_guess::RooftopParameters p) const {
    call(
        *stream_, [](auto... a) { first_guess::rooftop(a...); },
        [](auto... a) { first_guess::rooftop_cuda(a...); }, on(f_.icell), on(f_.height), on(f_.u),
        on(f_.owner), on(f_.v), p.dx, cells_.first[0], p.dy, cells_.first[1], p.floor, p.tall, p.axis_x,
        p.axis_y, p.origin_x, p.origin_y, p.thickness, p.number, p.roughness);
  }

private:
  template <class U> heddle::FieldView<U> on(heddle::Field<U>* field) const { return part(*field, cells_); }

  Fields f_;
  CellBox cells_;
  heddle::Stream* stream_;
};

} // namespace city_wind

#endif
