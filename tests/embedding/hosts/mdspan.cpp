// SPDX-License-Identifier: Apache-2.0
// Kernels on mdspan: both layouts, strided ones, u[z][y][x]. Compiled with std::mdspan of libc++ 19, with
// cuda::std::mdspan (MDSPAN_OF_CUDA), and by hand with Kokkos' reference implementation (MDSPAN_OF_KOKKOS).
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "heddle/adapters/mdspan.hpp"

#if defined MDSPAN_OF_CUDA
#include <cuda/std/array>
#include <cuda/std/mdspan>
namespace its = cuda::std;
namespace its_array = cuda::std;
#define MDSPAN "cuda::std::mdspan"
#elif defined MDSPAN_OF_KOKKOS
#include <mdspan/mdspan.hpp>
namespace its = Kokkos;
namespace its_array = std;
#define MDSPAN "Kokkos::mdspan"
#else
#include <mdspan>
namespace its = std;
namespace its_array = std;
#define MDSPAN "std::mdspan"
#endif

namespace {

using heddle::adapters::mdspan_view;
using hosts::Cells;
using hosts::Options;

template <class Layout> using Span3 = its::mdspan<double, its::dextents<std::size_t, 3>, Layout>;
template <class Layout> using Span4 = its::mdspan<double, its::dextents<int, 4>, Layout>;

/// span[index...], which before C++23 has another spelling in each library.
template <class Span, class... Index> double& element(const Span& span, Index... index) {
  return span.data_handle()[span.mapping()(static_cast<typename Span::index_type>(index)...)];
}

/// u[x, y, z] and u[x, y, z, component], or u[z, y, x] and u[z, y, x, component].
template <class Layout, bool z_first> class Mdspan {
public:
  Mdspan(const Cells& n, std::int64_t ghosts, std::int64_t components)
      : ghosts_(ghosts), components_(components) {
    for (std::size_t d = 0; d < 3; ++d)
      all_[z_first ? 2 - d : d] = static_cast<std::size_t>(n[d] + 2 * ghosts);
    memory_.resize(all_[0] * all_[1] * all_[2] * static_cast<std::size_t>(components));
  }
  double& at(std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t c) {
    const auto i = static_cast<std::size_t>(x + ghosts_), j = static_cast<std::size_t>(y + ghosts_),
               k = static_cast<std::size_t>(z + ghosts_);
    const auto a = z_first ? k : i, b = z_first ? i : k;
    return components_ == 1 ? element(one(), a, j, b) : element(several(), a, j, b, c);
  }
  auto view(Options options) {
    options.ghosts = ghosts_;
    options.z_first = z_first;
    options.components = components_ > 1;
    return components_ == 1 ? mdspan_view(one(), options) : mdspan_view(several(), options);
  }

private:
  Span3<Layout> one() { return Span3<Layout>(memory_.data(), all_[0], all_[1], all_[2]); }
  Span4<Layout> several() {
    return Span4<Layout>(memory_.data(), static_cast<int>(all_[0]), static_cast<int>(all_[1]),
                         static_cast<int>(all_[2]), static_cast<int>(components_));
  }
  std::int64_t ghosts_, components_;
  std::array<std::size_t, 3> all_{};
  std::vector<double> memory_;
};

/// Every second cell along x of a larger array.
class Strided {
public:
  Strided(const Cells& n, std::int64_t ghosts, std::int64_t components) : ghosts_(ghosts) {
    its_array::array<int, 4> extent{};
    its_array::array<int, 4> stride{};
    int step = 2;
    for (std::size_t d = 0; d < 4; ++d) {
      extent[d] = static_cast<int>(d < 3 ? n[d] + 2 * ghosts : components);
      stride[d] = step;
      step *= extent[d];
    }
    memory_.resize(static_cast<std::size_t>(step));
    span_ = Span4<its::layout_stride>(memory_.data(), {its::dextents<int, 4>(extent), stride});
  }
  double& at(std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t c) {
    return element(span_, x + ghosts_, y + ghosts_, z + ghosts_, c);
  }
  auto view(Options options) {
    options.ghosts = ghosts_;
    options.components = true;
    return mdspan_view(span_, options);
  }

private:
  std::int64_t ghosts_;
  std::vector<double> memory_;
  Span4<its::layout_stride> span_;
};

/// As an mdspan whose layout has no strides, of blocks or along a curve.
struct Scattered {
  using element_type = double;
  using data_handle_type = double*;
  static constexpr std::size_t rank() { return 3; }
  static constexpr bool is_strided() { return false; }
  [[nodiscard]] double* data_handle() const { return nullptr; }
  [[nodiscard]] int extent(std::size_t) const { return 4; }
  [[nodiscard]] int stride(std::size_t) const { return 0; }
};

void refuses() {
  hosts::expect_refusal("the layout of this mdspan has no strides",
                        [] { static_cast<void>(mdspan_view(Scattered{})); });
  std::vector<double> memory(4 * 4 * 4);
  const Span3<its::layout_right> span(memory.data(), 4, 4, 4);
  hosts::expect_refusal(
      "4 cells along x cannot have 3 ghost layers at each end. Hint: say in Options::ghosts",
      [&] { static_cast<void>(mdspan_view(span, {.ghosts = 3})); });
  hosts::expect_refusal("cells along x lie 16 elements apart, not 1. Hint: call the entry without _unit",
                        [&] { static_cast<void>(mdspan_view(span, {.unit_stride = true})); });
  const its::mdspan<double, its::dextents<int, 4>> four(memory.data(), 4, 4, 2, 2);
  hosts::expect_refusal("the array has 4 axes of space; kernels have 1 to 3. Hint: set Options::components",
                        [&] { static_cast<void>(mdspan_view(four)); });
  // A plane, and components of it: the component follows the two axes.
  const its::mdspan<const double, its::dextents<int, 3>> plane(memory.data(), 8, 4, 2);
  const auto view =
      mdspan_view(plane, {.reach = {1, 1, 0}, .ghosts = {1, 1, 0}, .components = true, .z_first = true});
  hosts::expect(view.extent(0) == 2 && view.extent(1) == 6 && view.extent(2) == 2 && view.stride(0) == 2 &&
                    view.stride(1) == 8 && view.stride(2) == 1 && view.data() == memory.data() + 10,
                "u[y][x][component] of a plane");
}

} // namespace

int main() {
  hosts::check<Mdspan<its::layout_left, false>>(MDSPAN " layout_left");
  hosts::check<Mdspan<its::layout_right, false>>(MDSPAN " layout_right");
  hosts::check<Mdspan<its::layout_right, true>>(MDSPAN " u[z][y][x]");
  hosts::check<Strided>(MDSPAN " layout_stride");
  refuses();
  return hosts::result();
}
