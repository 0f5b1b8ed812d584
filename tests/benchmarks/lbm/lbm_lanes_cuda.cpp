// SPDX-License-Identifier: Apache-2.0
// D3Q19 BGK and the D3Q27 cumulant in place with several cells a CUDA thread, in a box with walls and a
// moving lid: the whole step with its walls and the borders of the interleaved blocks, and the kernel alone.
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "cuda_timer.hpp"
#include "d3q27_f32_sweeps.hpp"
#include "d3q27_f64_sweeps.hpp"
#include "heddle/halo/halo_exchange.hpp"
#include "lanes_kernels.hpp"
#include "lbm_case.hpp"
#include "measure.hpp"
#include "streams.hpp"

namespace {

using lanes::F16;
using lanes::F32;
using lanes::F64;

constexpr double omega = 1.2;
constexpr int rounds = 21;

/// The D3Q27 cumulant.
struct CumulantF64 {
  using Value = double;
  static constexpr int populations = 27;
  static constexpr int lanes = 4;
  using Even = d3q27_f64::AaEven<double>;
  using Odd = d3q27_f64::AaOdd<double>;
  static heddle::RegionSweep lid_after_even(heddle::Field<double>& f) {
    return lanes::lid(f, [](const auto&... passed) { d3q27_f64::lid_after_even_cuda(passed...); });
  }
  static heddle::RegionSweep lid_after_odd(heddle::Field<double>& f) {
    return lanes::lid(f, [](const auto&... passed) { d3q27_f64::lid_after_odd_cuda(passed...); });
  }
};
struct CumulantF32 {
  using Value = float;
  static constexpr int populations = 27;
  static constexpr int lanes = 8;
  using Even = d3q27_f32::AaEven<float>;
  using Odd = d3q27_f32::AaOdd<float>;
  static heddle::RegionSweep lid_after_even(heddle::Field<float>& f) {
    return lanes::lid(f, [](const auto&... passed) { d3q27_f32::lid_after_even_cuda(passed...); });
  }
  static heddle::RegionSweep lid_after_odd(heddle::Field<float>& f) {
    return lanes::lid(f, [](const auto&... passed) { d3q27_f32::lid_after_odd_cuda(passed...); });
  }
};

/// Populations of small random disturbances on the interleaved blocks of a vector.
template <typename Kernels>
std::shared_ptr<heddle::Field<typename Kernels::Value>> populations(std::int64_t edge,
                                                                    heddle::Stream& stream) {
  using T = typename Kernels::Value;
  const heddle::BlockGrid grid = lanes::grid({edge, edge, edge}, Kernels::lanes);
  auto f = std::make_shared<heddle::Field<T>>(grid, heddle::FieldOptions{.components = Kernels::populations,
                                                                         .memory = heddle::Memory::device,
                                                                         .name = "f",
                                                                         .interleaved = Kernels::lanes});
  const auto view = f->view();
  const std::int64_t component = view.extent(2) * view.stride(2);
  streams::disturb_cuda(view.data(), view.stride(3) * (Kernels::populations - 1) + component,
                        stream.native());
  return f;
}

/// The in-place update of 19 of the arrays, 16 bytes a thread.
template <typename T> struct Limit {
  static constexpr std::int64_t pack = sizeof(T) < sizeof(float) ? 2 : 1; // values in what is counted
  using Counted = std::conditional_t<sizeof(T) == 8, double, float>;

  explicit Limit(const heddle::FieldView<T>& f) : view(f), count(f.extent(2) * f.stride(2) / pack / 4 * 4) {}
  double bytes() const { return 2.0 * bench::populations * sizeof(Counted) * static_cast<double>(count); }
  double seconds(heddle::Stream& stream) const {
    return bench::cuda_seconds(stream, [&] {
      streams::update19_cuda(reinterpret_cast<Counted*>(view.data()), view.stride(3) / pack, count,
                             Counted(1), stream.native());
    });
  }

  heddle::FieldView<T> view;
  std::int64_t count;
};

template <typename Kernels> std::int64_t box_edge() {
  return bench::edge(sizeof(typename Kernels::Value) == 8 || Kernels::populations > bench::populations ? 384
                                                                                                       : 512);
}

/// The two kernels alone.
template <typename Kernels> bench::Case vectors() {
  using T = typename Kernels::Value;
  const std::int64_t edge = box_edge<Kernels>();
  auto stream = std::make_shared<heddle::Stream>(heddle::Memory::device);
  auto f = populations<Kernels>(edge, *stream);
  const Limit<T> limit(f->view());
  return {.name = {},
          .updates = 2 * static_cast<double>(edge * edge * edge),
          .bytes_per_update = static_cast<double>(2 * Kernels::populations * sizeof(T)),
          .limit_bytes = limit.bytes(),
          .fetch_bytes = 128,
          .kernel =
              [f, stream] {
                const typename Kernels::Even even(*f, {.omega = omega});
                const typename Kernels::Odd odd(*f, {.omega = omega});
                return bench::cuda_seconds(*stream, [&] {
                  even(*stream);
                  odd(*stream);
                });
              },
          .limit = [f, stream, limit] { return limit.seconds(*stream); }};
}

/// The whole step: kernels, walls, and what crosses between the interleaved blocks.
template <typename Kernels> bench::Case box() {
  using T = typename Kernels::Value;
  const std::int64_t edge = box_edge<Kernels>();
  auto stream = std::make_shared<heddle::Stream>(heddle::Memory::device);
  auto f = populations<Kernels>(edge, *stream);
  auto before = std::make_shared<heddle::HaloExchange>(typename Kernels::Odd(*f, {.omega = omega}).before());
  auto after = std::make_shared<heddle::HaloExchange>(typename Kernels::Odd(*f, {.omega = omega}).after());
  bench::Case one = vectors<Kernels>();
  one.kernel = [f, stream, before, after] {
    const typename Kernels::Even even(*f, {.omega = omega});
    const typename Kernels::Odd odd(*f, {.omega = omega});
    const heddle::RegionSweep lid_after_even = Kernels::lid_after_even(*f);
    const heddle::RegionSweep lid_after_odd = Kernels::lid_after_odd(*f);
    return bench::cuda_seconds(*stream, [&] {
      even(*stream);
      lid_after_even(*stream);
      (*before)(*stream);
      odd(*stream);
      (*after)(*stream);
      lid_after_odd(*stream);
    });
  };
  return one;
}

template <typename Kernels> void add_precision(const std::string& precision) {
  bench::add("lbm/d3q19/bgk/aa/box/" + precision + "/cuda", box<Kernels>, rounds);
  bench::add("lbm/d3q19/bgk/aa/vectors/" + precision + "/cuda", vectors<Kernels>, rounds);
}

} // namespace

void bench::add_lbm_lanes_cuda() {
  add_precision<F32>("f32");
  add_precision<F16>("f16");
  add_precision<F64>("f64");
  bench::add("lbm/d3q27/cumulant/aa/box/f32/cuda", box<CumulantF32>, rounds);
  bench::add("lbm/d3q27/cumulant/aa/box/f64/cuda", box<CumulantF64>, rounds);
  bench::add("lbm/d3q27/cumulant/aa/vectors/f32/cuda", vectors<CumulantF32>, rounds);
  bench::add("lbm/d3q27/cumulant/aa/vectors/f64/cuda", vectors<CumulantF64>, rounds);
}
