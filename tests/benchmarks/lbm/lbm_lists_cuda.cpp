// SPDX-License-Identifier: Apache-2.0
// D3Q19 BGK over lists of cells on one GPU, in a box and between spheres: two arrays with the compressed
// neighbour table, and in place with the plain one.
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cuda_timer.hpp"
#include "d3q19_lists_sweeps.hpp"
#include "d3q19_sparse_sweeps.hpp"
#include "lbm_case.hpp"
#include "measure.hpp"
#include "streams.hpp"

namespace {

constexpr double omega = 1.2;
constexpr int rounds = 11;
constexpr auto q19 = static_cast<double>(bench::populations);
constexpr heddle::Memory device = heddle::Memory::device;

/// The cells of a medium in a cube.
using Flags = std::vector<std::uint8_t> (*)(std::int64_t edge);
std::vector<std::uint8_t> spheres_040(std::int64_t edge) {
  return bench::sphere_flags(edge, 14, 0.4);
}
std::vector<std::uint8_t> spheres_080(std::int64_t edge) {
  return bench::sphere_flags(edge, 28, 0.8);
}

template <typename T>
std::shared_ptr<heddle::IndexList> list_of(Flags flags, std::span<const heddle::Link> links) {
  const std::int64_t edge = bench::edge(sizeof(T) == 8 ? 320 : 384);
  return std::make_shared<heddle::IndexList>(heddle::Box{{0, 0, 0}, {edge, edge, edge}}, flags(edge),
                                             std::array{false, false, false}, links, device);
}

template <typename T> std::shared_ptr<heddle::SparseField<T>> field_of(const heddle::IndexList& list) {
  auto f = std::make_shared<heddle::SparseField<T>>(list, bench::populations, device);
  streams::disturb_cuda(f->view().data(), bench::populations * list.slot_stride(), nullptr);
  bench::check(cudaDeviceSynchronize());
  return f;
}

/// The update of as many bytes as 19 slots of the list have, in words of four bytes or eight.
template <typename T>
bench::Timed limit_of(std::shared_ptr<heddle::SparseField<T>> f, std::shared_ptr<heddle::Stream> stream) {
  using Word = std::conditional_t<sizeof(T) == 8, double, float>;
  constexpr auto words = static_cast<std::int64_t>(sizeof(Word) / sizeof(T));
  const auto view = f->view();
  const std::int64_t count = view.extent(0) / words / 4 * 4;
  return [=] {
    return bench::cuda_seconds(*stream, [&] {
      streams::update19_cuda(reinterpret_cast<Word*>(view.data()), view.stride(1) / words, count, Word(1),
                             stream->native());
    });
  };
}

template <typename T> bench::Case pull(Flags flags) {
  const auto list = list_of<T>(flags, d3q19_lists::links);
  const auto f = field_of<T>(*list);
  const auto g = field_of<T>(*list);
  const auto stream = std::make_shared<heddle::Stream>(device);
  const double index =
      4.0 * static_cast<double>(list->neighbour_chunk_size()) / static_cast<double>(list->count());
  return {.name = {},
          .updates = 2 * static_cast<double>(list->count()),
          .bytes_per_update = 2 * q19 * sizeof(T) + index,
          .plain_list_bytes = 2 * q19 * sizeof(T) + (q19 - 1) * sizeof(std::uint32_t),
          .limit_bytes = 2 * q19 * sizeof(T) * static_cast<double>(list->cells()),
          .fetch_bytes = 128,
          .kernel =
              [list, f, g, stream] {
                const d3q19_lists::Pull<T> forth(*f, *g, list->all(), {.omega = omega});
                const d3q19_lists::Pull<T> back(*g, *f, list->all(), {.omega = omega});
                return bench::cuda_seconds(*stream, [&] {
                  forth(*stream);
                  back(*stream);
                });
              },
          .limit = limit_of(f, stream)};
}

template <typename T> bench::Case in_place(Flags flags) {
  const auto list = list_of<T>(flags, d3q19_sparse::links);
  const auto f = field_of<T>(*list);
  const auto stream = std::make_shared<heddle::Stream>(device);
  return {.name = {},
          .updates = 2 * static_cast<double>(list->count()),
          .bytes_per_update = 2 * q19 * sizeof(T) + (q19 - 1) * sizeof(std::uint32_t) / 2,
          .limit_bytes = 2 * q19 * sizeof(T) * static_cast<double>(list->cells()),
          .fetch_bytes = 128,
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
          .limit = limit_of(f, stream)};
}

template <typename T> void add_precision(const std::string& precision) {
  const std::pair<const char*, Flags> media[] = {
      {"box", bench::box_flags}, {"spheres-r14-0.40", spheres_040}, {"spheres-r28-0.80", spheres_080}};
  for (const auto& [medium, flags] : media) {
    const std::string end = std::string("/lists/") + medium + "/" + precision + "/cuda";
    bench::add("lbm/d3q19/bgk/pull" + end, [flags] { return pull<T>(flags); }, rounds);
    if constexpr (sizeof(T) > 2) {
      bench::add("lbm/d3q19/bgk/aa" + end, [flags] { return in_place<T>(flags); }, rounds);
    }
  }
}

} // namespace

void bench::add_lbm_lists_cuda() {
  add_precision<float>("f32");
  add_precision<double>("f64");
  add_precision<std::uint16_t>("f16");
}
