// SPDX-License-Identifier: Apache-2.0
// What is relaxed: div grad phi = right in a cube of cells with walls at every fourth place of a coarse
// lattice.
#ifndef HEDDLE_BENCHMARKS_RELAXATION_CASE_HPP
#define HEDDLE_BENCHMARKS_RELAXATION_CASE_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "heddle/core/stream.hpp"
#include "heddle/solvers/wavefront_sweep.hpp"
#include "lbm/lbm_case.hpp"
#include "measure.hpp"
#include "relaxation_bench_sweeps.hpp"
#include "streams.hpp"

namespace bench {

/// Fields of one layout; split by colour, a row holds every second cell.
template <typename T> struct Relaxation {
  static constexpr double omega = 1.9;

  Relaxation(std::int64_t edge, bool split, heddle::Memory memory)
      : grid(heddle::Box{{0, 0, 0}, {split ? edge / 2 : edge, edge, edge}}),
        open(grid, options(split, memory, "open")), phi(grid, options(split, memory, "phi")),
        right(grid, options(split, memory, "right")), largest(1, memory), stream(memory) {
    const auto x_of = [split](std::int64_t i, std::int64_t y, std::int64_t z, int colour) {
      return split ? 2 * i + (colour + y + z) % 2 : i;
    };
    const auto solid = [](std::int64_t x, std::int64_t y, std::int64_t z) {
      return (x / 16) % 4 == 1 && (y / 16) % 4 == 1 && z >= 0 && z < 24;
    };
    open.fill([=](std::int64_t i, std::int64_t y, std::int64_t z, int colour) {
      const std::int64_t x = x_of(i, y, z, colour);
      if (solid(x, y, z)) return 0;
      return (solid(x + 1, y, z) ? 0 : 1) + (solid(x - 1, y, z) ? 0 : 2) + (solid(x, y + 1, z) ? 0 : 4) +
             (solid(x, y - 1, z) ? 0 : 8) + (solid(x, y, z + 1) ? 0 : 16) +
             (z == 0 || solid(x, y, z - 1) ? 0 : 32);
    });
    right.fill([=](std::int64_t i, std::int64_t y, std::int64_t z, int colour) {
      return disturbance(x_of(i, y, z, colour) + edge * (y + edge * z), 0);
    });
  }

  static heddle::FieldOptions options(bool split, heddle::Memory memory, std::string name) {
    return {.components = split ? 2 : 1, .memory = memory, .name = std::move(name)};
  }

  heddle::BlockGrid grid;
  heddle::Field<std::uint8_t> open;
  heddle::Field<T> phi;
  heddle::Field<T> right;
  heddle::Buffer<T> largest;
  heddle::Stream stream;
};

/// One iteration of red-black SOR, both colours, against an in-place update with as many streams on the same
/// memory. Bytes an iteration: split by colour phi is read, written and read again from the other colour,
/// with right-hand side and openings; in plain rows each colour moves every line of phi, right-hand side and
/// openings. On a host that sweeps both colours in one pass (heddle::wavefront_sweep), each field moves once.
///
/// Place: host or device, with `memory`, `seconds(stream, work)` and `relax(stream, own, other, right, count,
/// factor)`.
template <typename T, typename Place> Case relaxation_case(bool split, bool check, std::int64_t edge) {
  auto state = std::make_shared<Relaxation<T>>(edge, split, Place::memory);
  constexpr auto word = static_cast<double>(sizeof(T));
  const std::int64_t count = edge * edge * edge / 8 * 4; // elements of one colour
  const bool one_pass = Place::memory == heddle::Memory::host && !check &&
                        (split ? count : 2 * count) >= heddle::wavefront_min_elements;
  const double colour_by_colour = split ? 4 * word + 1 : 6 * word + 2;
  return {
      .name = {},
      .updates = static_cast<double>(edge * edge * edge),
      .bytes_per_update = one_pass ? 3 * word + 1 : colour_by_colour,
      .limit_bytes = 4 * word * static_cast<double>(count),
      .kernel =
          [state, split, check] {
            auto& s = *state;
            constexpr double omega = Relaxation<T>::omega;
            if (split && check) {
              const relaxation_bench::SplitCheck<T> k(s.open, s.phi, s.right, s.largest, {1, 1, 1, omega});
              return Place::seconds(s.stream, [&] { k(s.stream); });
            }
            if (split) {
              const relaxation_bench::SplitSweep<T> k(s.open, s.phi, s.right, {1, 1, 1, omega});
              return Place::seconds(s.stream, [&] { k(s.stream); });
            }
            if (check) {
              const relaxation_bench::PlainCheck<T> k(s.open, s.phi, s.right, s.largest, {1, 1, 1, omega});
              return Place::seconds(s.stream, [&] { k(s.stream); });
            }
            const relaxation_bench::PlainSweep<T> k(s.open, s.phi, s.right, {1, 1, 1, omega});
            return Place::seconds(s.stream, [&] { k(s.stream); });
          },
      .limit =
          [state, count] {
            auto& s = *state;
            // From the first element of an aligned row on.
            T* const own = s.phi.view().data();
            const T* const right = s.right.view().data();
            return Place::seconds(s.stream,
                                  [&] { Place::relax(s.stream, own, own + count, right, count, T(0.5)); });
          }};
}

template <typename T, typename Place>
void add_relaxation(const std::string& end, std::int64_t edge, int rounds) {
  for (const bool split : {true, false}) {
    for (const bool check : {false, true}) {
      const std::string name =
          std::string("relaxation/sor/") + (split ? "split" : "plain") + (check ? "/measured" : "");
      add(name + end, [=] { return relaxation_case<T, Place>(split, check, bench::edge(edge)); }, rounds);
    }
  }
}

} // namespace bench

#endif
