// SPDX-License-Identifier: Apache-2.0
// heddle-scaling-lists: as heddle-scaling, on lists of cells. D3Q19 BGK in a porous medium, periodic on all
// sides, cut along z: weak, a cube of the medium a GPU; strong, two cubes and one, shared out.
//
//   heddle-scaling-lists [ranks [medium [pattern]]]     default: all devices, 256, all patterns
//
// The medium is a packing of spheres of which 40 % is fluid in a cube of so many cells; "terrain", air over
// hills in a cube of 256^3 cells; or the bytes of a file: a cube of voxels, x fastest, 0 = fluid, repeated
// until its edge has 256 cells or more. pattern: "pull-f32", "aa-f32", "twist-f32" or "pull-f16".
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <numbers>
#include <random>
#include <span>
#include <utility>

#include "../../support/d3q19.hpp"
#include "d3q19_aa_blocks_sweeps.hpp"
#include "d3q19_pull_blocks_sweeps.hpp"
#include "d3q19_twist_blocks_sweeps.hpp"
#include "heddle/grid/block_kinds.hpp"
#include "heddle/halo/halo_exchange.hpp"
#include "heddle/sparse/sparse_field.hpp"
#include "scaling_model.hpp"
#include "scaling_run.hpp"
#include "streams.hpp"

namespace {

using scaling::Case;
using scaling::Make;
using scaling::Result;

constexpr double omega = 1.2;
constexpr heddle::Memory device = heddle::Memory::device;

/// A cube of voxels that is repeated in all directions.
struct Medium {
  std::int64_t edge;
  std::vector<std::uint8_t> fluid;

  /// Spheres at random places, also across faces, until no more than `porosity` is fluid.
  static Medium spheres(std::int64_t edge, std::int64_t radius, double porosity) {
    Medium medium{edge, std::vector<std::uint8_t>(static_cast<std::size_t>(edge * edge * edge), 1)};
    auto left = static_cast<std::int64_t>(medium.fluid.size());
    const double wanted = porosity * static_cast<double>(left);
    std::mt19937_64 random(42);
    const auto place = [&] { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(edge)); };
    while (static_cast<double>(left) > wanted) {
      const std::array<std::int64_t, 3> centre{place(), place(), place()};
      for (std::int64_t k = -radius; k <= radius; ++k) {
        for (std::int64_t j = -radius; j <= radius; ++j) {
          for (std::int64_t i = -radius; i <= radius; ++i) {
            if (i * i + j * j + k * k > radius * radius) continue;
            std::uint8_t& cell = medium.at(centre[0] + i, centre[1] + j, centre[2] + k);
            left -= cell;
            cell = 0;
          }
        }
      }
    }
    return medium;
  }

  /// Hills up to a third of the edge high, alike at opposite faces. Up is y, so that cuts along z are level.
  static Medium terrain(std::int64_t edge) {
    Medium medium{edge, std::vector<std::uint8_t>(static_cast<std::size_t>(edge * edge * edge), 1)};
    const double turn = 2 * std::numbers::pi / static_cast<double>(edge);
    for (std::int64_t z = 0; z < edge; ++z) {
      for (std::int64_t x = 0; x < edge; ++x) {
        const double u = turn * static_cast<double>(x);
        const double v = turn * static_cast<double>(z);
        const double hills = 0.5 * std::sin(2 * u + std::cos(v)) + 0.3 * std::cos(3 * v - 2 * u) +
                             0.2 * std::sin(7 * u) * std::cos(5 * v);
        const auto height = std::lround(static_cast<double>(edge) * (0.19 + 0.14 * hills));
        for (std::int64_t y = 0; y < height; ++y)
          medium.at(x, y, z) = 0;
      }
    }
    return medium;
  }

  static Medium read(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    const auto edge = static_cast<std::int64_t>(std::lround(std::cbrt(static_cast<double>(bytes.size()))));
    if (bytes.empty() || static_cast<std::size_t>(edge * edge * edge) != bytes.size()) {
      throw heddle::Error("heddle-scaling",
                          file + " holds " + std::to_string(bytes.size()) + " bytes, no cube",
                          "one byte a voxel, x fastest, 0 = fluid");
    }
    for (std::uint8_t& voxel : bytes)
      voxel = voxel == 0 ? 1 : 0;
    return {edge, std::move(bytes)};
  }

  std::uint8_t& at(std::int64_t x, std::int64_t y, std::int64_t z) {
    const auto wrapped = [&](std::int64_t c) { return (c % edge + edge) % edge; };
    return fluid[static_cast<std::size_t>(wrapped(x) + edge * (wrapped(y) + edge * wrapped(z)))];
  }

  [[nodiscard]] heddle::FlagReader reader() {
    return [this](const heddle::Box& box, std::span<std::uint8_t> flags) {
      std::size_t i = 0;
      for (std::int64_t z = box.lower[2]; z < box.upper[2]; ++z) {
        for (std::int64_t y = box.lower[1]; y < box.upper[1]; ++y) {
          for (std::int64_t x = box.lower[0]; x < box.upper[0]; ++x)
            flags[i++] = at(x, y, z);
        }
      }
    };
  }
};

/// The lists of all ranks, each on its device, which all cases with these cells and ranks use.
std::vector<std::unique_ptr<heddle::IndexList>> lists_of(Medium& medium,
                                                         const std::array<std::int64_t, 3>& cells, int ranks,
                                                         std::span<const heddle::Link> links) {
  const heddle::BlockGrid grid({{0, 0, 0}, cells}, {1, 1, ranks}, {true, true, true}, ranks);
  std::vector<std::unique_ptr<heddle::IndexList>> lists;
  for (int rank = 0; rank < ranks; ++rank) {
    const heddle::DeviceScope scope(rank);
    lists.push_back(std::make_unique<heddle::IndexList>(grid, rank, medium.reader(), links, device));
  }
  return lists;
}

template <typename T> class Values {
public:
  explicit Values(const heddle::IndexList& list) : f(list, 19, device) {}
  void disturb() {
    heddle::Stream stream(device);
    streams::disturb_cuda(f.flat().data(), f.flat().extent(0), stream.native());
    stream.synchronise();
  }
  heddle::SparseField<T> f;
};

/// What patterns whose populations lie in their own cells between pairs of steps begin with and come to.
template <typename T> class InOwnCells {
public:
  static constexpr int exchanges = 2; // in a pair of steps
  static constexpr int ways = 2;      // of one exchange: to the neighbours on both sides

  void add_last(heddle::TaskGraph&) {}
  template <typename F> static void fill(heddle::SparseField<T>& f, F&& value) { f.fill(value); }
  static std::vector<T> read(const heddle::SparseField<T>& f, int q) { return f.read(q); }
};

/// Two arrays: there and back.
template <typename T> class Pull : public InOwnCells<T> {
public:
  static constexpr auto& links = d3q19_pull_blocks::links;
  using Value = T;

  Pull(const heddle::IndexList& list, heddle::Transport& transport)
      : rank_(transport.rank()), f_(list), g_(list), there_(f_.f, g_.f, list.all(), {.omega = omega}),
        back_(g_.f, f_.f, list.all(), {.omega = omega}), before_there_(there_.before(), transport),
        before_back_(back_.before(), transport) {}
  [[nodiscard]] int rank() const { return rank_; }
  void disturb() { f_.disturb(); }
  void add_to(heddle::TaskGraph& loop, bool exchanges_too) {
    if (exchanges_too) loop.add(before_there_);
    loop.add(there_);
    if (exchanges_too) loop.add(before_back_);
    loop.add(back_);
  }
  [[nodiscard]] std::size_t sent_bytes() const { return before_there_.sent_bytes(); }
  heddle::SparseField<T>& f() { return f_.f; }

private:
  int rank_;
  Values<T> f_;
  Values<T> g_;
  d3q19_pull_blocks::Step<T> there_;
  d3q19_pull_blocks::Step<T> back_;
  heddle::HaloExchange before_there_;
  heddle::HaloExchange before_back_;
};

/// In place: exchanges around the odd step.
template <typename T> class InPlace : public InOwnCells<T> {
public:
  static constexpr auto& links = d3q19_aa_blocks::links;
  using Value = T;

  InPlace(const heddle::IndexList& list, heddle::Transport& transport)
      : rank_(transport.rank()), f_(list), even_(f_.f, list.all(), {.omega = omega}),
        odd_(f_.f, list.all(), {.omega = omega}), before_(odd_.before(), transport),
        after_(odd_.after(), transport) {}
  [[nodiscard]] int rank() const { return rank_; }
  void disturb() { f_.disturb(); }
  void add_to(heddle::TaskGraph& loop, bool exchanges_too) {
    loop.add(even_);
    if (exchanges_too) loop.add(before_);
    loop.add(odd_);
    if (exchanges_too) loop.add(after_);
  }
  [[nodiscard]] std::size_t sent_bytes() const { return before_.sent_bytes(); }
  heddle::SparseField<T>& f() { return f_.f; }

private:
  int rank_;
  Values<T> f_;
  d3q19_aa_blocks::StepEven<T> even_;
  d3q19_aa_blocks::StepOdd<T> odd_;
  heddle::HaloExchange before_;
  heddle::HaloExchange after_;
};

/// In place, with exchanges around both steps: all links of a face lie in the cells of one side of it.
template <typename T> class Twist {
public:
  static constexpr auto& links = d3q19_twist_blocks::links;
  static constexpr int exchanges = 4;
  static constexpr int ways = 1;
  using Value = T;

  Twist(const heddle::IndexList& list, heddle::Transport& transport)
      : rank_(transport.rank()), f_(list), even_(f_.f, list.all(), {.omega = omega}),
        odd_(f_.f, list.all(), {.omega = omega}), before_even_(even_.before(), transport),
        after_even_(even_.after(), transport), before_odd_(odd_.before(), transport),
        after_odd_(odd_.after(), transport), last_(even_.before(), transport) {}
  [[nodiscard]] int rank() const { return rank_; }
  void disturb() { f_.disturb(); }
  void add_to(heddle::TaskGraph& loop, bool exchanges_too) {
    if (exchanges_too) loop.add(before_even_);
    loop.add(even_);
    if (exchanges_too) loop.add(after_even_);
    if (exchanges_too) loop.add(before_odd_);
    loop.add(odd_);
    if (exchanges_too) loop.add(after_odd_);
  }
  /// Brings here what the next step would read.
  void add_last(heddle::TaskGraph& loop) { loop.add(last_); }
  template <typename F> static void fill(heddle::SparseField<T>& f, F&& value) { f.fill_with_ghosts(value); }
  /// Population q of each cell as the next step would read it: of the cell at {0, 1}^3, against the velocity.
  static std::vector<T> read(const heddle::SparseField<T>& f, int q) {
    const heddle::IndexList& list = f.list();
    std::vector<std::uint32_t> table(static_cast<std::size_t>(3 * list.neighbour_stride()));
    heddle::copy_bytes(table.data(), heddle::Memory::host, list.neighbour(), list.memory(),
                       table.size() * sizeof(std::uint32_t));
    std::vector<T> values(static_cast<std::size_t>(list.count()));
    f.inspect([&](heddle::SparseView<const T> view) {
      for (std::int64_t n = 0; n < list.count(); ++n) {
        std::int64_t cell = n;
        for (std::size_t d = 0; d < 3; ++d) {
          if (test::d3q19[static_cast<std::size_t>(q)][d] < 0)
            cell =
                table[d * static_cast<std::size_t>(list.neighbour_stride()) + static_cast<std::size_t>(cell)];
        }
        values[static_cast<std::size_t>(n)] = view(cell, q);
      }
    });
    return values;
  }
  [[nodiscard]] std::size_t sent_bytes() const { return before_even_.sent_bytes(); }
  heddle::SparseField<T>& f() { return f_.f; }

private:
  int rank_;
  Values<T> f_;
  d3q19_twist_blocks::StepEven<T> even_;
  d3q19_twist_blocks::StepOdd<T> odd_;
  heddle::HaloExchange before_even_;
  heddle::HaloExchange after_even_;
  heddle::HaloExchange before_odd_;
  heddle::HaloExchange after_odd_;
  heddle::HaloExchange last_;
};

using Lists = std::vector<std::unique_ptr<heddle::IndexList>>;

template <typename Rank> Make<Rank> maker(const Lists& lists) {
  return [&](heddle::Transport& transport) {
    return std::make_unique<Rank>(*lists[static_cast<std::size_t>(transport.rank())], transport);
  };
}

double cells_of(const Lists& lists) {
  double sum = 0;
  for (const auto& list : lists)
    sum += static_cast<double>(list->count());
  return sum;
}

template <typename Rank> Result measure(const Case& one, const Lists& lists) {
  return scaling::measure(one, maker<Rank>(lists), 2 * cells_of(lists) / one.ranks);
}

/// All values after a few steps, in the order of the domain. What they begin with follows from the place.
template <typename Rank> std::vector<typename Rank::Value> values(const Case& one, const Lists& lists) {
  using T = typename Rank::Value;
  std::vector<T> all(static_cast<std::size_t>(19 * one.cells[0] * one.cells[1] * one.cells[2]));
  scaling::with_ranks<Rank>(
      one, maker<Rank>(lists), [&](auto& ranks, heddle::TaskGraph& loop, const auto& meet) {
        const auto number = [&](std::int64_t x, std::int64_t y, std::int64_t z, int q) {
          return static_cast<std::size_t>(x + one.cells[0] * (y + one.cells[1] * (z + one.cells[2] * q)));
        };
        for (auto& rank : ranks) {
          const heddle::DeviceScope scope(rank->rank());
          Rank::fill(rank->f(), [&](std::int64_t x, std::int64_t y, std::int64_t z, int q) {
            const std::size_t n = number(x, y, z, q) * 0x9E3779B97F4A7C15U >> 40U;
            if constexpr (sizeof(T) == 2)
              return static_cast<T>((n & 0x8000U) | ((10 + n % 7) << 10U) | (n & 0x3FFU));
            else
              return static_cast<T>(1e-9 * static_cast<double>(n));
          });
        }
        meet();
        loop.run(7);
        heddle::TaskGraph last = scaling::graph_of(one);
        for (auto& rank : ranks) {
          const heddle::DeviceScope scope(rank->rank());
          rank->add_last(last);
        }
        if (last.size() != 0) last.run(1);
        for (auto& rank : ranks) {
          const heddle::DeviceScope scope(rank->rank());
          const heddle::IndexList& list = rank->f().list();
          for (int q = 0; q < 19; ++q) {
            const std::vector<T> listed = Rank::read(rank->f(), q);
            for (std::int64_t n = 0; n < list.count(); ++n) {
              const auto [x, y, z] = list.position(n);
              all[number(x, y, z, q)] = listed[static_cast<std::size_t>(n)];
            }
          }
        }
        meet();
      });
  return all;
}

template <typename Rank> void check(const char* name, int ranks, const std::vector<std::string>& transports) {
  Medium medium = Medium::spheres(40, 5, 0.4);
  const std::array<std::int64_t, 3> cells{40, 40, 40};
  const auto alone = values<Rank>({.cells = cells}, lists_of(medium, cells, 1, Rank::links));
  const Lists lists = lists_of(medium, cells, ranks, Rank::links);
  for (const std::string& transport : transports) {
    for (const bool overlap : {false, true}) {
      for (const bool capture : {false, true}) {
        if (capture && transport == "pinned") continue;
        const Case one{
            .cells = cells, .ranks = ranks, .transport = transport, .overlap = overlap, .capture = capture};
        const bool equal = values<Rank>(one, lists) == alone;
        std::printf("check %s %d ranks %-7s overlap %-3s graph %-3s: %s\n", name, ranks, transport.c_str(),
                    overlap ? "on" : "off", capture ? "on" : "off",
                    equal ? "same bits as one rank" : "DIFFERENT BITS");
        std::fflush(stdout);
      }
    }
  }
}

template <typename Rank>
void table(const char* name, const char* title, Medium& medium, const std::array<std::int64_t, 3>& alone,
           const std::array<std::int64_t, 3>& whole, int ranks, const std::vector<std::string>& transports,
           bool every) {
  const auto glups = [](const Lists& lists, double pair_seconds) {
    return 2e-9 * cells_of(lists) / pair_seconds;
  };
  double single = 0;
  {
    const Lists one = lists_of(medium, alone, 1, Rank::links);
    single = glups(one, measure<Rank>({.cells = alone}, one).pair_seconds);
  }
  const double began = scaling::now();
  const Lists lists = lists_of(medium, whole, ranks, Rank::links);
  const double built = scaling::now() - began;
  std::printf(
      "\n%s %s: %lld x %lld x %lld on %d GPUs, %.1f million cells of fluid; one GPU %s %.2f GLUPS; lists "
      "built in %.1f s\n",
      title, name, static_cast<long long>(whole[0]), static_cast<long long>(whole[1]),
      static_cast<long long>(whole[2]), ranks, 1e-6 * cells_of(lists),
      alone == whole ? "(all of it)" : "(its part)", single, built);
  double message = 0;
  for (const std::string& transport : transports) {
    if (!every && transport != "stores") continue;
    for (const bool overlap : {true, false}) {
      for (const bool capture : {true, false}) {
        if (capture && transport == "pinned") continue;
        if (!every && overlap != capture) continue;
        const Case one{
            .cells = whole, .ranks = ranks, .transport = transport, .overlap = overlap, .capture = capture};
        const Result found = measure<Rank>(one, lists);
        if (message == 0) {
          // Both neighbours of a ring of two are the same rank.
          message = static_cast<double>(found.sent_bytes) / (ranks > 2 ? Rank::ways : 1);
          const double latency = scaling::copy_seconds(64, true);
          const double way = scaling::copy_seconds(static_cast<std::size_t>(message), true);
          const scaling::Network network{latency, message / (way - latency + 1e-9)};
          const scaling::Device gpu{2e-9 * cells_of(lists) / ranks / single, 2.5e-6, 2.5e12};
          scaling::Exchange exchange = scaling::exchange_of(gpu, network, message, 1, 4 * message, 2);
          exchange.memory *= Rank::exchanges / 2.0; // of a pair: two such
          exchange.way *= Rank::exchanges / 2.0;
          std::printf(
              "  exchange by the model %.0f us (%.2f MB, way %.1f us + %.0f GB/s), pair of steps %.0f us: "
              "%.2f GLUPS with overlap, %.2f without\n",
              1e6 * exchange.seconds(), 1e-6 * message, 1e6 * network.latency, 1e-9 * network.bandwidth,
              1e6 * gpu.pair, glups(lists, scaling::pair_seconds(gpu, exchange, true)),
              glups(lists, scaling::pair_seconds(gpu, exchange, false)));
        }
        const double rate = glups(lists, found.pair_seconds);
        std::printf("  %-7s overlap %-3s graph %-3s %8.2f GLUPS  %6.1f %% of %d x one   sent %zu bytes\n",
                    transport.c_str(), overlap ? "on" : "off", capture ? "on" : "off", rate,
                    100 * rate / (single * ranks), ranks, found.sent_bytes);
        std::fflush(stdout);
      }
    }
  }
}

template <typename Rank>
void all(const char* name, Medium& medium, int ranks, const std::vector<std::string>& transports,
         bool every) {
  const std::int64_t edge = medium.edge * std::max<std::int64_t>(1, (255 + medium.edge) / medium.edge);
  const std::array<std::int64_t, 3> cube{edge, edge, edge};
  check<Rank>(name, ranks, transports);
  table<Rank>(name, "weak", medium, cube, {edge, edge, edge * ranks}, ranks, transports, every);
  table<Rank>(name, "strong", medium, {edge, edge, 2 * edge}, {edge, edge, 2 * edge}, ranks, transports,
              false);
  table<Rank>(name, "strong", medium, cube, cube, ranks, transports, false);
}

} // namespace

int main(int argc, char** argv) {
  try {
    const int ranks = argc > 1 ? std::atoi(argv[1]) : heddle::device_count();
    const std::string given = argc > 2 ? argv[2] : "256";
    const std::string wanted = argc > 3 ? argv[3] : "";
    if (ranks < 2) {
      std::fprintf(stderr, "heddle-scaling-lists: %d devices are no scaling. Hint: CUDA_VISIBLE_DEVICES\n",
                   ranks);
      return 1;
    }
    std::printf("%s\n", heddle::peer_candidate(ranks).reason.c_str());
    const std::vector<std::string> known = scaling::transports();
    const bool number = given.find_first_not_of("0123456789") == std::string::npos;
    Medium medium = number               ? Medium::spheres(std::stoll(given), 14, 0.4)
                    : given == "terrain" ? Medium::terrain(256)
                                         : Medium::read(given);
    if (wanted.empty() || wanted == "pull-f32") all<Pull<float>>("pull f32", medium, ranks, known, true);
    if (wanted.empty() || wanted == "aa-f32") all<InPlace<float>>("AA f32", medium, ranks, known, false);
    if (wanted.empty() || wanted == "twist-f32")
      all<Twist<float>>("EsoTwist f32", medium, ranks, known, false);
    if (wanted.empty() || wanted == "pull-f16")
      all<Pull<std::uint16_t>>("pull f16", medium, ranks, known, false);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heddle-scaling-lists: %s\n", error.what());
    return 1;
  }
}
