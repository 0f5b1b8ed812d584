// SPDX-License-Identifier: Apache-2.0
// heddle-lists [host|device [EDGE [ROUNDS]]]: D3Q19 BGK over lists of cells: which order of cells, which
// pattern and which neighbour table, in a closed box and between spheres (porosity 0.4) in a cube of EDGE^3
// cells. All variants of a medium are timed in turns; rows are medians, the ratio that to the first row of
// its medium.
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../support/d3q19.hpp"
#include "d3q19_lists_sweeps.hpp"
#include "d3q19_plain_list_sweeps.hpp"
#include "d3q19_sparse_sweeps.hpp"
#include "d3q19_twist_sweeps.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/core/with_cuda.hpp"
#include "heddle/sparse/index_list.hpp"
#include "heddle/sparse/sparse_field.hpp"
#include "heddle/sparse/wall_masks.hpp"
#include "lbm_case.hpp"
#include "median.hpp"
#include "streams.hpp"

namespace {

constexpr double omega = 1.2;
constexpr std::array<bool, 3> closed{false, false, false};

struct Order {
  const char* name;
  heddle::CellOrder order;
};
constexpr Order orders[] = {{"rows", heddle::CellOrder::rows},
                            {"Morton", heddle::CellOrder::morton},
                            {"Hilbert", heddle::CellOrder::hilbert}};

/// A kernel over one list. index_bytes: of neighbour tables and masks, an update. steps: two of them.
struct Variant {
  std::string name;
  double cells;
  double index_bytes;
  int value_bytes;
  std::function<void(heddle::Stream&)> steps;
};

class Medium {
public:
  Medium(heddle::Memory memory, std::int64_t edge, std::vector<std::uint8_t> flags)
      : memory_(memory), box_{{0, 0, 0}, {edge, edge, edge}}, flags_(std::move(flags)) {}

  template <class T> void add_two_arrays(const Order& order) {
    const auto list = list_of(d3q19_lists::links, order);
    const auto f = field_of<T>(*list);
    const auto g = field_of<T>(*list);
    const bool device = memory_ == heddle::Memory::device;
    const double words = device ? static_cast<double>(list->neighbour_chunk_size()) : run_words(*list);
    add<T>(device ? "pull, compressed" : "pull, runs", order, *list,
           4 * words / static_cast<double>(list->count()), [=](heddle::Stream& stream) {
             d3q19_lists::Pull<T>(*f, *g, list->all(), {.omega = omega})(stream);
             d3q19_lists::Pull<T>(*g, *f, list->all(), {.omega = omega})(stream);
           });
    add<T>("pull, plain", order, *list, 72, [=](heddle::Stream& stream) {
      d3q19_plain_list::Pull<T>(*f, *g, list->all(), {.omega = omega})(stream);
      d3q19_plain_list::Pull<T>(*g, *f, list->all(), {.omega = omega})(stream);
    });
  }

  template <class T> void add_aa(const Order& order) {
    const auto list = list_of(d3q19_sparse::links, order);
    const auto f = field_of<T>(*list);
    const bool device = memory_ == heddle::Memory::device;
    const double bytes = device ? 36 : 2 * run_words(*list) / static_cast<double>(list->count());
    add<T>(device ? "AA, plain" : "AA, runs", order, *list, bytes, [=](heddle::Stream& stream) {
      if constexpr (std::is_same_v<T, double>) {
        d3q19_sparse::AaWideEven<T>(*f, list->all(), {.omega = omega})(stream);
        d3q19_sparse::AaWideOdd<T>(*f, list->all(), {.omega = omega})(stream);
      } else {
        d3q19_sparse::AaEven<T>(*f, list->all(), {.omega = omega})(stream);
        d3q19_sparse::AaOdd<T>(*f, list->all(), {.omega = omega})(stream);
      }
    });
  }

  template <class T> void add_twist(const Order& order) {
    const auto list = list_of(d3q19_twist::links, order);
    const auto f = field_of<T>(*list);
    const auto walls = std::make_shared<heddle::SparseField<std::uint32_t>>(*list, 1, memory_, "walls");
    heddle::mark_walls(*walls, test::d3q19, closed);
    add<T>("EsoTwist, full-way", order, *list, 12, [=](heddle::Stream& stream) {
      d3q19_twist::FullEven<T>(*f, list->all(), {.omega = omega})(stream);
      d3q19_twist::FullOdd<T>(*f, list->all(), {.omega = omega})(stream);
    });
    add<T>("EsoTwist, half-way", order, *list, 16, [=](heddle::Stream& stream) {
      d3q19_twist::HalfEven<T>(*f, *walls, list->all(), {.omega = omega})(stream);
      d3q19_twist::HalfOdd<T>(*f, *walls, list->all(), {.omega = omega})(stream);
    });
    solid_ = static_cast<double>(list->solid_nodes()) / static_cast<double>(list->count());
  }

  void report(const char* title, int rounds) {
    heddle::Stream stream(memory_);
    std::vector<std::vector<double>> seconds(variants_.size());
    std::vector<std::vector<double>> ratios(variants_.size());
    for (int round = -1; round < rounds; ++round) { // the first one warms up
      double first = 0;
      for (std::size_t v = 0; v < variants_.size(); ++v) {
        const double time = step_seconds(variants_[v], stream);
        const double each = time / variants_[v].cells;
        if (v == 0) first = each;
        if (round < 0) continue;
        seconds[v].push_back(time);
        ratios[v].push_back(first / each);
      }
    }
    std::printf("\n%s; EsoTwist holds %.3f cells behind walls for each listed one\n| kernel | order | GLUPS "
                "| ratio | index B | TB/s |\n|---|---|---|---|---|---|\n",
                title, solid_);
    for (std::size_t v = 0; v < variants_.size(); ++v) {
      const Variant& variant = variants_[v];
      const double rate = variant.cells / bench::median(seconds[v]);
      const double bytes = 2.0 * bench::populations * variant.value_bytes + variant.index_bytes;
      std::printf("| %s | %.3f | %.3f | %.1f | %.3f |\n", variant.name.c_str(), rate * 1e-9,
                  bench::median(ratios[v]), variant.index_bytes, rate * bytes * 1e-12);
    }
    std::fflush(stdout);
  }

private:
  std::shared_ptr<heddle::IndexList> list_of(std::span<const heddle::Link> links, const Order& order) {
    return std::make_shared<heddle::IndexList>(box_, flags_, closed, links, memory_, std::array<bool, 6>{},
                                               std::array<bool, 6>{}, order.order);
  }

  template <class T> std::shared_ptr<heddle::SparseField<T>> field_of(const heddle::IndexList& list) {
    auto f = std::make_shared<heddle::SparseField<T>>(list, bench::populations, memory_);
    if constexpr (heddle::with_cuda) {
      if (memory_ == heddle::Memory::device) {
        streams::disturb_cuda(f->view().data(), bench::populations * list.slot_stride(), nullptr);
        return f;
      }
    }
    if constexpr (!std::is_same_v<T, std::uint16_t>) {
      const std::int64_t edge = box_.extent(0);
      f->fill([edge](std::int64_t x, std::int64_t y, std::int64_t z, int q) {
        return bench::disturbance(x + edge * (y + edge * z), q);
      });
    }
    return f;
  }

  /// Words of the runs, and of the table where they say "unknown".
  static double run_words(const heddle::IndexList& list) {
    const std::int64_t entries = list.cells() / heddle::IndexList::chunk * list.rows();
    std::int64_t unknown = 0;
    for (std::int64_t i = 0; i < entries; ++i)
      unknown += list.neighbour_run()[i] == 0xFFFFFFFFU ? 1 : 0;
    return static_cast<double>(entries + unknown * heddle::IndexList::chunk);
  }

  template <class T, class Steps>
  void add(const char* kernel, const Order& order, const heddle::IndexList& list, double bytes, Steps steps) {
    variants_.push_back({std::string(kernel) + " | " + order.name, static_cast<double>(list.count()), bytes,
                         static_cast<int>(sizeof(T)), std::move(steps)});
  }

  /// Of one step.
  static double step_seconds(const Variant& variant, heddle::Stream& stream) {
    const int repeats = stream.device() ? 5 : 1;
    stream.synchronise();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < repeats; ++i)
      variant.steps(stream);
    stream.synchronise();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / (2 * repeats);
  }

  heddle::Memory memory_;
  heddle::Box box_;
  std::vector<std::uint8_t> flags_;
  std::vector<Variant> variants_;
  double solid_ = 0;
};

void report(heddle::Memory memory, std::int64_t edge, int rounds) {
  const std::pair<const char*, std::vector<std::uint8_t>> media[] = {
      {"closed box", bench::box_flags(edge)},
      {"spheres of radius 14, porosity 0.4", bench::sphere_flags(edge, 14, 0.4)}};
  for (const auto& [name, flags] : media) {
    Medium f32(memory, edge, flags);
    for (const Order& order : orders) {
      f32.add_two_arrays<float>(order);
      f32.add_aa<float>(order);
      f32.add_twist<float>(order);
    }
    f32.report((std::string(name) + ", f32").c_str(), rounds);
    if (memory == heddle::Memory::device) {
      Medium f16(memory, edge, flags);
      f16.add_two_arrays<std::uint16_t>(orders[0]);
      f16.add_twist<std::uint16_t>(orders[0]);
      f16.report((std::string(name) + ", f16").c_str(), rounds);
    }
    Medium f64(memory, edge, flags);
    f64.add_two_arrays<double>(orders[0]);
    f64.add_aa<double>(orders[0]);
    f64.add_twist<double>(orders[0]);
    f64.report((std::string(name) + ", f64").c_str(), rounds);
  }
}

} // namespace

int main(int count, char** words) {
  try {
    const std::string where = count > 1 ? words[1] : "host";
    if (where != "host" && where != "device") {
      std::fprintf(stderr, "heddle-lists: '%s' is not a place; host or device\n", where.c_str());
      return 1;
    }
    const bool device = where == "device";
    const std::int64_t edge = count > 2 ? std::atoll(words[2]) : device ? 256 : 128;
    const int rounds = count > 3 ? std::atoi(words[3]) : 11;
    if (edge < 32 || rounds < 1) {
      std::fprintf(stderr, "heddle-lists: an edge of 32 or more, and at least one round\n");
      return 1;
    }
    report(device ? heddle::Memory::device : heddle::Memory::host, edge, rounds);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
