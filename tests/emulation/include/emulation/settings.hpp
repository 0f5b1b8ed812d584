// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EMULATION_SETTINGS_HPP
#define HEDDLE_EMULATION_SETTINGS_HPP

#include "compiler.hpp"
#include "text.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace heddle::emulation {

/// How the threads of one block run.
enum class Mode {
  automatic, ///< fibers; threads in a build with ThreadSanitizer
  fibers, ///< one OS thread; a plain loop until a thread waits, from there on fibers. Finds every divergence.
  loops,  ///< one OS thread, a plain loop; a barrier or shuffle is a fault
  threads ///< one std::thread a CUDA thread, for ThreadSanitizer; slow
};

/// The order in which threads run between two barriers, and blocks in a grid. A correct kernel gives the same
/// result in all; one that lacks a barrier, or whose blocks depend on each other, does not.
enum class Order { forward, reverse, random };

/// What a fault in a kernel (divergence, deadlock, a bad lane mask) becomes.
enum class OnFault {
  throws, ///< Fault is thrown out of cudaLaunchKernelEx
  returns ///< cudaErrorLaunchFailure is returned; last_report() has the text
};

struct Settings {
  Mode mode = Mode::automatic;
  Order order = Order::forward;
  std::uint64_t seed = 1; ///< of Order::random
  OnFault on_fault = OnFault::throws;
  double patience = 20.0; ///< seconds after which a wait in Mode::threads counts as a deadlock
};

/// Reads HEDDLE_EMULATION_MODE (automatic, fibers, loops, threads) and HEDDLE_EMULATION_ORDER (forward,
/// reverse, random, random:SEED). Throws std::invalid_argument for any other value.
inline Settings settings_from_environment() {
  Settings s;
  if (const char* text = std::getenv("HEDDLE_EMULATION_MODE")) {
    const std::string mode = text;
    if (mode == "automatic")
      s.mode = Mode::automatic;
    else if (mode == "fibers")
      s.mode = Mode::fibers;
    else if (mode == "loops")
      s.mode = Mode::loops;
    else if (mode == "threads")
      s.mode = Mode::threads;
    else
      throw std::invalid_argument(
          join("HEDDLE_EMULATION_MODE=", mode, ": use automatic, fibers, loops or threads"));
  }
  if (const char* text = std::getenv("HEDDLE_EMULATION_ORDER")) {
    const std::string order = text;
    if (order == "forward")
      s.order = Order::forward;
    else if (order == "reverse")
      s.order = Order::reverse;
    else if (order == "random")
      s.order = Order::random;
    else if (order.rfind("random:", 0) == 0 && order.size() > 7 &&
             order.find_first_not_of("0123456789", 7) == std::string::npos) {
      s.order = Order::random;
      s.seed = std::strtoull(order.c_str() + 7, nullptr, 10);
    } else {
      throw std::invalid_argument(
          join("HEDDLE_EMULATION_ORDER=", order, ": use forward, reverse, random or random:SEED"));
    }
  }
  return s;
}

/// The settings of the process; a launch takes a copy as it starts. Set them while no launch runs.
inline Settings& settings() {
  static Settings current = settings_from_environment();
  return current;
}

inline void set_mode(Mode mode) {
  settings().mode = mode;
}
inline void set_order(Order order, std::uint64_t seed = 1) {
  settings().order = order;
  settings().seed = seed;
}
inline void set_on_fault(OnFault on_fault) {
  settings().on_fault = on_fault;
}

/// Puts the settings back at the end of a scope.
class ScopedSettings {
public:
  ScopedSettings() : saved_(settings()) {}
  explicit ScopedSettings(const Settings& s) : saved_(std::exchange(settings(), s)) {}
  ScopedSettings(const ScopedSettings&) = delete;
  ScopedSettings& operator=(const ScopedSettings&) = delete;
  ~ScopedSettings() { settings() = saved_; }

private:
  Settings saved_;
};

/// Calls `body(name)` with each thread order in turn: forward, reverse and two random ones.
template <class Body> void in_every_order(Body&& body) {
  const ScopedSettings scope;
  set_order(Order::forward);
  body("forward");
  set_order(Order::reverse);
  body("reverse");
  set_order(Order::random, 1);
  body("random:1");
  set_order(Order::random, 2);
  body("random:2");
}

/// Puts `items` into the order of the settings; `salt` makes each block and phase different.
template <class Index> void arrange(std::vector<Index>& items, const Settings& s, std::uint64_t salt) {
  if (s.order == Order::reverse) {
    for (std::size_t i = 0, j = items.size(); i + 1 < j; ++i)
      std::swap(items[i], items[--j]);
  } else if (s.order == Order::random) {
    std::uint64_t state = s.seed * 0x9e3779b97f4a7c15u + salt * 0xd1b54a32d192ed03u;
    for (std::size_t i = items.size(); i > 1; --i) { // Fisher and Yates; the generator is SplitMix64
      std::uint64_t z = state += 0x9e3779b97f4a7c15u;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
      std::swap(items[i - 1], items[static_cast<std::size_t>((z ^ (z >> 31)) % i)]);
    }
  }
}

} // namespace heddle::emulation

#endif
