// SPDX-License-Identifier: Apache-2.0
#ifndef LBM_BOUNDARIES_BODIES_HPP
#define LBM_BOUNDARIES_BODIES_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "channel.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/core/memory.hpp"
#include "heddle/reduction/reduction_work.hpp"
#include "heddle/sparse/index_list.hpp"

namespace boundaries {

/// Bodies at random places, with gaps of any width between them, in a box whose rim is one as well: all that
/// a flow between them needs lies inside.
struct Bodies {
  static constexpr std::int64_t n_x = 19, n_y = 13;

  Bodies() : fluid(static_cast<std::size_t>(n_x * n_y)) {
    test::Random random(11);
    for (std::int64_t y = 1; y < n_y - 1; ++y) {
      for (std::int64_t x = 1; x < n_x - 1; ++x)
        fluid[static_cast<std::size_t>(x + n_x * y)] = random.below(5) > 0;
    }
  }
  [[nodiscard]] bool is_fluid(std::int64_t x, std::int64_t y) const {
    return x >= 0 && x < n_x && y >= 0 && y < n_y && fluid[static_cast<std::size_t>(x + n_x * y)] != 0;
  }
  [[nodiscard]] double start(const Cell& cell, int q) const {
    return 1e-4 * static_cast<double>((cell[0] * 37 + cell[1] * 101 + q * 53) % 211 - 105);
  }

  std::vector<std::uint8_t> fluid;
};

/// What the sweeps over cells beside the bodies take, over a list and in the box, in the same order.
struct BodyEntries {
  BodyEntries(const Bodies& bodies, const heddle::IndexList& list, heddle::Memory memory) {
    test::Random random(3);
    std::vector<std::uint32_t> numbers, masks, linears;
    std::vector<std::int32_t> xs, ys;
    std::vector<double> arms_x, arms_y;
    std::array<std::vector<double>, 9> distances;
    for (std::int64_t n = 0; n < list.count(); ++n) {
      const Cell cell = list.position(n);
      std::uint32_t incoming = 0, in_gap = 0;
      for (std::size_t q = 1; q < 9; ++q) {
        const auto& c = d2q9[q];
        incoming |= std::uint32_t{!bodies.is_fluid(cell[0] - c[0], cell[1] - c[1])} << q;
        in_gap |= std::uint32_t{!bodies.is_fluid(cell[0] + 2 * c[0], cell[1] + 2 * c[1])} << q;
      }
      if (incoming == 0) continue;
      numbers.push_back(static_cast<std::uint32_t>(n));
      masks.push_back(incoming), linears.push_back(in_gap);
      xs.push_back(static_cast<std::int32_t>(cell[0])), ys.push_back(static_cast<std::int32_t>(cell[1]));
      arms_x.push_back(static_cast<double>(cell[0]) - 4), arms_y.push_back(static_cast<double>(cell[1]) - 7);
      for (std::vector<double>& values : distances)
        values.push_back(0.05 * (1 + random.below(20)));
    }
    const auto values = [&]<class T>(const std::vector<T>& from) {
      return heddle::Buffer<T>(std::span<const T>(from), memory);
    };
    cells = values(numbers), mask = values(masks), linear = values(linears), x = values(xs), y = values(ys);
    arm_x = values(arms_x), arm_y = values(arms_y);
    speed_x = values(std::vector<double>(numbers.size(), u_x));
    speed_y = values(std::vector<double>(numbers.size(), u_y));
    for (std::size_t q = 0; q < 9; ++q)
      distance[q] = values(distances[q]);
    for (heddle::Buffer<double>& work : room)
      work = heddle::Buffer<double>(heddle::reduction_work(size()), memory);
    sums = heddle::Buffer<double>(3, memory);
  }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(cells.size()); }
  /// The distance to the wall where f_q comes from.
  [[nodiscard]] const double* to_wall(int q) const {
    return distance[static_cast<std::size_t>(opposite(q))].data();
  }
  /// Force and torque of the last sweep.
  [[nodiscard]] std::array<double, 3> found() const {
    std::array<double, 3> result{};
    heddle::copy_bytes(result.data(), heddle::Memory::host, sums.data(), sums.memory(), sizeof result);
    return result;
  }

  heddle::Buffer<std::uint32_t> cells, mask, linear;
  heddle::Buffer<std::int32_t> x, y;
  heddle::Buffer<double> arm_x, arm_y, speed_x, speed_y, sums;
  std::array<heddle::Buffer<double>, 9> distance;
  std::array<heddle::Buffer<double>, 3> room;
};

/// The box in any memory, with two ghost layers; NaN in all that is no population of the fluid.
class BodyBox {
public:
  explicit BodyBox(heddle::Memory memory)
      : host_(static_cast<std::size_t>(stride[2] * 9), std::numeric_limits<double>::quiet_NaN()),
        values_(static_cast<std::int64_t>(host_.size()), memory) {}

  double& at(std::int64_t x, std::int64_t y, int q) {
    return host_.at(static_cast<std::size_t>(first + x + y * stride[1] + q * stride[2]));
  }
  void send() {
    heddle::copy_bytes(values_.data(), values_.memory(), host_.data(), heddle::Memory::host, bytes());
  }
  void fetch() {
    heddle::copy_bytes(host_.data(), heddle::Memory::host, values_.data(), values_.memory(), bytes());
  }
  double* data() { return values_.data() + first; }

  static constexpr std::array<std::int64_t, 3> extent{Bodies::n_x, Bodies::n_y, 9},
      stride{1, Bodies::n_x + 4, (Bodies::n_x + 4) * (Bodies::n_y + 4)};
  static constexpr std::int64_t first = 2 + 2 * (Bodies::n_x + 4);

private:
  [[nodiscard]] std::size_t bytes() const { return host_.size() * sizeof(double); }

  std::vector<double> host_;
  heddle::Buffer<double> values_;
};

} // namespace boundaries

#endif
