// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TESTS_STRUCK_RUN_HPP
#define HEDDLE_TESTS_STRUCK_RUN_HPP

#include <cstdint>
#include <vector>

#include "heddle/grid/field.hpp"
#include "heddle/halo/halo_exchange.hpp"
#include "packing.hpp"

namespace test {

/// Three ranks along x, each of which sends two messages of 180 words, and two fields that are exchanged one
/// after the other, in messages of the same length.
class StruckRun {
public:
  static constexpr int ranks = 3;
  static constexpr int steps = 8;

  StruckRun(heddle::Transport& transport, heddle::Stamps stamps)
      : one_(grid(transport.ranks()), {.rank = transport.rank()}),
        other_(grid(transport.ranks()), {.rank = transport.rank()}),
        halo_(packing::exchange(one_, shell(), heddle::Direction::owner_to_ghost, "halo"), transport,
              {.stamps = stamps}),
        other_halo_(packing::exchange(other_, shell(), heddle::Direction::owner_to_ghost, "other"), transport,
                    {.stamps = stamps}) {
    one_.fill([](auto x, auto y, auto z, int) { return 1.0 / static_cast<double>(1 + x + 9 * y + 144 * z); });
    other_.fill(
        [](auto x, auto y, auto z, int) { return 2.0 / static_cast<double>(3 + x + 9 * y + 144 * z); });
  }
  StruckRun(const StruckRun&) = delete;
  StruckRun& operator=(const StruckRun&) = delete;
  StruckRun(StruckRun&&) = delete;
  StruckRun& operator=(StruckRun&&) = delete;
  ~StruckRun() = default;

  [[nodiscard]] heddle::HaloExchange& halo() { return halo_; }
  [[nodiscard]] heddle::HaloExchange& other_halo() { return other_halo_; }
  /// After both exchanges: each value becomes one made of all 27 around it.
  void compute() {
    mix(one_);
    mix(other_);
  }
  void step() {
    heddle::Stream stream;
    other_halo_(stream);
    halo_(stream);
    compute();
  }
  [[nodiscard]] std::vector<double> values() const {
    std::vector<double> all = one_.read(0);
    const std::vector<double> more = other_.read(0);
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

private:
  static heddle::BlockGrid grid(int ranks) {
    return heddle::BlockGrid(heddle::Box{{0, 0, 0}, {9, 16, 8}}, {ranks, 1, 1}, {true, true, true}, ranks);
  }
  static const std::vector<heddle::HaloRegion>& shell() {
    static const std::vector<heddle::HaloRegion> regions = heddle::ghost_shell(1, {1, 1, 1});
    return regions;
  }
  static void mix(heddle::Field<double>& field) {
    const heddle::FieldView<double> f = field.view();
    std::vector<double> sums;
    for (std::int64_t z = 0; z < f.extent(2); ++z) {
      for (std::int64_t y = 0; y < f.extent(1); ++y) {
        for (std::int64_t x = 0; x < f.extent(0); ++x) {
          double sum = 0;
          for (int k = 0; k < 27; ++k)
            sum = 1.01 * sum + f(x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1);
          sums.push_back(sum / 30);
        }
      }
    }
    field.write(0, 0, sums);
  }

  heddle::Field<double> one_;
  heddle::Field<double> other_;
  heddle::HaloExchange halo_;       // tag 0
  heddle::HaloExchange other_halo_; // tag 1
};

} // namespace test

#endif
