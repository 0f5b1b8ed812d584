// SPDX-License-Identifier: Apache-2.0
// Kernels on Views of Kokkos: both layouts, strided ones, subviews, and one that Kokkos itself has filled.
#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include "check.hpp"
#include "heddle/adapters/kokkos.hpp"
#include "neon_double.hpp"
#include "vectors.hpp"

namespace {

using heddle::adapters::kokkos_view;
using hosts::Cells;
using hosts::Options;

template <class Layout> class OfView {
public:
  OfView(const Cells& n, std::int64_t ghosts, std::int64_t components)
      : ghosts_(ghosts), view_("cells", std::size_t(n[0] + 2 * ghosts), std::size_t(n[1] + 2 * ghosts),
                               std::size_t(n[2] + 2 * ghosts), std::size_t(components)) {}
  double& at(std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t c) const {
    return view_(x + ghosts_, y + ghosts_, z + ghosts_, c);
  }
  auto view(Options options) const {
    options.ghosts = ghosts_;
    options.components = true;
    return kokkos_view(view_, options);
  }

private:
  std::int64_t ghosts_;
  Kokkos::View<double****, Layout, Kokkos::HostSpace> view_;
};

/// Part of a larger array as a subview: strides are those of the whole.
class OfSubview {
public:
  OfSubview(const Cells& n, std::int64_t ghosts, std::int64_t components)
      : ghosts_(ghosts), whole_("cells", std::size_t(n[0] + 6), std::size_t(n[1] + 6), std::size_t(n[2] + 6),
                                std::size_t(components)) {
    const auto part = [&](std::int64_t cells) { return Kokkos::pair(3 - ghosts, 3 + cells + ghosts); };
    part_ = Kokkos::subview(whole_, part(n[0]), part(n[1]), part(n[2]), Kokkos::ALL());
  }
  double& at(std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t c) const {
    return whole_(x + 3, y + 3, z + 3, c);
  }
  auto view(Options options) const {
    options.ghosts = ghosts_;
    options.components = true;
    return kokkos_view(part_, options);
  }

private:
  std::int64_t ghosts_;
  Kokkos::View<double****, Kokkos::LayoutLeft, Kokkos::HostSpace> whole_;
  Kokkos::View<double****, Kokkos::LayoutStride, Kokkos::HostSpace> part_;
};

/// Kokkos fills and sums on its default execution space; the kernel runs in between.
void between_kokkos() {
  constexpr int n = 12;
  using Policy = Kokkos::MDRangePolicy<Kokkos::Rank<3>>;
  const Kokkos::View<double***, Kokkos::HostSpace> u("u", n + 2, n + 2, n + 2), v("v", n + 2, n + 2, n + 2);
  Kokkos::parallel_for(
      Policy({0, 0, 0}, {n + 2, n + 2, n + 2}), KOKKOS_LAMBDA(int i, int j, int k) {
        u(i, j, k) = i * i + 2 * j * j + 3 * k * k; // its discrete Laplacian is 12
      });
  Kokkos::fence();
  embedding::diffuse(kokkos_view(u, {.reach = 1, .ghosts = 1}), kokkos_view(v, {.ghosts = 1}), 0.25);
  double wrong = 0;
  Kokkos::parallel_reduce(
      Policy({1, 1, 1}, {n + 1, n + 1, n + 1}),
      KOKKOS_LAMBDA(int i, int j, int k, double& sum) { sum += v(i, j, k) != u(i, j, k) + 3.0; }, wrong);
  hosts::expect(wrong == 0, "a kernel between two of Kokkos");
}

/// Fields of NeoN have no axes; their executor makes a View of Kokkos of them, whose memory the compiler
/// knows.
template <class Executor, class Field> auto view_of(const Executor& on, Field& field) {
  return kokkos_view(on.createKokkosView(field.data(), std::size_t(field.size())));
}

void fields_of_neon(const neon_double::Executor& exec) {
  constexpr std::int32_t cells = 11;
  neon_double::Vector<double> n(exec, cells), n_next(exec, cells);
  std::vector<double> plain(cells), plain_next(cells);
  for (std::int32_t i = 0; i < cells; ++i)
    n.view()[i] = plain[std::size_t(i)] = hosts::some_value(i, 0, 0, 0);
  std::visit(
      [&](const auto& on) {
        const auto from = kokkos_view(on.createKokkosView(n.data(), std::size_t(n.size())));
        const auto to = view_of(on, n_next);
        hosts::expect(from.data() == &n.view()[0] && to.data() == &n_next.view()[0], "NeoN's own memory");
        vectors::grow(from, to, 0.3);
      },
      n.exec());
  const std::int64_t extent = cells, stride = 1;
  hosts::expect(vectors_grow_f64(plain.data(), &extent, &stride, plain_next.data(), &extent, &stride, 0.3) ==
                    0,
                "the C entry takes plain arrays");
  for (std::int32_t i = 0; i < cells; ++i)
    hosts::expect(hosts::same_bits(n_next.view()[i], plain_next[std::size_t(i)]), "growth in a cell of NeoN");
}

/// What executor, adapter and wrapper add to the C entry, and how long the kernel takes for as many cells as
/// a box of 64^3 has.
void measure_neon() {
  const neon_double::SerialExecutor on;
  neon_double::Vector<double> n(on, 1), n_next(on, 1), large(on, 64 * 64 * 64), next(on, 64 * 64 * 64);
  const auto a = view_of(on, n), b = view_of(on, n_next);
  const double bare = hosts::seconds(100, 100, [&] {
    vectors_grow_f64(a.data(), a.extents(), a.strides(), b.data(), b.extents(), b.strides(), 0.3);
  });
  const double adapted =
      hosts::seconds(100, 100, [&] { vectors::grow(view_of(on, n), view_of(on, n_next), 0.3); });
  const double kernel =
      hosts::seconds(10, 2, [&] { vectors::grow(view_of(on, large), view_of(on, next), 0.3); });
  hosts::print_cost("NeoN, growth in a cell", adapted - bare, kernel);
}

} // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard guard(argc, argv);
  hosts::check<OfView<Kokkos::LayoutLeft>>("Kokkos LayoutLeft");
  hosts::check<OfView<Kokkos::LayoutRight>>("Kokkos LayoutRight");
  hosts::check<OfSubview>("Kokkos subview");
  between_kokkos();
  fields_of_neon(neon_double::SerialExecutor{});
  fields_of_neon(neon_double::CPUExecutor{});
  fields_of_neon(neon_double::GPUExecutor{});
  measure_neon();
  return hosts::result();
}
