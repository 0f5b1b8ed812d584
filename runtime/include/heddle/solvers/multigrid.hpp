// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SOLVERS_MULTIGRID_HPP
#define HEDDLE_SOLVERS_MULTIGRID_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "heddle/core/buffer.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/grid/profile.hpp"
#include "heddle/reduction/reduction_work.hpp"
#include "heddle/solvers/coarse_level.hpp"

namespace heddle {

/// How many sweeps a cycle does on which level, and where cells lie.
struct MultigridOptions {
  int sweeps = 2;                  // before and after each coarse correction, on the finest level
  int coarse_sweeps = 3;           // the same on the others, which cost little
  int coarsest_sweeps = 4;         // each way, on the coarsest level
  std::int64_t coarsest_cells = 4; // levels are added until no axis has more
  /// Places of the cell centres along x, y, z, one beyond each end; where nothing is said, cells are cubes of
  /// size 1.
  std::array<Centres, 3> centres{};
};

/// The equation of the finest level, as its kernels take it: the openings of the faces (one byte per cell),
/// profiles where levels differ, and weights; or a coefficient for each of the six faces and nothing else.
/// The matrix must be symmetric: where cells differ in size, each equation is multiplied by the volume of its
/// cell.
template <class Coefficient, std::size_t weight_count, std::size_t profile_count = 0, class T = double>
struct StencilMatrix {
  Field<Coefficient>* coefficients = nullptr;
  std::array<double, weight_count> weights{};
  std::array<const Profile<T>*, profile_count> profiles{};

  /// Calls kernel(coefficients, fields..., profiles..., numbers..., weights...): the order of all kernels.
  template <class Kernel, class... Fields, class... Numbers>
  void apply(Kernel&& kernel, const std::tuple<Fields...>& fields,
             const std::tuple<Numbers...>& numbers) const {
    const Field<Coefficient>& field = *coefficients;
    std::array<const T*, profile_count> levels{};
    for (std::size_t n = 0; n < profile_count; ++n)
      levels[n] = profiles[n]->first(field.grid().block(0));
    std::apply(kernel, std::tuple_cat(std::tuple(field.view()), fields, levels, numbers, weights));
  }
};

/// One V-cycle of geometric multigrid for A z = -rest. The operator is symmetric, so that it can precondition
/// conjugate gradients. Solver: the struct of that name in the sweeps of a module with add_solver(). For one
/// block; a task that only enqueues work in its stream. Own code: hypre and AMReX take a matrix or a mesh of
/// their own, this the kernels and fields of its user (decision 0143).
template <class Solver, class T, class Coefficient, std::size_t weight_count, std::size_t profile_count = 0>
class Multigrid {
public:
  using Matrix = StencilMatrix<Coefficient, weight_count, profile_count, T>;

  /// Sets up the coarse levels; the coefficients must not change afterwards. Throws Error for several blocks,
  /// profiles of another domain, or options that are out of range.
  explicit Multigrid(const Matrix& matrix, const MultigridOptions& options = {})
      : matrix_(matrix), options_(options), memory_(matrix.coefficients->memory()) {
    const Field<Coefficient>& field = *matrix.coefficients;
    if (field.grid().size() != 1) {
      throw Error("Multigrid",
                  "the grid has " + std::to_string(field.grid().size()) +
                      " blocks, but multigrid supports one",
                  "use a grid of one block");
    }
    if (options.sweeps < 1 || options.coarse_sweeps < 1 || options.coarsest_sweeps < 1 ||
        options.coarsest_cells < 1) {
      throw Error("Multigrid", "an option is out of range",
                  "use at least 1 for the numbers of sweeps and cells");
    }
    for (const Profile<T>* profile : matrix.profiles)
      require_profile(*profile, field, profile->axis(), 1, "Multigrid");
    const FieldView<const Coefficient> view = field.view();
    cells_ = {Solver::split ? 2 * view.extent(0) : view.extent(0), view.extent(1), view.extent(2)};
    const FieldOptions of_cells{.components = Solver::split ? 2 : 1, .memory = memory_, .name = "correction"};
    correction_ = std::make_unique<Field<T>>(field.grid(), of_cells);
    left_ = std::make_unique<Field<T>>(field.grid(), of_cells);
    rest_ = std::make_unique<Field<T>>(field.grid(), of_cells);
    products_ = Buffer<T>(2, memory_);
    work_ = Buffer<T>(reduction_work(field, {0, 1, 2}, 2), memory_);
    set_up();
  }

  /// Where the right side goes, with the sign of A phi - right.
  [[nodiscard]] Field<T>& rest() noexcept { return *rest_; }
  /// What a cycle makes of it.
  [[nodiscard]] Field<T>& correction() noexcept { return *correction_; }
  /// The sums of rest times correction over red cells, and over black ones.
  [[nodiscard]] Buffer<T>& products() noexcept { return products_; }
  [[nodiscard]] const Matrix& matrix() const noexcept { return matrix_; }
  /// Cells of the finest level.
  [[nodiscard]] const Cells3& cells() const noexcept { return cells_; }
  /// Levels, with the finest one.
  [[nodiscard]] std::size_t levels() const noexcept { return coarse_.size() + 1; }
  [[nodiscard]] Memory memory() const noexcept { return memory_; }
  [[nodiscard]] std::string_view name() const noexcept { return "Multigrid"; }

  /// One cycle, from correction = 0.
  void operator()(Stream& stream) {
    const FieldView<T> z = correction_->view();
    const FieldView<T> r = rest_->view();
    const auto sweep = [&](std::int64_t first, std::int64_t last) {
      matrix_.apply([&](const auto&... a) { Solver::smooth(stream, a...); }, std::tuple(z, r),
                    std::tuple(first, last));
    };
    const auto last_sweep = [&](std::int64_t colour) {
      matrix_.apply([&](const auto&... a) { Solver::smooth_product(stream, a...); }, std::tuple(z, r),
                    std::tuple(colour, colour + 1, products_.data() + colour, work_.data()));
    };
    const std::tuple<std::int64_t, std::int64_t> red(0, 1);
    matrix_.apply([&](const auto&... a) { Solver::first(stream, a...); }, std::tuple(r, z), red);
    sweep(1, 2);
    for (int i = 1; i < options_.sweeps; ++i)
      sweep(0, 2);
    if (!coarse_.empty()) {
      matrix_.apply([&](const auto&... a) { Solver::remains(stream, a...); }, std::tuple(z, r, left_->view()),
                    red);
      correct(stream, 0, left_->view(), z, cells_, Solver::split);
    }
    for (int i = 1; i < options_.sweeps; ++i) {
      sweep(1, 2);
      sweep(0, 1);
    }
    last_sweep(1);
    last_sweep(0);
  }

private:
  static constexpr std::array<Cells3, 4> red_children{{{0, 0, 0}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}}};

  /// A cycle of coarse level `n`, for what a finer one (`cells`, `left`) has left, into its correction.
  void correct(Stream& stream, std::size_t n, const FieldView<T>& left, const FieldView<T>& correction,
               const Cells3& cells, bool split) {
    CoarseLevel<T>& level = *coarse_[n];
    if (level.merged == Cells3{2, 2, 2}) {
      const auto child = [&](const FieldView<T>& fine, std::size_t i) {
        return children(fine, split, level.cells, red_children[i]);
      };
      Solver::restrict_left(stream, child(left, 0), child(left, 1), child(left, 2), child(left, 3),
                            level.rest.view());
      cycle(stream, n);
      Solver::prolong(stream, level.correction.view(), child(correction, 0), child(correction, 1),
                      child(correction, 2), child(correction, 3));
    } else {
      for_pairs(level, [&](const Cells3& part, const Cells3& start, const Cells3& step, const Cells3& red) {
        Solver::restrict_one(stream, children(left, split, part, red),
                             every(level.rest.view(), part, start, step));
      });
      cycle(stream, n);
      for_pairs(level, [&](const Cells3& part, const Cells3& start, const Cells3& step, const Cells3& red) {
        Solver::prolong_one(stream, every(level.correction.view(), part, start, step),
                            children(correction, split, part, red));
      });
    }
    for (std::size_t axis = split ? 1 : 0; axis < 3; ++axis) { // children outside the box
      if (cells[axis] % level.merged[axis] != 0) {
        Cells3 stored = cells;
        if (split) stored[0] /= 2;
        Solver::clear(stream, slab(correction, stored, axis, cells[axis], 1));
      }
    }
  }

  /// Cells of a level that are merged in pairs, in the four parts in which the red child has one place: calls
  /// f(cells of the part, first one, distances between them, red child).
  template <class F> static void for_pairs(const CoarseLevel<T>& level, F&& f) {
    const auto axis = static_cast<std::size_t>(std::max_element(level.merged.begin(), level.merged.end()) -
                                               level.merged.begin());
    const std::size_t u = (axis + 1) % 3;
    const std::size_t v = (axis + 2) % 3;
    for (std::int64_t a = 0; a < std::min<std::int64_t>(2, level.cells[u]); ++a)
      for (std::int64_t b = 0; b < std::min<std::int64_t>(2, level.cells[v]); ++b) {
        Cells3 part = level.cells;
        Cells3 start{0, 0, 0};
        Cells3 step{2, 2, 2};
        part[u] = (level.cells[u] - a + 1) / 2;
        part[v] = (level.cells[v] - b + 1) / 2;
        start[u] = a;
        start[v] = b;
        step[axis] = 1;
        Cells3 red = start;
        red[axis] = (a + b) % 2;
        f(part, start, step, red);
      }
  }

  void cycle(Stream& stream, std::size_t n) {
    CoarseLevel<T>& level = *coarse_[n];
    const auto kx = level.k[0].view();
    const auto ky = level.k[1].view();
    const auto kz = level.k[2].view();
    const auto z = level.correction.view();
    const auto r = level.rest.view();
    const auto sweep = [&](std::int64_t first, std::int64_t last) {
      Solver::coarse_smooth(stream, kx, ky, kz, z, r, first, last);
    };
    const bool coarsest = n + 1 == coarse_.size();
    const int sweeps = coarsest ? options_.coarsest_sweeps : options_.coarse_sweeps;
    Solver::coarse_first(stream, kx, ky, kz, r, z, 0, 1);
    sweep(1, 2);
    for (int i = 1; i < sweeps; ++i)
      sweep(0, 2);
    if (!coarsest) {
      Solver::coarse_remains(stream, kx, ky, kz, z, r, level.left.view(), 0, 1);
      correct(stream, n + 1, level.left.view(), z, level.cells, false);
    }
    for (int i = 0; i < sweeps; ++i) {
      sweep(1, 2);
      sweep(0, 1);
    }
  }

  /// Coarse levels, and the coefficients of their faces.
  void set_up() {
    Stream stream(memory_);
    std::array<Centres, 3> centres = options_.centres;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (centres[axis].empty()) centres[axis] = even_centres(cells_[axis]);
      if (static_cast<std::int64_t>(centres[axis].size()) != cells_[axis] + 2) {
        throw Error("Multigrid",
                    std::to_string(centres[axis].size()) + " centres were given for " +
                        std::to_string(cells_[axis]) + " cells along axis " + std::to_string(axis),
                    "give one per cell and one beyond each end");
      }
    }
    CoarseLevel<T> finest(cells_, {1, 1, 1}, memory_);
    const std::tuple k(finest.k[0].view(), finest.k[1].view(), finest.k[2].view());
    const auto faces = [&](const auto&... colours) {
      matrix_.apply([&](const auto&... a) { Solver::lower_faces(stream, a...); }, k, std::tuple(colours...));
      matrix_.apply([&](const auto&... a) { Solver::upper_faces(stream, a...); }, k, std::tuple(colours...));
    };
    if constexpr (Solver::split)
      faces(std::int64_t{0}, std::int64_t{2});
    else
      faces();
    CoarseLevel<T>* fine = &finest;
    while (*std::max_element(fine->cells.begin(), fine->cells.end()) > options_.coarsest_cells) {
      const Cells3 merged = merged_cells(centres);
      coarse_.push_back(std::make_unique<CoarseLevel<T>>(coarser(fine->cells, merged), merged, memory_));
      merge(stream, *fine, *coarse_.back(), centres);
      for (std::size_t axis = 0; axis < 3; ++axis)
        if (merged[axis] == 2) centres[axis] = coarser(centres[axis]);
      fine = coarse_.back().get();
    }
    stream.synchronise();
  }

  /// Coefficients of coarse faces: of their parts, one to four. merge_faces() always takes four, so that some
  /// count several times.
  static void merge(Stream& stream, CoarseLevel<T>& fine, CoarseLevel<T>& coarse,
                    const std::array<Centres, 3>& centres) {
    const Cells3& merged = coarse.merged;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::size_t u = (axis + 1) % 3;
      const std::size_t v = (axis + 2) % 3;
      const double parts = static_cast<double>(merged[u] * merged[v]);
      const std::vector<FaceRun> runs = merged[axis] == 2
                                            ? coarse_faces(centres[axis])
                                            : std::vector<FaceRun>{{0, coarse.cells[axis] + 1, 0, 1}};
      for (const FaceRun& run : runs) {
        const auto part = [&](std::int64_t a, std::int64_t b) {
          Cells3 cells = coarse.cells;
          cells[axis] = run.count;
          Cells3 start{};
          start[axis] = run.fine;
          start[u] = a % merged[u];
          start[v] = b % merged[v];
          return every(fine.k[axis].view(), cells, start, merged);
        };
        Solver::merge_faces(stream, part(0, 0), part(1, 0), part(0, 1), part(1, 1),
                            slab(coarse.k[axis].view(), coarse.cells, axis, run.first, run.count),
                            run.factor * parts / 4);
      }
    }
  }

  Matrix matrix_;
  MultigridOptions options_;
  Memory memory_;
  Cells3 cells_{};
  std::unique_ptr<Field<T>> correction_;
  std::unique_ptr<Field<T>> rest_;
  std::unique_ptr<Field<T>> left_;
  Buffer<T> products_;
  Buffer<T> work_;
  std::vector<std::unique_ptr<CoarseLevel<T>>> coarse_;
};

} // namespace heddle

#endif
