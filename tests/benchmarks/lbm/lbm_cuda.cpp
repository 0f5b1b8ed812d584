// SPDX-License-Identifier: Apache-2.0
// D3Q19 BGK on one GPU, beside the in-place update of 19 arrays on the same memory.
#include <memory>
#include <string>
#include <type_traits>

#include "cuda_timer.hpp"
#include "d3q19_dense_sweeps.hpp"
#include "d3q19_sparse_sweeps.hpp"
#include "lbm_case.hpp"
#include "measure.hpp"
#include "streams.hpp"

namespace {

constexpr double omega = 1.2;
constexpr int rounds = 21;
constexpr auto q19 = static_cast<double>(bench::populations);

template <typename T> bench::Case dense(bool in_place) {
  const std::int64_t edge = bench::edge(384);
  const heddle::BlockGrid grid(heddle::Box{{0, 0, 0}, {edge, edge, edge}});
  const heddle::FieldOptions options{
      .components = bench::populations, .memory = heddle::Memory::device, .name = "f"};
  auto f = std::make_shared<heddle::Field<T>>(grid, options);
  f->fill([edge](std::int64_t x, std::int64_t y, std::int64_t z, int q) {
    return bench::disturbance(x + edge * (y + edge * z), q);
  });
  auto g = in_place ? f : std::make_shared<heddle::Field<T>>(grid, options);
  auto stream = std::make_shared<heddle::Stream>(heddle::Memory::device);
  const auto view = f->view();
  // From the first cell of a row on, so that whole vectors are aligned.
  const std::int64_t count = ((edge - 1) * view.stride(2) + edge * view.stride(1)) / 4 * 4;
  return {.name = {},
          .updates = (in_place ? 2 : 1) * static_cast<double>(edge * edge * edge),
          .bytes_per_update = 2 * q19 * sizeof(T),
          .limit_bytes = 2 * q19 * sizeof(T) * static_cast<double>(count),
          .kernel =
              [f, g, stream, in_place] {
                const d3q19_dense::AaEven<T> even(*f, {.omega = omega});
                const d3q19_dense::AaOdd<T> odd(*f, {.omega = omega});
                const d3q19_dense::Pull<T> pull(*f, *g, {.omega = omega});
                return bench::cuda_seconds(*stream, [&] {
                  if (in_place) {
                    even(*stream);
                    odd(*stream);
                  } else {
                    pull(*stream);
                  }
                });
              },
          .limit =
              [stream, view, count] {
                return bench::cuda_seconds(*stream, [&] {
                  streams::update19_cuda(view.data(), view.stride(3), count, T(1), stream->native());
                });
              }};
}

template <typename T> bench::Case sparse() {
  const std::int64_t edge = bench::edge(sizeof(T) == 8 ? 320 : 384);
  const heddle::Box box{{0, 0, 0}, {edge, edge, edge}};
  auto list =
      std::make_shared<heddle::IndexList>(box, bench::box_flags(edge), std::array{false, false, false},
                                          d3q19_sparse::links, heddle::Memory::device);
  auto f = std::make_shared<heddle::SparseField<T>>(*list, bench::populations, heddle::Memory::device);
  f->fill([edge](std::int64_t x, std::int64_t y, std::int64_t z, int q) {
    return bench::disturbance(x + edge * (y + edge * z), q);
  });
  auto stream = std::make_shared<heddle::Stream>(heddle::Memory::device);
  const auto view = f->view();
  const std::int64_t count = list->cells() / 4 * 4;
  return {.name = {},
          .updates = 2 * static_cast<double>(list->count()),
          .bytes_per_update = 2 * q19 * sizeof(T) + (q19 - 1) * sizeof(std::uint32_t) / 2,
          .limit_bytes = 2 * q19 * sizeof(T) * static_cast<double>(count),
          .kernel =
              [list, f, stream] {
                using Even =
                    std::conditional_t<sizeof(T) == 8, d3q19_sparse::AaWideEven<T>, d3q19_sparse::AaEven<T>>;
                using Odd =
                    std::conditional_t<sizeof(T) == 8, d3q19_sparse::AaWideOdd<T>, d3q19_sparse::AaOdd<T>>;
                const Even even(*f, list->all(), {.omega = omega});
                const Odd odd(*f, list->all(), {.omega = omega});
                return bench::cuda_seconds(*stream, [&] {
                  even(*stream);
                  odd(*stream);
                });
              },
          .limit =
              [list, f, stream, view, count] {
                return bench::cuda_seconds(*stream, [&] {
                  streams::update19_cuda(view.data(), view.stride(1), count, T(1), stream->native());
                });
              }};
}

template <typename T> void add_precision(const std::string& precision) {
  const std::string end = "/" + precision + "/cuda";
  bench::add("lbm/d3q19/bgk/aa/dense" + end, [] { return dense<T>(true); }, rounds);
  bench::add("lbm/d3q19/bgk/pull/dense" + end, [] { return dense<T>(false); }, rounds);
  bench::add("lbm/d3q19/bgk/aa/sparse" + end, sparse<T>, rounds);
}

} // namespace

void bench::add_lbm_cuda() {
  add_precision<float>("f32");
  add_precision<double>("f64");
}
