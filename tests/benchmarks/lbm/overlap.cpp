// SPDX-License-Identifier: Apache-2.0
// heddle-overlap: what it gains on processors that interiors are computed while messages travel. D3Q19 BGK in
// place (AA) on ranks of one thread each, cut along z, which is periodic: a box with open sides, and a list
// of pores.
//
//   mpirun -n 2 heddle-overlap [edge...]        default: 32 64 128 cells along each edge of a rank's part
//
// Ways to run the same steps take turns of some milliseconds: without overlap, with it, as the clock chooses;
// the steps without their exchanges, and the exchanges alone. A turn is as long as that of the slowest rank.
// Of many turns the quickest tenth counts, which other work on the machine left alone, and the median stands
// beside it.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "d3q19_dense_sweeps.hpp"
#include "d3q19_sparse_sweeps.hpp"
#include "exchange_or_not.hpp"
#include "heddle/core/environment.hpp"
#include "heddle/core/trace.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/block_kinds.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/grid/field_access.hpp"
#include "heddle/halo/halo_exchange.hpp"
#include "heddle/program/program.hpp"
#include "heddle/reduction/reduction.hpp"
#include "heddle/sparse/index_list.hpp"
#include "lbm_case.hpp"

namespace {

constexpr double omega = 1.2;
constexpr double seconds_a_turn = 0.002;
constexpr double seconds_a_case = 6;
constexpr int most_rounds = 400;
constexpr std::array<bool, 3> along{false, false, true}; // periodic
constexpr double porosity = 0.4;

/// A pair of steps on one rank, and its exchanges.
template <class Even, class Odd> struct Pair {
  Even even;
  Odd odd;
  heddle::HaloExchange before;
  heddle::HaloExchange after;

  Pair(Even one, Odd other, heddle::Transport& transport)
      : even(std::move(one)), odd(std::move(other)), before(odd.before(), transport),
        after(odd.after(), transport) {}

  void add_to(heddle::TaskGraph& loop, bool steps, bool exchanges) {
    const heddle::AccessedObject f = even.accesses().front().object;
    if (steps) loop.add(even);
    add_exchange(loop, before, exchanges, f);
    if (steps) loop.add(odd);
    add_exchange(loop, after, exchanges, f);
  }
};

/// The largest number of all ranks, which wait for each other here.
class Largest {
public:
  explicit Largest(heddle::Transport& transport)
      : largest_(
            heddle::reduction_of_numbers(heddle::ReductionKind::max, [this] { return mine_; }, transport)) {}
  Largest(const Largest&) = delete; // the reduction refers to it
  Largest& operator=(const Largest&) = delete;
  Largest(Largest&&) = delete;
  Largest& operator=(Largest&&) = delete;
  ~Largest() = default;

  double operator()(double mine) {
    mine_ = mine;
    return largest_();
  }

private:
  double mine_ = 0;
  std::function<double()> largest_;
};

/// What is compared.
enum Way { off, on, chosen, steps_alone, exchanges_alone, ways };

/// cells: of all ranks. model_bytes: what one exchange sends from a rank if only populations that cross do.
template <class Even, class Odd>
void measure(const std::string& title, Pair<Even, Odd>& pair, double cells, std::size_t model_bytes,
             heddle::Transport& transport) {
  Largest largest(transport);
  std::vector<heddle::TaskGraph> loops;
  for (const heddle::Overlap overlap : {heddle::Overlap::off, heddle::Overlap::on, heddle::Overlap::automatic,
                                        heddle::Overlap::off, heddle::Overlap::off}) {
    const auto way = static_cast<int>(loops.size());
    pair.add_to(loops.emplace_back(heddle::TaskGraphOptions{.overlap = overlap}), way != exchanges_alone,
                way != steps_alone);
  }
  const auto timed = [&](Way way, std::int64_t times) {
    largest(0);
    const double began = heddle::Trace::now();
    loops[way].run(times);
    return largest(heddle::Trace::now() - began) / static_cast<double>(times);
  };
  loops[chosen].run(100); // by then it is
  const auto times = std::max<std::int64_t>(1, static_cast<std::int64_t>(seconds_a_turn / timed(off, 4)));
  std::array<std::vector<double>, ways> seconds;
  const double began = heddle::Trace::now();
  for (int round = 0; round < most_rounds; ++round) {
    if (largest(heddle::Trace::now() - began) > seconds_a_case) break; // all ranks together
    for (int turn = 0; turn < ways; ++turn) {                          // none is always first
      const int way = (turn + round) % ways;
      seconds[static_cast<std::size_t>(way)].push_back(timed(static_cast<Way>(way), times));
    }
  }
  for (std::vector<double>& turns : seconds)
    std::ranges::sort(turns);
  const heddle::OverlapDecision choice = loops[chosen].overlap();
  const double overlaps = largest(choice.overlap ? 1 : 0);  // on any rank
  const double without = -largest(choice.overlap ? -1 : 0); // on all
  if (transport.rank() != 0) return;
  const std::size_t turns = seconds[off].size();
  const auto us = [&](Way way) { return 1e6 * seconds[way][turns / 10]; };
  const auto percent = [&](Way way, std::size_t turn) {
    return 100 * (seconds[off][turn] / seconds[way][turn] - 1);
  };
  const auto gain = [&](Way way) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%+.1f (%+.1f)", percent(way, turns / 10),
                  percent(way, turns / 2));
    return std::string(text.data());
  };
  const char* const taken = overlaps == 0 ? "off" : without == 0 ? "on on some" : "on";
  std::printf("| %s | %.1f | %.0f | %.0f | %s | %s %s | %s | %zu / %zu | %zu |\n", title.c_str(),
              2 * cells / us(off), us(off), us(exchanges_alone), gain(on).c_str(), taken,
              gain(chosen).c_str(), gain(steps_alone).c_str(), pair.before.sent_bytes(), model_bytes, turns);
  std::fflush(stdout);
}

heddle::BlockGrid grid_of(std::int64_t edge, int ranks) {
  return heddle::BlockGrid({{0, 0, 0}, {edge, edge, edge * ranks}}, {1, 1, ranks}, along, ranks);
}

/// Faces of a part: to two ranks, or twice to the same one.
std::size_t faces(int ranks) {
  return ranks == 1 ? 0 : 2;
}

/// Populations that cross a face of the box: five a cell, but what oblique ones would leave beyond a side.
std::size_t crossing(std::int64_t edge) {
  return static_cast<std::size_t>(edge * edge + 4 * (edge - 1) * edge);
}

template <class T> void box(const char* precision, std::int64_t edge, heddle::Transport& transport) {
  const heddle::BlockGrid grid = grid_of(edge, transport.ranks());
  heddle::Field<T> f(grid, {.components = 19, .name = "f", .rank = transport.rank()});
  f.fill([&](std::int64_t x, std::int64_t y, std::int64_t z, int q) {
    return static_cast<T>(bench::disturbance(x + edge * (y + edge * z), q));
  });
  Pair pair(d3q19_dense::AaEven<T>(f, {.omega = omega}), d3q19_dense::AaOdd<T>(f, {.omega = omega}),
            transport);
  measure(std::string("box ") + precision + " " + std::to_string(edge) + "^3", pair,
          static_cast<double>(grid.domain().volume()), faces(transport.ranks()) * crossing(edge) * sizeof(T),
          transport);
}

/// Links between pores of the two sides of a face, of which each carries a population either way.
std::size_t links_across(const std::vector<std::uint8_t>& flags, const heddle::BlockGrid& grid, int rank) {
  const std::array<std::int64_t, 3> n = grid.domain().extents();
  const heddle::Box& part = grid.block(grid.first_block(rank));
  const auto pore = [&](std::int64_t x, std::int64_t y, std::int64_t z) { // with solid sides
    return flags[static_cast<std::size_t>(x + n[0] * (y + n[1] * ((z + n[2]) % n[2])))] != 0;
  };
  std::size_t count = 0;
  for (const auto& [z, beyond] :
       {std::pair(part.lower[2], part.lower[2] - 1), std::pair(part.upper[2] - 1, part.upper[2])}) {
    for (std::int64_t y = 0; y < n[1]; ++y) {
      for (std::int64_t x = 0; x < n[0]; ++x) {
        if (!pore(x, y, z)) continue;
        for (const auto& [dx, dy] : {std::pair(0, 0), {1, 0}, {-1, 0}, {0, 1}, {0, -1}})
          count += pore(x + dx, y + dy, beyond) ? 1U : 0U;
      }
    }
  }
  return count;
}

template <class T> void pores(const char* precision, std::int64_t edge, heddle::Transport& transport) {
  const heddle::BlockGrid grid = grid_of(edge, transport.ranks());
  const std::vector<std::uint8_t> cube =
      bench::sphere_flags(edge, std::max<std::int64_t>(2, edge / 12), porosity);
  std::vector<std::uint8_t> flags;
  for (int rank = 0; rank < transport.ranks(); ++rank)
    flags.insert(flags.end(), cube.begin(), cube.end());
  // The cube is in a box: open at the faces where ranks meet.
  const auto plane = static_cast<std::ptrdiff_t>(edge * edge);
  for (int rank = 0; rank < transport.ranks(); ++rank) {
    const auto begin = flags.begin() + rank * plane * edge;
    std::copy_n(begin + plane, plane, begin);
    std::copy_n(begin + plane * (edge - 2), plane, begin + plane * (edge - 1));
  }
  const heddle::IndexList list(grid, transport.rank(), heddle::flags_in_memory(flags, grid.domain(), along),
                               d3q19_sparse::links);
  heddle::SparseField<T> f(list, 19);
  f.fill([&](std::int64_t x, std::int64_t y, std::int64_t z, int q) {
    return static_cast<T>(bench::disturbance(x + edge * (y + edge * z), q));
  });
  Pair pair(d3q19_sparse::AaEven<T>(f, list.all(), {.omega = omega}),
            d3q19_sparse::AaOdd<T>(f, list.all(), {.omega = omega}), transport);
  const auto cells = std::count_if(flags.begin(), flags.end(), [](std::uint8_t flag) { return flag != 0; });
  const std::size_t links = transport.ranks() == 1 ? 0 : links_across(flags, grid, transport.rank());
  measure(std::string("list ") + precision + " " + std::to_string(edge) + "^3", pair,
          static_cast<double>(cells), links * sizeof(T), transport);
}

void run(const std::vector<std::int64_t>& edges, heddle::Ranks& ranks) {
  const heddle::Environment one_thread({.threads = 1});
  heddle::Transport& transport = ranks.only();
  if (ranks.first()) {
    std::printf(
        "%s%d ranks; a pair of steps without overlap, and its two exchanges alone; percent gained on the "
        "first, in brackets by medians; bytes a rank and exchange: sent / populations that cross\n"
        "| part of a rank | MLUPS | pair, us | exchanges, us | overlap | chosen | no exchanges | bytes | "
        "turns |\n"
        "|---|---|---|---|---|---|---|---|---|\n",
        one_thread.describe().c_str(), transport.ranks());
  }
  for (const std::int64_t edge : edges) {
    box<double>("f64", edge, transport);
    box<float>("f32", edge, transport);
    pores<double>("f64", edge, transport);
    pores<float>("f32", edge, transport);
  }
}

} // namespace

int main(int argc, char** argv) {
  std::vector<std::int64_t> edges;
  for (int i = 1; i < argc; ++i)
    edges.push_back(std::atoll(argv[i]));
  if (edges.empty()) edges = {32, 64, 128};
  if (std::ranges::any_of(edges, [](std::int64_t edge) { return edge < 8; })) {
    std::fprintf(stderr, "heddle-overlap: a part has at least 8 cells along an edge\n");
    return 1;
  }
  return heddle::run(argc, argv, heddle::Memory::host, [&](heddle::Ranks& ranks) {
    run(edges, ranks);
    return 0;
  });
}
