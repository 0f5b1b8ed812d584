// SPDX-License-Identifier: Apache-2.0
#include "alone.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>

#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/solvers/conjugate_gradient.hpp"
#include "petsc_poisson_sweeps.hpp"

namespace {

class Alone {
public:
  explicit Alone(std::int64_t n)
      : n_(n), problem_(n), grid_(heddle::Box{{0, 0, 0}, {n, n, n}}),
        cut_(grid_, {.components = 6, .name = "cut"}), phi_(grid_, {.name = "phi"}),
        right_(grid_, {.name = "right"}) {
    const double h = 1 / static_cast<double>(n);
    cut_.fill([&](auto x, auto y, auto z, int face) { // upper and lower face along x, y, z
      const std::int64_t place = face / 2 == 0 ? x : face / 2 == 1 ? y : z;
      return place == (face % 2 == 0 ? n - 1 : 0) ? 2 * h : h;
    });
    right_.fill([&](auto x, auto y, auto z, int) { // the library's operator is negative
      const double b = problem_.right(x, y, z);
      largest_ = std::max(largest_, std::abs(b));
      return -b;
    });
    heddle::Centres centres = heddle::even_centres(n); // phi is given at the walls, half a cell away
    centres.front() = centres[1] - 0.5;
    centres.back() = centres[static_cast<std::size_t>(n)] + 0.5;
    const heddle::MultigridOptions options{.centres = {centres, centres, centres}};
    gradients_.emplace(heddle::StencilMatrix<double, 0, 0, double>{&cut_, {}}, phi_, right_, options);
  }

  Solved operator()() {
    Solved solved;
    phi_.fill([](auto...) { return 0.0; });
    const auto begin = std::chrono::steady_clock::now();
    solved.iterations = gradients_->solve({.residual = 1e-8 * largest_}).solution.cycles;
    solved.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    for (std::int64_t z = 0; z < n_; ++z)
      for (std::int64_t y = 0; y < n_; ++y)
        for (std::int64_t x = 0; x < n_; ++x)
          solved.error = std::max(solved.error, std::abs(phi_.view()(x, y, z) - problem_.solution(x, y, z)));
    return solved;
  }

private:
  std::int64_t n_;
  Problem problem_;
  heddle::BlockGrid grid_;
  heddle::Field<double> cut_, phi_, right_;
  double largest_ = 0;
  std::optional<heddle::ConjugateGradient<petsc_poisson::Solver, double, double, 0>> gradients_;
};

} // namespace

std::function<Solved()> solver_alone(std::int64_t n) {
  return [alone = std::make_shared<Alone>(n)] { return (*alone)(); };
}
