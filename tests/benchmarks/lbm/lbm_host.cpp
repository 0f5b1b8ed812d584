// SPDX-License-Identifier: Apache-2.0
// D3Q19 BGK on the CPU: dense and sparse, in place and with two arrays.
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <type_traits>

#include "d3q19_dense_sweeps.hpp"
#include "d3q19_half_sweeps.hpp"
#include "d3q19_sparse_sweeps.hpp"
#include "d3q27_dense_sweeps.hpp"
#include "heddle/device/run.hpp"
#include "lbm_case.hpp"
#include "measure.hpp"
#include "streams.hpp"

namespace {

constexpr double omega = 1.2;
constexpr int rounds = 15;
constexpr auto q19 = static_cast<double>(bench::populations);

template <typename F> double seconds(F&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <typename T> void disturb(heddle::Field<T>& f, std::int64_t edge) {
  f.fill(T(0.001));
  f.fill([edge](std::int64_t x, std::int64_t y, std::int64_t z, int q) {
    return bench::disturbance(x + edge * (y + edge * z), q);
  });
}

/// The limit: the same memory, all of it, in place.
template <typename T> struct Update {
  T* first;
  std::int64_t stride;
  std::int64_t count;
  double operator()() const {
    return seconds([this] { streams::update19(first, stride, count, T(1)); });
  }
  double bytes() const { return 2 * q19 * sizeof(T) * static_cast<double>(count); }
};

/// Both steps of a pattern in place. The limit is that of 19 arrays, in bytes a second.
template <typename T, int populations, class Even, class Odd> bench::Case dense_in_place() {
  const std::int64_t edge = bench::edge(192);
  const heddle::BlockGrid grid(heddle::Box{{0, 0, 0}, {edge, edge, edge}});
  auto f =
      std::make_shared<heddle::Field<T>>(grid, heddle::FieldOptions{.components = populations, .name = "f"});
  disturb(*f, edge);
  const auto view = f->view();
  const Update<T> update{view.data(), view.stride(3), (edge - 1) * view.stride(2) + edge * view.stride(1)};
  auto stream = std::make_shared<heddle::Stream>();
  return {.name = {},
          .updates = 2 * static_cast<double>(edge * edge * edge),
          .bytes_per_update = 2 * populations * sizeof(T),
          .limit_bytes = update.bytes(),
          .kernel =
              [f, stream] {
                const Even even(*f, {.omega = omega});
                const Odd odd(*f, {.omega = omega});
                return seconds([&] {
                  even(*stream);
                  odd(*stream);
                });
              },
          .limit = [f, update] { return update(); }};
}

template <typename T> bench::Case dense_aa() {
  return dense_in_place<T, bench::populations, d3q19_dense::AaEven<T>, d3q19_dense::AaOdd<T>>();
}

/// Cumulants on D3Q27.
template <typename T> bench::Case cumulant_aa() {
  return dense_in_place<T, 27, d3q27_dense::AaEven<T>, d3q27_dense::AaOdd<T>>();
}

template <typename T> bench::Case dense_pull() {
  const std::int64_t edge = bench::edge(192);
  const heddle::BlockGrid grid(heddle::Box{{0, 0, 0}, {edge, edge, edge}});
  const heddle::FieldOptions options{.components = bench::populations, .name = "f"};
  auto f = std::make_shared<heddle::Field<T>>(grid, options);
  auto g = std::make_shared<heddle::Field<T>>(grid, options);
  disturb(*f, edge);
  disturb(*g, edge);
  const auto from = f->view();
  const auto to = g->view();
  const std::int64_t count = (edge - 1) * from.stride(2) + edge * from.stride(1);
  auto stream = std::make_shared<heddle::Stream>();
  return {.name = {},
          .updates = static_cast<double>(edge * edge * edge),
          .bytes_per_update = 2 * q19 * sizeof(T),
          .limit_bytes = 2 * q19 * sizeof(T) * static_cast<double>(count),
          .kernel =
              [f, g, stream] {
                const d3q19_dense::Pull<T> pull(*f, *g, {.omega = omega});
                return seconds([&] { pull(*stream); });
              },
          .limit =
              [f, g, from, to, count] {
                return seconds([&] { streams::copy19(to.data(), from.data(), from.stride(3), count); });
              }};
}

/// Halves in place. Its limit is our own step in f32 on as many cells, so that the fraction is how many times
/// as fast it is, and the GB_per_s are 1e9 updates.
bench::Case dense_half() {
  const std::int64_t edge = bench::edge(192);
  const bench::Case floats = dense_aa<float>();
  const heddle::BlockGrid grid(heddle::Box{{0, 0, 0}, {edge, edge, edge}});
  auto f = std::make_shared<heddle::Field<std::uint16_t>>(
      grid, heddle::FieldOptions{.components = bench::populations, .name = "f"});
  f->fill([edge](std::int64_t x, std::int64_t y, std::int64_t z, int q) {
    return bench::disturbance(x + edge * (y + edge * z), q);
  });
  auto stream = std::make_shared<heddle::Stream>();
  return {.name = {},
          .updates = floats.updates,
          .bytes_per_update = 1,
          .limit_bytes = floats.updates,
          .kernel =
              [f, stream] {
                const d3q19_half::AaEven<std::uint16_t> even(*f, {.omega = omega});
                const d3q19_half::AaOdd<std::uint16_t> odd(*f, {.omega = omega});
                return seconds([&] {
                  even(*stream);
                  odd(*stream);
                });
              },
          .limit = floats.kernel};
}

/// Bytes of runs and table that one step over the whole list reads.
double index_bytes(const heddle::IndexList& list) {
  const std::int64_t entries = list.cells() / heddle::IndexList::chunk * list.rows();
  const std::uint32_t* const runs = list.neighbour_run();
  const auto unknown = std::count(runs, runs + entries, heddle::run_entry::unknown);
  return static_cast<double>(sizeof(std::uint32_t)) *
         static_cast<double>(list.neighbour_run_size() + unknown * heddle::IndexList::chunk);
}

std::vector<std::uint8_t> spheres_040(std::int64_t edge) {
  return bench::sphere_flags(edge, 14, 0.4);
}

template <typename T, auto flags> bench::Case sparse_aa() {
  const std::int64_t edge = bench::edge(192);
  const heddle::Box box{{0, 0, 0}, {edge, edge, edge}};
  auto list = std::make_shared<heddle::IndexList>(box, flags(edge), std::array{false, false, false},
                                                  d3q19_sparse::links);
  auto f = std::make_shared<heddle::SparseField<T>>(*list, bench::populations);
  f->fill([edge](std::int64_t x, std::int64_t y, std::int64_t z, int q) {
    return bench::disturbance(x + edge * (y + edge * z), q);
  });
  const auto view = f->view();
  const Update<T> update{view.data(), view.stride(1), list->cells()};
  auto stream = std::make_shared<heddle::Stream>();
  // The odd step alone reads neighbours: a number for each link and chunk, and the table where it says
  // "unknown".
  const double index = index_bytes(*list) / static_cast<double>(list->count()) / 2;
  return {.name = {},
          .updates = 2 * static_cast<double>(list->count()),
          .bytes_per_update = 2 * q19 * sizeof(T) + index,
          .plain_list_bytes = 2 * q19 * sizeof(T) + (q19 - 1) * sizeof(std::uint32_t) / 2,
          .limit_bytes = update.bytes(),
          .kernel =
              [list, f, stream] {
                const d3q19_sparse::AaEven<T> even(*f, list->all(), {.omega = omega});
                const d3q19_sparse::AaOdd<T> odd(*f, list->all(), {.omega = omega});
                return seconds([&] {
                  even(*stream);
                  odd(*stream);
                });
              },
          .limit = [f, update] { return update(); },
          .list_limit =
              [list, f, update] {
                // As the two steps: one touches own cells, the other neighbours.
                return update() + seconds([&] {
                         streams::update19_list(f->view().data(), list->neighbour(), list->neighbour_stride(),
                                                list->neighbour_run(), list->count(), T(1));
                       });
              }};
}

template <typename T> void add_precision(const std::string& precision) {
  bench::add("lbm/d3q19/bgk/aa/dense/" + precision, dense_aa<T>, rounds);
  bench::add("lbm/d3q19/bgk/pull/dense/" + precision, dense_pull<T>, rounds);
  bench::add("lbm/d3q27/cumulant/aa/dense/" + precision, cumulant_aa<T>, rounds);
  bench::add("lbm/d3q19/bgk/aa/sparse/" + precision, sparse_aa<T, bench::box_flags>, rounds);
  bench::add("lbm/d3q19/bgk/aa/spheres/" + precision, sparse_aa<T, spheres_040>, rounds);
}

} // namespace

void bench::add_lbm_host() {
  add_precision<double>("f64");
  add_precision<float>("f32");
  bench::add("lbm/d3q19/bgk/aa/dense/f16_over_f32", dense_half, rounds);
}
