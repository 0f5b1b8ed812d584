// SPDX-License-Identifier: Apache-2.0
// Kernels on the arrays of AMReX (both generations of Array4) and of waLBerla v8 (both layouts), by doubles.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "amrex_double.hpp"
#include "check.hpp"
#include "heddle/adapters/amrex.hpp"
#include "heddle/adapters/walberla.hpp"
#include "walberla_double.hpp"

namespace {

using hosts::Cells;
using hosts::Options;

/// A FAB whose valid box begins somewhere in a larger domain.
template <template <class> class Array4, class Box, class Dim3> class Amrex {
public:
  Amrex(const Cells& n, std::int64_t ghosts, std::int64_t components)
      : valid_(start, {start.x + int(n[0]) - 1, start.y + int(n[1]) - 1, start.z + int(n[2]) - 1}),
        memory_(static_cast<std::size_t>((n[0] + 2 * ghosts) * (n[1] + 2 * ghosts) * (n[2] + 2 * ghosts) *
                                         components)),
        array_(memory_.data(), {start.x - int(ghosts), start.y - int(ghosts), start.z - int(ghosts)},
               {start.x + int(n[0] + ghosts), start.y + int(n[1] + ghosts), start.z + int(n[2] + ghosts)},
               int(components)) {}
  double& at(std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t c) const {
    return array_(start.x + int(x), start.y + int(y), start.z + int(z), int(c));
  }
  auto view(const Options& options) const { return heddle::adapters::amrex_view(array_, valid_, options); }
  const Array4<double>& array() const { return array_; }

  static constexpr Dim3 start{-5, 32, 7};

private:
  Box valid_;
  std::vector<double> memory_;
  Array4<double> array_;
};
using Amrex25 = Amrex<amrex_25::Array4, amrex_25::Box, amrex_25::Dim3>;
using Amrex26 = Amrex<amrex_26::Array4, amrex_26::Box, amrex_26::Dim3>;

/// A block's view of a field, as a sweep sees it. Components are part of the type.
template <walberla_double::Layout layout> class Walberla {
public:
  Walberla(const Cells& n, std::int64_t ghosts, std::int64_t components)
      : components_(components),
        memory_(static_cast<std::size_t>((n[0] + 2 * ghosts + 8) * (n[1] + 2 * ghosts) * (n[2] + 2 * ghosts) *
                                         components)),
        one_(memory_.data(), {std::size_t(n[0]), std::size_t(n[1]), std::size_t(n[2])}, std::size_t(ghosts),
             layout),
        four_(memory_.data(), {std::size_t(n[0]), std::size_t(n[1]), std::size_t(n[2])}, std::size_t(ghosts),
              layout) {}
  double& at(std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t c) const {
    return components_ == 1 ? one_(x, y, z, c) : four_(x, y, z, c);
  }
  auto view(const Options& options) const {
    return components_ == 1 ? heddle::adapters::walberla_view(one_, options)
                            : heddle::adapters::walberla_view(four_, options);
  }

private:
  template <std::size_t size>
  using View = walberla_double::FieldView<double, size, walberla_double::memtag::host>;
  std::int64_t components_;
  std::vector<double> memory_;
  View<1> one_;
  View<4> four_;
};

/// A tile: other threads have the cells around it. And what only AMReX can get wrong.
void tiles() {
  const Cells n{8, 8, 8};
  const Amrex26 u(n, 1, 1), whole(n, 1, 1), tiled(n, 1, 1);
  hosts::for_cells(n, 1, [&](auto x, auto y, auto z) { u.at(x, y, z, 0) = hosts::some_value(x, y, z, 0); });
  embedding::diffuse(u.view({.reach = 1}), whole.view({}), 0.1);
  const auto [x, y, z] = Amrex26::start;
  for (int lower = 0; lower < 8; lower += 4) {
    const amrex_26::Box tile({x, y + lower, z}, {x + 7, y + lower + 3, z + 7});
    embedding::diffuse(heddle::adapters::amrex_view(u.array(), tile, {.reach = 1}),
                       heddle::adapters::amrex_view(tiled.array(), tile), 0.1);
  }
  std::int64_t wrong = 0;
  hosts::for_cells(n, 0, [&](auto i, auto j, auto k) {
    wrong += !hosts::same_bits(whole.at(i, j, k, 0), tiled.at(i, j, k, 0));
  });
  hosts::expect(wrong == 0, "two tiles give the bits of the box");
  const amrex_26::Box beyond({x, y, z}, {x + 7, y + 7, z + 9});
  hosts::expect_refusal("the box leads out of the array along z",
                        [&] { static_cast<void>(heddle::adapters::amrex_view(u.array(), beyond)); });
}

} // namespace

int main() {
  hosts::check<Amrex25>("AMReX 25 Array4");
  hosts::check<Amrex26>("AMReX 26 Array4");
  tiles();
  hosts::check<Walberla<walberla_double::fzyx>>("waLBerla v8 fzyx");
  hosts::check<Walberla<walberla_double::zyxf>>("waLBerla v8 zyxf");
  const Walberla<walberla_double::zyxf> components({4, 4, 4}, 1, 4);
  hosts::expect_refusal("cells along x lie 4 elements apart, not 1",
                        [&] { static_cast<void>(components.view({.unit_stride = true})); });
  return hosts::result();
}
