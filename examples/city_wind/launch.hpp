// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CITY_WIND_LAUNCH_HPP
#define HEDDLE_CITY_WIND_LAUNCH_HPP

#include <tuple>

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

  void operator()(const first_guess::UpwindParameters& p) const {
    run([](auto... a) { first_guess::upwind(a...); }, [](auto... a) { first_guess::upwind_cuda(a...); }, p,
        f_.u, f_.v, f_.w, f_.icell, f_.height);
  }

  void operator()(const first_guess::WakeParameters& p) const {
    run([](auto... a) { first_guess::wake(a...); }, [](auto... a) { first_guess::wake_cuda(a...); }, p, f_.u,
        f_.v, f_.w, f_.icell, f_.height);
  }

  void operator()(const first_guess::CanyonParameters& p) const {
    run([](auto... a) { first_guess::canyon(a...); }, [](auto... a) { first_guess::canyon_cuda(a...); }, p,
        f_.u, f_.v, f_.w, f_.u_free, f_.v_free, f_.icell, f_.height);
  }

  void operator()(const first_guess::SidewallParameters& p) const {
    run([](auto... a) { first_guess::sidewall(a...); }, [](auto... a) { first_guess::sidewall_cuda(a...); },
        p, f_.u, f_.v, f_.u_free, f_.v_free, f_.icell, f_.height);
  }

  void operator()(const first_guess::RooftopParameters& p) const {
    run([](auto... a) { first_guess::rooftop(a...); }, [](auto... a) { first_guess::rooftop_cuda(a...); }, p,
        f_.u, f_.v, f_.icell, f_.height, f_.owner);
  }

private:
  template <class Host, class Device, class Parameters, class... Owners>
  void run(Host host, Device device, const Parameters& p, Owners*... fields) const {
    std::apply([&](auto... scalars) { call(*stream_, host, device, part(*fields, cells_)..., scalars...); },
               p.values());
  }

  Fields f_;
  CellBox cells_;
  heddle::Stream* stream_;
};

} // namespace city_wind

#endif
