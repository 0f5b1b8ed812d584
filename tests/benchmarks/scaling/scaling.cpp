// SPDX-License-Identifier: Apache-2.0
// heddle-scaling: D3Q19 BGK in a box with walls and a moving lid on one GPU and on several, transport by
// transport, with and without overlap and CUDA graphs, beside a model of the step time. Vectors of
// interleaved blocks (AA, cut along y), shared out along z, exchanged as any other field. "graph 2": two
// pairs of steps in one; "graph 32 *": with interiors that are not taken apart into slabs.
//
//   heddle-scaling [ranks [edge [what [trace.json]]]]     default: all devices, 256, all, no trace
//   mpirun -n RANKS heddle-scaling RANKS [edge]           the transports of MPI, weak and strong
//
// what: "all"; "stores" for the same through stores alone; "weak" for weak scaling through stores alone,
// which leaves room for a large edge; "half": half of the domain of strong scaling, so that each part is as
// large as on twice as many devices.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "exchange_or_not.hpp"
#include "heddle/core/device_scope.hpp"
#include "heddle/device/half.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/halo/halo_exchange.hpp"
#include "lbm/lanes_kernels.hpp"
#include "lbm/lbm_case.hpp"
#include "scaling_model.hpp"
#include "scaling_run.hpp"
#include "streams.hpp"

namespace {

using scaling::Case;
using scaling::Result;

constexpr double omega = 1.2;

/// The blocks of one rank and their pair of steps.
template <typename Kernels> class Rank {
public:
  using T = typename Kernels::Value;

  Rank(const heddle::BlockGrid& grid, heddle::Transport& transport)
      : f_(grid, {.components = 19,
                  .memory = heddle::Memory::device,
                  .name = "f",
                  .rank = transport.rank(),
                  .interleaved = Kernels::lanes}),
        even_(f_, {.omega = omega}), odd_(f_, {.omega = omega}), before_(odd_.before(), transport),
        after_(odd_.after(), transport), lid_after_even_(Kernels::lid_after_even(f_)),
        lid_after_odd_(Kernels::lid_after_odd(f_)) {}

  heddle::Field<T>& f() { return f_; }
  int rank() const { return f_.rank(); }
  std::size_t sent_bytes() const { return before_.sent_bytes(); }

  void disturb() {
    heddle::Stream stream(heddle::Memory::device);
    const auto view = f_.view();
    streams::disturb_cuda(view.data(), view.stride(3) * 18 + view.extent(2) * view.stride(2),
                          stream.native());
    stream.synchronise();
  }

  void add_to(heddle::TaskGraph& loop, bool exchanges) {
    loop.add(even_);
    loop.add(lid_after_even_);
    add_exchange(loop, before_, exchanges, &f_);
    loop.add(odd_);
    add_exchange(loop, after_, exchanges, &f_);
    loop.add(lid_after_odd_);
  }

private:
  heddle::Field<T> f_;
  typename Kernels::Even even_;
  typename Kernels::Odd odd_;
  heddle::HaloExchange before_;
  heddle::HaloExchange after_;
  heddle::RegionSweep lid_after_even_;
  heddle::RegionSweep lid_after_odd_;
};

template <typename Kernels> heddle::BlockGrid grid_of(const Case& one) {
  return lanes::grid(one.cells, Kernels::lanes, one.ranks);
}

template <typename Kernels> scaling::Make<Rank<Kernels>> maker(const Case& one) {
  return [grid = grid_of<Kernels>(one)](heddle::Transport& transport) {
    return std::make_unique<Rank<Kernels>>(grid, transport);
  };
}

template <typename Kernels> Result measure(const Case& one) {
  const double updates = 2 * static_cast<double>(one.cells[0] * one.cells[1] * one.cells[2]) / one.ranks;
  return scaling::measure(one, maker<Kernels>(one), updates);
}

/// All values after a few steps of a small box, x fastest and populations last; those of the ranks of other
/// processes are as in `all`.
template <typename Kernels>
std::vector<typename Kernels::Value> values(const Case& one, std::vector<typename Kernels::Value> all) {
  using T = typename Kernels::Value;
  const auto [nx, ny, nz] = one.cells;
  scaling::with_ranks<Rank<Kernels>>(
      one, maker<Kernels>(one), [&](auto& ranks, heddle::TaskGraph& loop, const std::function<void()>& meet) {
        for (auto& rank : ranks) {
          const heddle::DeviceScope device(rank->f().rank());
          rank->f().fill([&](std::int64_t x, std::int64_t y, std::int64_t z, int q) {
            const double value = bench::disturbance(x + nx * (y + ny * z), q);
            if constexpr (sizeof(T) == 2)
              return heddle::to_half(static_cast<float>(0x1p15 * value));
            else
              return static_cast<T>(value);
          });
        }
        meet();
        loop.run(7);
        for (auto& rank : ranks) {
          const heddle::DeviceScope device(rank->f().rank());
          for (int block = 0; block < rank->f().blocks(); ++block) {
            const heddle::Box& box = rank->f().box(block);
            for (int q = 0; q < 19; ++q) {
              const std::vector<T> part = rank->f().read(block, q);
              auto row = part.begin();
              for (std::int64_t z = box.lower[2]; z < box.upper[2]; ++z) {
                for (std::int64_t y = box.lower[1]; y < box.upper[1]; ++y, row += nx)
                  std::copy_n(row, nx, all.begin() + nx * (y + ny * (z + nz * q)));
              }
            }
          }
        }
        meet();
      });
  return all;
}

template <typename Kernels>
void check(const char* precision, int ranks, const std::vector<std::string>& known) {
  const std::array<std::int64_t, 3> cells{72, Kernels::lanes * 5, ranks * 5};
  const std::vector<typename Kernels::Value> none(
      static_cast<std::size_t>(cells[0] * cells[1] * cells[2] * 19));
  const auto alone = values<Kernels>({.cells = cells}, none);
  for (const std::string& transport : known) {
    for (const bool overlap : {false, true}) {
      for (const bool capture : {false, true}) {
        if (capture && !scaling::records(transport)) continue;
        const Case one{
            .cells = cells, .ranks = ranks, .transport = transport, .overlap = overlap, .capture = capture};
        const auto found = values<Kernels>(one, scaling::processes() == 1 ? none : alone);
        const bool equal = scaling::everywhere(found == alone);
        std::printf("check %s %d ranks %-10s overlap %-3s graph %-3s: %s\n", precision, ranks,
                    transport.c_str(), overlap ? "on" : "off", capture ? "on" : "off",
                    equal ? "same bits as one rank" : "DIFFERENT BITS");
        std::fflush(stdout);
      }
    }
  }
}

/// "glups" counts cells of all ranks.
double glups(const Case& one, double pair_seconds) {
  return 2e-9 * static_cast<double>(one.cells[0] * one.cells[1] * one.cells[2]) / pair_seconds;
}

template <typename Kernels>
void table(const char* precision, const char* title, std::array<std::int64_t, 3> alone,
           std::array<std::int64_t, 3> whole, int ranks, const std::vector<std::string>& known, bool every) {
  using T = typename Kernels::Value;
  const bool weak = alone != whole;
  const Case one{.cells = alone};
  const double single = glups(one, measure<Kernels>(one).pair_seconds);
  // The work of one rank without any exchange, for the model.
  Case bare{.cells = whole, .exchanges = false};
  bare.cells[2] /= ranks;
  const double bare_pair = measure<Kernels>(bare).pair_seconds;
  const std::size_t message = scaling::face_bytes(whole[0], whole[1], sizeof(T));
  const double latency = scaling::copy_seconds(64, true);
  const scaling::Network network{latency, static_cast<double>(message) /
                                              (scaling::copy_seconds(message, true) - latency + 1e-9)};
  const double moved =
      4.0 * 19 * sizeof(T) * static_cast<double>(bare.cells[0] * bare.cells[1] * bare.cells[2]);
  const scaling::Device device{bare_pair, 2.5e-6, moved / bare_pair};
  constexpr int launches = 2;               // what goes to other ranks, and what crosses between lanes
  const int faces = std::min(ranks - 1, 2); // of a rank in the middle
  // Read here and stored there, and the populations that cross on both sides of the lanes, read and written.
  const double carried =
      2.0 * faces * static_cast<double>(message) +
      4.0 * Kernels::lanes * static_cast<double>(scaling::face_bytes(whole[0], bare.cells[2], sizeof(T)));
  const scaling::Exchange exchange =
      scaling::exchange_of(device, network, static_cast<double>(message), faces, carried, launches);
  std::printf("\n%s %s: %lld x %lld x %lld on %d GPUs; one GPU %s %.2f GLUPS, kernels and walls alone %.2f\n",
              title, precision, static_cast<long long>(whole[0]), static_cast<long long>(whole[1]),
              static_cast<long long>(whole[2]), ranks, weak ? "(its part)" : "(all of it)", single,
              glups(bare, bare_pair));
  std::printf(
      "  %d %s of %zu bytes by the model, way %.1f us + %.0f GB/s, pair of steps %.0f us at %.2f TB/s;\n"
      "  exchange %.0f us, of which %.0f us of memory time, which overlap does not hide\n",
      faces, faces == 1 ? "face" : "faces", message, 1e6 * network.latency, 1e-9 * network.bandwidth,
      1e6 * bare_pair, 1e-12 * device.memory, 1e6 * exchange.seconds(), 1e6 * exchange.memory);
  const auto row = [&](Case variant) {
    variant.cells = whole;
    variant.ranks = ranks;
    const Result found = measure<Kernels>(variant);
    const double rate = glups(variant, found.pair_seconds);
    const double model = glups(variant, scaling::pair_seconds(device, exchange, found.choice.overlap));
    const std::string graph =
        variant.capture ? std::to_string(variant.unroll) + (variant.slabs == 1 ? " *" : "") : "off";
    std::printf(
        "  %-10s overlap %-3s graph %-4s %8.2f GLUPS  %6.1f %% of %d x one   model %8.2f   sent %zu bytes\n",
        variant.transport.c_str(), found.choice.overlap ? "on" : "off", graph.c_str(), rate,
        100 * rate / (single * ranks), ranks, model, found.sent_bytes);
    if (variant.overlap == heddle::Overlap::automatic)
      std::printf("             chosen; %s\n", found.choice.reason.c_str());
    std::fflush(stdout);
  };
  for (const std::string& transport : known) {
    if (!every && transport != "stores") continue;
    for (const bool overlap : {true, false}) {
      for (const bool capture : {true, false}) {
        if (capture && !scaling::records(transport)) continue;
        if (!every && overlap != capture) continue;
        row({.transport = transport, .overlap = overlap, .capture = capture});
      }
      for (const int unroll : {8, 32})
        if (transport == "stores") row({.transport = transport, .overlap = overlap, .unroll = unroll});
      if (transport == "stores" && overlap)
        row({.transport = transport, .overlap = heddle::Overlap::on, .unroll = 32, .slabs = 1});
    }
    if (transport == "stores")
      row({.transport = transport, .overlap = heddle::Overlap::automatic, .unroll = 32});
  }
  if (weak) std::fputs(scaling::extrapolation(device, whole[0], sizeof(T)).c_str(), stdout);
}

/// Which part of the time in which borders are exchanged and computed the interior of the same device is
/// computed.
void write_trace(int ranks, std::int64_t edge, const std::string& file) {
  heddle::Trace trace;
  const Case one{.cells = {edge, edge, edge * ranks},
                 .ranks = ranks,
                 .transport = "stores",
                 .capture = false,
                 .unroll = 1,
                 .trace = &trace};
  scaling::with_ranks<Rank<lanes::F32>>(
      one, maker<lanes::F32>(one), [&](auto& parts, heddle::TaskGraph& loop, const std::function<void()>&) {
        for (auto& part : parts) {
          const heddle::DeviceScope device(part->f().rank());
          part->disturb();
        }
        loop.run(4);
      });
  trace.write(file);
  const std::vector<heddle::Trace::Span> spans = trace.spans();
  double exchanges = 0;
  double covered = 0;
  for (const heddle::Trace::Span& span : spans) {
    if (!span.name.ends_with(" start") && !span.name.ends_with(" finish")) continue;
    exchanges += span.end - span.begin;
    for (const heddle::Trace::Span& other : spans) {
      if (other.process == span.process && other.name.ends_with(" interior"))
        covered += std::max(0.0, std::min(span.end, other.end) - std::max(span.begin, other.begin));
    }
  }
  std::printf("\ntrace %s: %.0f us of exchanges in four pairs of steps, %.0f %% of them while an interior is "
              "computed\n",
              file.c_str(), 1e6 * exchanges, 100 * covered / exchanges);
}

template <typename Kernels>
void all(const char* precision, int ranks, std::int64_t edge, const std::vector<std::string>& known,
         const std::string& what) {
  const bool every = what == "all";
  if (what == "half") {
    check<Kernels>(precision, ranks, known);
    for (const std::int64_t n : {edge, 2 * edge})
      table<Kernels>(precision, "half of strong", {n, n, n}, {n, n, n / 2}, ranks, known, false);
    return;
  }
  if (what != "weak") check<Kernels>(precision, ranks, known);
  table<Kernels>(precision, "weak", {edge, edge, edge}, {edge, edge, edge * ranks}, ranks, known, every);
  if (what == "weak") return;
  if (scaling::processes() == 1) // of stores alone
    table<Kernels>(precision, "strong", {2 * edge, 2 * edge, 2 * edge}, {2 * edge, 2 * edge, 2 * edge}, ranks,
                   known, false);
  table<Kernels>(precision, "strong", {edge, edge, edge}, {edge, edge, edge}, ranks, known, every);
}

int run(int argc, char** argv) {
  const int ranks = argc > 1 ? std::atoi(argv[1]) : heddle::device_count();
  const std::int64_t edge = argc > 2 ? std::atoll(argv[2]) : 256;
  const std::string what = argc > 3 ? argv[3] : "all";
  if (ranks < 2)
    throw std::invalid_argument(std::to_string(ranks) +
                                " devices are no scaling. Hint: CUDA_VISIBLE_DEVICES");
  if (what != "all" && what != "stores" && what != "weak" && what != "half")
    throw std::invalid_argument("'" + what + "' is none of all, stores, weak, half");
  const bool of_mpi = scaling::processes() > 1;
  if (of_mpi && (ranks != scaling::processes() || what != "all")) {
    throw std::invalid_argument("mpirun started " + std::to_string(scaling::processes()) +
                                " processes. Hint: that number of ranks, and 'all'");
  }
  if (of_mpi && argc > 4) throw std::invalid_argument("a trace is of one process. Hint: without mpirun");
  if (!of_mpi) std::printf("%s\n", heddle::peer_candidate(ranks).reason.c_str());
  const std::vector<std::string> known =
      what == "all" ? scaling::transports() : std::vector<std::string>{"stores"};
  all<lanes::F32>("f32", ranks, edge, known, what);
  all<lanes::F16>("f16", ranks, edge, known, what);
  if (argc > 4) write_trace(ranks, edge, argv[4]);
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  return scaling::run_processes(argc, argv, [&] { return run(argc, argv); });
}
