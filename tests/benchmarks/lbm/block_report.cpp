// SPDX-License-Identifier: Apache-2.0
// heddle-blocks [N [FOLDER]]: what it takes to go from the voxels of a porous cube of N^3 cells (512) to
// tables: one list of all of it for AA and for EsoTwist, which holds cells behind walls; to cut it into
// blocks, build their lists, share them among ranks, and store one field of them in a checkpoint in FOLDER.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numbers>
#include <random>
#include <span>
#include <vector>

#include "../../support/lattice.hpp"
#include "heddle/core/parallel.hpp"
#include "heddle/grid/block_kinds.hpp"
#include "heddle/hybrid/hybrid_field.hpp"
#include "heddle/io/checkpoint.hpp"

namespace {

class Clock {
public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Fluid between balls at random places that may overlap, a share of about 0.4; the highest eighth is all
/// fluid, and the lowest all solid.
std::vector<std::uint8_t> porous(std::int64_t n) {
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(n * n * n), 1);
  const std::int64_t radius = std::max<std::int64_t>(2, n / 36);
  const auto volume = 4.0 / 3 * std::numbers::pi * std::pow(static_cast<double>(radius), 3);
  const auto balls = static_cast<int>(-std::log(0.4) * static_cast<double>(n * n * n) / volume);
  std::mt19937_64 random(1);
  const auto at = [&](std::int64_t x, std::int64_t y, std::int64_t z) -> std::uint8_t& {
    return flags[static_cast<std::size_t>(x + n * (y + n * z))];
  };
  for (int ball = 0; ball < balls; ++ball) {
    const auto place = [&] { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n)); };
    const std::int64_t x = place();
    const std::int64_t y = place();
    const std::int64_t z = place();
    for (std::int64_t k = -radius; k <= radius; ++k) {
      for (std::int64_t j = -radius; j <= radius; ++j) {
        for (std::int64_t i = -radius; i <= radius; ++i) {
          if (i * i + j * j + k * k <= radius * radius)
            at((x + i + n) % n, (y + j + n) % n, (z + k + n) % n) = 0;
        }
      }
    }
  }
  for (std::int64_t z = 0; z < n / 8; ++z) {
    for (std::int64_t i = 0; i < n * n; ++i) {
      flags[static_cast<std::size_t>(i + n * n * z)] = 0;
      flags[static_cast<std::size_t>(i + n * n * (n - 1 - z))] = 1;
    }
  }
  return flags;
}

/// The heaviest rank over the mean.
double imbalance(const heddle::BlockGrid& grid, const heddle::BlockChoice& choice) {
  double heaviest = 0;
  double sum = 0;
  for (int rank = 0; rank < grid.ranks(); ++rank) {
    double weight = 0;
    for (int b = grid.first_block(rank); b < grid.first_block(rank + 1); ++b) {
      const auto [x, y, z] = grid.place(b);
      weight += static_cast<double>(
          choice.weights[static_cast<std::size_t>(x + grid.blocks()[0] * (y + grid.blocks()[1] * z))]);
    }
    heaviest = std::max(heaviest, weight);
    sum += weight;
  }
  return heaviest * grid.ranks() / sum;
}

/// EsoTwist's three rows.
constexpr std::array<heddle::Link, 3> twist_links{{{0, {1, 0, 0}, heddle::Link::to_cell},
                                                   {0, {0, 1, 0}, heddle::Link::to_cell},
                                                   {0, {0, 0, 1}, heddle::Link::to_cell}}};

/// One list of the whole cube, from flags in memory to tables of neighbours.
void time_list(const char* pattern, const heddle::Box& domain, const std::vector<std::uint8_t>& flags,
               const std::array<bool, 3>& periodic, std::span<const heddle::Link> links) {
  const Clock clock;
  const heddle::IndexList list(domain, flags, periodic, links);
  const double seconds = clock.seconds();
  const auto cells = static_cast<double>(list.count());
  std::printf("one list for %s: %.1f million cells, %.1f million solid nodes, in %.2f s: %.1f ns and %.1f "
              "bytes a cell\n",
              pattern, 1e-6 * cells, 1e-6 * static_cast<double>(list.solid_nodes()), seconds,
              1e9 * seconds / cells, static_cast<double>(list.table_bytes()) / cells);
  std::fflush(stdout);
}

void run(std::int64_t n, const char* folder) {
  const std::vector<std::uint8_t> flags = porous(n);
  const heddle::Box domain{{0, 0, 0}, {n, n, n}};
  const std::array<bool, 3> periodic{true, true, false};
  const heddle::FlagReader reader = heddle::flags_in_memory(flags, domain, periodic);
  std::printf("%lld^3 cells, %d threads\n", static_cast<long long>(n), heddle::thread_count());
  for (int turn = 0; turn < 3; ++turn) { // the first one meets memory that nobody has touched
    time_list("AA", domain, flags, periodic, lattice::aa_links());
    time_list("EsoTwist", domain, flags, periodic, twist_links);
  }
  for (const std::int64_t edge : {n, n / 4, n / 8, n / 16}) {
    const auto parts = static_cast<int>(n / edge);
    const std::array<int, 3> blocks{parts, parts, parts};
    const Clock clock;
    const heddle::BlockChoice choice = heddle::choose_blocks(domain, blocks, reader);
    const heddle::BlockGrid grid = heddle::BlockGrid::balanced(domain, blocks, periodic, 1, choice.weights);
    const double chosen = clock.seconds();
    heddle::HybridField<float> f(grid, choice, reader, lattice::aa_links(), 1);
    std::printf("blocks of %lld^3: %d of %d, chosen in %.2f s, %d dense; %s\n", static_cast<long long>(edge),
                grid.size(), grid.places(), chosen, grid.size() - f.report().lists,
                f.report().line().c_str());
    for (const int ranks : {4, 64}) {
      if (grid.size() < 2 * ranks) continue;
      std::printf(
          "  on %d ranks the heaviest has %.3f of the mean\n", ranks,
          imbalance(heddle::BlockGrid::balanced(domain, blocks, periodic, ranks, choice.weights), choice));
    }
    if (edge != n / 4 || folder == nullptr) continue;
    heddle::Checkpoint checkpoint(folder, "report");
    std::int64_t cells = 0;
    for (auto& block : f.blocks()) {
      if (!block.list) continue;
      checkpoint.add(*block.listed, block.cells.box, "f");
      cells += block.list->interior().size();
    }
    const Clock writing;
    checkpoint.write(0);
    const double written = writing.seconds();
    const Clock reading;
    checkpoint.read();
    std::printf("  checkpoint of %.0f MB: written in %.2f s, read in %.2f s\n",
                static_cast<double>(4 * cells) / 1e6, written, reading.seconds());
  }
}

} // namespace

int main(int count, char** arguments) {
  try {
    run(count > 1 ? std::atoll(arguments[1]) : 512, count > 2 ? arguments[2] : nullptr);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heddle-blocks: %s\n", error.what());
    return 1;
  }
}
