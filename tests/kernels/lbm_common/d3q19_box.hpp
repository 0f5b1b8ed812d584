// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_D3Q19_BOX_HPP
#define HEDDLE_D3Q19_BOX_HPP

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "../../support/on_device.hpp"
#include "d3q19_values.hpp"
#include "periodic_box.hpp"

/// Simulations of a periodic box by the emitted D3Q19 kernels, whatever their pattern, precision and target.
namespace test {

using Cell = std::array<std::int64_t, 3>;

/// A kernel with its scalars bound. In-place kernels ignore the second box.
template <class T> using Kernel = std::function<int(PeriodicBox<T>& f, PeriodicBox<T>& f_next)>;

inline constexpr double omega = 1.7;

template <class T, class A> Kernel<T> bind(int (*entry)(T*, const std::int64_t*, const std::int64_t*, A)) {
  return [entry](PeriodicBox<T>& f, PeriodicBox<T>&) {
    return entry(f.data(), f.extents(), f.strides(), static_cast<A>(omega));
  };
}

template <class T, class A>
Kernel<T> bind(int (*entry)(const T*, const std::int64_t*, const std::int64_t*, T*, const std::int64_t*,
                            const std::int64_t*, A)) {
  return [entry](PeriodicBox<T>& f, PeriodicBox<T>& f_next) {
    return entry(f.data(), f.extents(), f.strides(), f_next.data(), f_next.extents(), f_next.strides(),
                 static_cast<A>(omega));
  };
}

/// A box's memory on the device while this lives; it is copied back at the end.
template <class T> class BoxOnDevice {
public:
  explicit BoxOnDevice(PeriodicBox<T>& box)
      : first_(box.data() - box.values().data()), memory_(box.values()) {}
  T* data() const { return memory_.data() + first_; }

private:
  std::ptrdiff_t first_;
  OnDevice<T> memory_;
};

template <class T, class A>
Kernel<T> bind(int (*entry)(T*, const std::int64_t*, const std::int64_t*, A, void*)) {
  return [entry](PeriodicBox<T>& f, PeriodicBox<T>&) {
    const BoxOnDevice<T> device(f);
    return entry(device.data(), f.extents(), f.strides(), static_cast<A>(omega), nullptr);
  };
}

template <class T, class A>
Kernel<T> bind(int (*entry)(const T*, const std::int64_t*, const std::int64_t*, T*, const std::int64_t*,
                            const std::int64_t*, A, void*)) {
  return [entry](PeriodicBox<T>& f, PeriodicBox<T>& f_next) {
    const BoxOnDevice<T> source(f);
    const BoxOnDevice<T> destination(f_next);
    return entry(source.data(), f.extents(), f.strides(), destination.data(), f_next.extents(),
                 f_next.strides(), static_cast<A>(omega), nullptr);
  };
}

/// One kernel on every target; the reference first.
template <class T> struct Targets {
  std::string name;
  Kernel<T> reference, general, unit, cuda;
};

enum class Pattern { pull, aa, twist };

/// The steps of one method, to be taken in turn.
template <class T> struct Method {
  Pattern pattern;
  std::vector<Targets<T>> steps;
};

// Where the patterns read population q before a step: as published, not as the generator says.
inline int slot_before(Pattern pattern, bool odd, int q) {
  return pattern != Pattern::pull && odd ? opposite(q) : q;
}

inline Velocity offset_before(Pattern pattern, bool odd, int q) {
  const Velocity& c = d3q19[static_cast<std::size_t>(q)];
  Velocity offset{};
  for (std::size_t d = 0; d < 3; ++d) {
    switch (pattern) {
    case Pattern::pull:
      offset[d] = -c[d];
      break;
    case Pattern::aa:
      offset[d] = odd ? -c[d] : 0;
      break;
    case Pattern::twist:
      offset[d] = c[d] < 0 ? 1 : 0;
      break;
    }
  }
  return offset;
}

template <class T> T& arrived(PeriodicBox<T>& f, Pattern pattern, bool odd, Cell cell, int q) {
  const Velocity offset = offset_before(pattern, odd, q);
  for (std::size_t d = 0; d < 3; ++d) {
    cell[d] += offset[d];
  }
  return f.at(f.image(cell), slot_before(pattern, odd, q));
}

/// A simulation of a periodic box by one target of a method.
template <class T> class Simulation {
public:
  Simulation(const Method<T>& method, Kernel<T> Targets<T>::* target, Cell extent, std::int64_t x_step = 1)
      : method_(method), target_(target), f_(extent, 19, 3, x_step), f_next_(extent, 19, 3, x_step) {
    Random random(7);
    f_.for_cells([&](const Cell& cell) {
      for (int q = 0; q < 19; ++q) {
        arrived(f_, method_.pattern, false, cell, q) = exactly<T>(random.below(1601) - 800);
      }
    });
  }

  void run(int steps) {
    for (int s = 0; s < steps; ++s, ++time_) {
      const bool odd = time_ % 2 == 1;
      const Targets<T>& step = method_.steps[method_.steps.size() == 2 && odd ? 1 : 0];
      f_.fill_ghosts();
      ASSERT_EQ((step.*target_)(f_, f_next_), 0) << step.name;
      if (method_.pattern == Pattern::pull) {
        std::swap(f_, f_next_);
        continue;
      }
      for (int q = 1; q < 19; ++q) { // what the step wrote lies where the next step of its neighbour reads
        const Velocity& c = d3q19[static_cast<std::size_t>(q)];
        Velocity offset = offset_before(method_.pattern, !odd, q);
        for (std::size_t d = 0; d < 3; ++d)
          offset[d] += c[d];
        f_.return_ghosts(slot_before(method_.pattern, !odd, q), offset);
      }
    }
  }

  T at(const Cell& cell, int q) { return arrived(f_, method_.pattern, time_ % 2 == 1, cell, q); }
  const PeriodicBox<T>& f() const { return f_; }

  /// The sums over the box of 1, c_x, c_y, c_z times the populations.
  std::array<double, 4> totals() {
    std::array<double, 4> sum{};
    f_.for_cells([&](const Cell& cell) {
      for (int q = 0; q < 19; ++q) {
        const double value = number(at(cell, q));
        const Velocity& c = d3q19[static_cast<std::size_t>(q)];
        sum[0] += value;
        for (std::size_t d = 0; d < 3; ++d)
          sum[d + 1] += c[d] * value;
      }
    });
    return sum;
  }

private:
  Method<T> method_;
  Kernel<T> Targets<T>::* target_;
  PeriodicBox<T> f_, f_next_;
  int time_ = 0;
};

} // namespace test

#endif
