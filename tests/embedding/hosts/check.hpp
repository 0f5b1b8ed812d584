// SPDX-License-Identifier: Apache-2.0
// What every host has to show: no copy, the bits of the C entry, nothing written outside, a mode of the heat
// equation that decays as it must, refusals, and what a call costs beside the kernel.
//
// A Host has at(x, y, z, component), by the host's own indices, ghost cells included, and view(options), by
// the adapter; it is made of cells, ghost layers and components.
#ifndef TESTS_EMBEDDING_HOSTS_CHECK_HPP
#define TESTS_EMBEDDING_HOSTS_CHECK_HPP

#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "embedding.hpp"
#include "heddle/adapters/view.hpp"

namespace hosts {

using heddle::adapters::Options;
using Cells = std::array<std::int64_t, 3>;

inline int failures = 0;
inline void expect(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what.c_str());
  ++failures;
}
template <class Call> std::string message_of(const Call& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing was refused";
}
template <class Call> void expect_refusal(const std::string& text, const Call& call) {
  const std::string message = message_of(call);
  expect(message.find(text) != std::string::npos, "'" + message + "' has '" + text + "'");
}

/// Calls f(x, y, z) for all cells and so many ghost layers.
template <class F> void for_cells(const Cells& n, std::int64_t ghosts, const F& f) {
  for (std::int64_t z = -ghosts; z < n[2] + ghosts; ++z)
    for (std::int64_t y = -ghosts; y < n[1] + ghosts; ++y)
      for (std::int64_t x = -ghosts; x < n[0] + ghosts; ++x)
        f(x, y, z);
}

/// The reference: a vector, and the C entry called by hand.
class Plain {
public:
  Plain(const Cells& n, std::int64_t ghosts, std::int64_t components) : extent{n[0], n[1], n[2], components} {
    std::int64_t first = 0;
    std::int64_t all = 1;
    for (std::size_t d = 0; d < 3; ++d) {
      stride[d] = all;
      first += ghosts * all;
      all *= n[d] + 2 * ghosts;
    }
    stride[3] = all;
    memory.assign(static_cast<std::size_t>(all * components), 0.0);
    data = memory.data() + first;
  }
  double& at(std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t c = 0) const {
    return data[x * stride[0] + y * stride[1] + z * stride[2] + c * stride[3]];
  }

  std::array<std::int64_t, 4> extent;
  std::array<std::int64_t, 4> stride{};
  std::vector<double> memory;
  double* data;
};

inline double some_value(std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t c) {
  return std::sin(1.7 * static_cast<double>(x) + 0.9 * static_cast<double>(y) - 0.4 * static_cast<double>(z) +
                  static_cast<double>(c));
}
inline bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// Two kernels through the adapter, compared with their C entries on arrays of another layout.
template <class Host> void check_bits(const std::string& name) {
  const Cells n{17, 6, 5};
  Host u(n, 1, 1), u_next(n, 1, 1), f(n, 1, 4), g(n, 1, 4);
  Plain plain(n, 1, 1), plain_next(n, 1, 1), plain_f(n, 1, 4), plain_g(n, 1, 4);
  const double outside = -123456.0;
  for_cells(n, 1, [&](auto x, auto y, auto z) {
    u.at(x, y, z, 0) = plain.at(x, y, z) = some_value(x, y, z, 0);
    u_next.at(x, y, z, 0) = outside;
    for (std::int64_t c = 0; c < 4; ++c) {
      f.at(x, y, z, c) = plain_f.at(x, y, z, c) = some_value(x, y, z, c);
      g.at(x, y, z, c) = outside;
    }
  });
  const auto view = u.view({.reach = 1});
  expect(view.data() == &u.at(0, 0, 0, 0), name + ": the kernel gets the host's address");
  const auto last = f.view({.reach = 1});
  expect(last.data() + 16 * last.stride(0) + 5 * last.stride(1) + 4 * last.stride(2) + 3 * last.stride(3) ==
             &f.at(16, 5, 4, 3),
         name + ": the strides lead to the last cell and component");

  embedding::diffuse(view, u_next.view({}), 0.1);
  embedding::mix(f.view({.reach = 1}), g.view({}), 0.3);
  int status = embedding_diffuse_f64(plain.data, plain.extent.data(), plain.stride.data(), plain_next.data,
                                     plain_next.extent.data(), plain_next.stride.data(), 0.1);
  status += embedding_mix_f64(plain_f.data, plain_f.extent.data(), plain_f.stride.data(), plain_g.data,
                              plain_g.extent.data(), plain_g.stride.data(), 0.3);
  expect(status == 0, "the C entries take plain arrays");
  std::int64_t wrong = 0;
  for_cells(n, 1, [&](auto x, auto y, auto z) {
    const bool inside = x >= 0 && x < n[0] && y >= 0 && y < n[1] && z >= 0 && z < n[2];
    wrong += !same_bits(u_next.at(x, y, z, 0), inside ? plain_next.at(x, y, z) : outside);
    for (std::int64_t c = 0; c < 4; ++c)
      wrong += !same_bits(g.at(x, y, z, c), inside ? plain_g.at(x, y, z, c) : outside);
  });
  expect(wrong == 0, name + ": " + std::to_string(wrong) + " values differ from the C entry's");

  Host wide(n, 1, 1);
  expect_refusal("the kernel reaches 2 cells beyond the interior along x, and the array has 1 ghost cells",
                 [&] { static_cast<void>(wide.view({.reach = 2})); });
  Host other({17, 6, 4}, 1, 1);
  expect_refusal("the fields differ in extent",
                 [&] { embedding::diffuse(u.view({.reach = 1}), other.view({}), 0.1); });
  expect_refusal("shares an element", [&] { embedding::diffuse(u.view({.reach = 1}), u.view({}), 0.1); });
}

/// The heat equation in a periodic box, in arrays of the host: a mode decays by a factor that is known
/// exactly.
template <class Host> void check_decay(const std::string& name) {
  const Cells n{16, 8, 8};
  Host u(n, 1, 1), v(n, 1, 1);
  const auto mode = [&](auto x, auto y, auto z) {
    double value = 1;
    value *= std::cos(2 * std::numbers::pi * static_cast<double>(x) / static_cast<double>(n[0]));
    value *= std::cos(2 * std::numbers::pi * static_cast<double>(y) / static_cast<double>(n[1]));
    return value * std::cos(2 * std::numbers::pi * static_cast<double>(z) / static_cast<double>(n[2]));
  };
  for_cells(n, 0, [&](auto x, auto y, auto z) { u.at(x, y, z, 0) = mode(x, y, z); });
  const double alpha = 0.1;
  double rate = 0;
  for (const std::int64_t cells : n)
    rate += 4 * std::pow(std::sin(std::numbers::pi / static_cast<double>(cells)), 2);
  const auto step = [&](Host& from, Host& to) {
    for_cells(n, 1, [&](auto x, auto y, auto z) { // the host fills its own ghost cells
      from.at(x, y, z, 0) = from.at((x + n[0]) % n[0], (y + n[1]) % n[1], (z + n[2]) % n[2], 0);
    });
    embedding::diffuse(from.view({.reach = 1}), to.view({}), alpha);
  };
  for (int i = 0; i < 20; ++i) {
    step(u, v);
    step(v, u);
  }
  double error = 0;
  for_cells(n, 0, [&](auto x, auto y, auto z) {
    error = std::max(error, std::abs(u.at(x, y, z, 0) - std::pow(1 - alpha * rate, 40) * mode(x, y, z)));
  });
  expect(error < 1e-14, name + ": a mode decays, error " + std::to_string(error));
}

/// Seconds per call, the least of some runs.
template <class Call> double seconds(int runs, int calls, const Call& call) {
  double least = std::numeric_limits<double>::infinity();
  for (int run = 0; run < runs; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i)
      call();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    least = std::min(least, took.count() / calls);
  }
  return least;
}

/// Both in seconds.
inline void print_cost(const std::string& name, double added, double kernel) {
  std::printf("%-32s adapter and wrapper %4.0f ns, kernel at 64^3 %5.0f us\n", name.c_str(), 1e9 * added,
              1e6 * kernel);
}

/// What adapter and wrapper add to the C entry, for one cell, and how long the kernel takes for 64^3.
template <class Host> void measure(const std::string& name) {
  Host u({1, 1, 1}, 1, 1), v({1, 1, 1}, 1, 1);
  const auto a = u.view({.reach = 1}), b = v.view({});
  const double bare = seconds(100, 100, [&] {
    embedding_diffuse_f64(a.data(), a.extents(), a.strides(), b.data(), b.extents(), b.strides(), 0.1);
  });
  const double adapted =
      seconds(100, 100, [&] { embedding::diffuse(u.view({.reach = 1}), v.view({}), 0.1); });
  Host large({64, 64, 64}, 1, 1), next({64, 64, 64}, 1, 1);
  for_cells({64, 64, 64}, 1, [&](auto x, auto y, auto z) {
    large.at(x, y, z, 0) = some_value(x, y, z, 0);
    next.at(x, y, z, 0) = 0;
  });
  const double kernel =
      seconds(10, 2, [&] { embedding::diffuse(large.view({.reach = 1}), next.view({}), 0.1); });
  print_cost(name, adapted - bare, kernel);
}

template <class Host> void check(const std::string& name) {
  check_bits<Host>(name);
  check_decay<Host>(name);
  measure<Host>(name);
}

inline int result() {
  if (failures != 0) std::fprintf(stderr, "%d failures\n", failures);
  return failures != 0 ? 1 : 0;
}

} // namespace hosts

#endif
