// SPDX-License-Identifier: Apache-2.0
#include "refine.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint_folder.hpp"
#include "clouds_refine.hpp"
#include "heddle/core/error.hpp"
#include "heddle/projection/rank_values.hpp"

namespace clouds {
namespace {

constexpr std::int64_t ratio = 2, halo = 2; // coarse cells that the interpolation takes on each side

std::size_t size_of(std::int64_t x, std::int64_t y, std::int64_t z) {
  return static_cast<std::size_t>(x * y * z);
}

/// The levels of a rank, x fastest, without or with a halo along x and y.
template <class T> struct Slab {
  std::int64_t n_x, n_y, n_z, around;
  std::vector<T> values;

  Slab(std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t halo_)
      : n_x(x), n_y(y), n_z(z), around(halo_), values(size_of(x + 2 * halo_, y + 2 * halo_, z)) {}
  [[nodiscard]] heddle::FieldView<T> view() {
    const std::int64_t row = n_x + 2 * around, plane = row * (n_y + 2 * around);
    return {values.data() + around * (row + 1), {n_x, n_y, n_z, 1}, {1, row, plane, plane * n_z}};
  }
  [[nodiscard]] double level_mean(std::int64_t k) {
    const heddle::FieldView<T> all = view();
    double sum = 0;
    for (std::int64_t y = 0; y < n_y; ++y)
      for (std::int64_t x = 0; x < n_x; ++x)
        sum += double{all(x, y, k)};
    return sum / static_cast<double>(n_x * n_y);
  }
};

/// The values of a periodic field with a halo.
template <class T> Slab<T> coarse_slab(const heddle::Field<T>& field) {
  const heddle::Box& box = field.box(0);
  Slab<T> slab(box.extent(0), box.extent(1), box.extent(2), halo);
  const std::vector<T> inside = field.read(0);
  const heddle::FieldView<T> all = slab.view();
  for (std::int64_t k = 0; k < slab.n_z; ++k)
    for (std::int64_t y = -halo; y < slab.n_y + halo; ++y)
      for (std::int64_t x = -halo; x < slab.n_x + halo; ++x)
        all(x, y, k) = inside[static_cast<std::size_t>(
            (x + slab.n_x) % slab.n_x + slab.n_x * ((y + slab.n_y) % slab.n_y + slab.n_y * k))];
  return slab;
}

/// What keeps the mean of a level.
enum class Means { by_sum, by_factor };

/// The mean of each level of `fine` becomes that of `coarse`.
template <class T> void keep_means(Slab<T>& coarse, Slab<T>& fine, Means how) {
  const heddle::FieldView<T> all = fine.view();
  if (how == Means::by_factor) // no value lies below the coarse ones, but for a rounding
    for (T& value : fine.values)
      value = std::max(value, T(0));
  for (std::int64_t k = 0; k < fine.n_z; ++k) {
    const double wanted = coarse.level_mean(k), found = fine.level_mean(k);
    if (how == Means::by_factor && found == 0) continue; // there is no water in either
    for (std::int64_t y = 0; y < fine.n_y; ++y)
      for (std::int64_t x = 0; x < fine.n_x; ++x) {
        const double value = double{all(x, y, k)};
        all(x, y, k) =
            static_cast<T>(how == Means::by_factor ? value * (wanted / found) : value + (wanted - found));
      }
  }
}

/// Where a component of the wind lies: the interpolation counts points of a staggered field from half a
/// coarse cell beyond the first face, which is where fine point 1 lies.
enum class Points { centres, x_faces, y_faces, z_faces };

/// From the levels of a coarse run to levels of which two are one of these.
class Halves {
public:
  Halves(const BaseState& coarse, const BaseState& fine, const heddle::BlockGrid& blocks,
         heddle::Transport& transport)
      : coarse_(&coarse), fine_(&fine), blocks_(&blocks), ranks_(transport) {}

  /// between: the levels of the coarse run that this rank has, on cells as wide as fine ones. Returns those
  /// of the fine run that are in `box`.
  template <class T>
  [[nodiscard]] Slab<T> centres(const Slab<T>& between, Means how, const heddle::Box& box) {
    const std::vector<double> all = of_all_ranks(between);
    const std::size_t cells = size_of(between.n_x, between.n_y, 1);
    Slab<T> result(between.n_x, between.n_y, box.extent(2), 0);
    for (std::int64_t n = box.lower[2]; n < box.upper[2]; ++n) {
      const auto level = static_cast<std::size_t>(n), pair = level - level % 2;
      const std::vector<double> lower = line(all, cells, pair, how), upper = line(all, cells, pair + 1, how);
      const std::vector<double>& own = level == pair ? lower : upper;
      const auto mass = [&](std::size_t k) { return fine_->density[k] * fine_->height[k]; };
      const double wanted = mean(&all[cells * (level / 2)], cells);
      const double found =
          (mass(pair) * mean(lower.data(), cells) + mass(pair + 1) * mean(upper.data(), cells)) /
          (mass(pair) + mass(pair + 1));
      for (std::size_t i = 0; i < cells; ++i) {
        double value = own[i];
        if (how == Means::by_sum)
          value += wanted - found;
        else if (found != 0)
          value *= wanted / found;
        result.values[cells * static_cast<std::size_t>(n - box.lower[2]) + i] = static_cast<T>(value);
      }
    }
    return result;
  }

  /// The same for upward velocities, on the lower faces of levels: those of the coarse run, and means of two.
  template <class T> [[nodiscard]] Slab<T> faces(const Slab<T>& between, const heddle::Box& box) {
    std::vector<double> all = of_all_ranks(between);
    const std::size_t cells = size_of(between.n_x, between.n_y, 1);
    all.resize(all.size() + cells, 0); // at the lid
    Slab<T> result(between.n_x, between.n_y, box.extent(2), 0);
    for (std::int64_t n = box.lower[2]; n < box.upper[2]; ++n) {
      const auto level = static_cast<std::size_t>(n);
      const double share = level % 2 == 0 ? 0 : fine_->height[level - 1] / coarse_->height[level / 2];
      const double* const below = &all[cells * (level / 2)];
      for (std::size_t i = 0; i < cells; ++i)
        result.values[cells * static_cast<std::size_t>(n - box.lower[2]) + i] =
            static_cast<T>(below[i] + share * (below[cells + i] - below[i]));
    }
    return result;
  }

private:
  static double mean(const double* values, std::size_t count) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i)
      sum += values[i];
    return sum / static_cast<double>(count);
  }

  /// The values of a fine level, on the line through the two coarse levels between whose centres it lies: of
  /// the lowest and the highest fine level, through the nearest two; there water stays positive.
  [[nodiscard]] std::vector<double> line(const std::vector<double>& all, std::size_t cells, std::size_t level,
                                         Means how) const {
    const std::size_t last = coarse_->levels() - 2, below = (level + 1) / 2;
    const std::size_t k = std::min(below == 0 ? 0 : below - 1, last);
    const double share = (fine_->centre[level] - coarse_->centre[k]) / coarse_->distance[k + 1];
    std::vector<double> result;
    for (std::size_t i = 0; i < cells; ++i) {
      const double lower = all[cells * k + i], upper = all[cells * (k + 1) + i];
      const double value = lower + share * (upper - lower);
      result.push_back(how == Means::by_factor ? std::max(value, 0.0) : value);
    }
    return result;
  }

  /// All levels, from the ground up, from those that each rank has.
  template <class T> [[nodiscard]] std::vector<double> of_all_ranks(const Slab<T>& own) {
    const std::size_t cells = size_of(own.n_x, own.n_y, 1);
    std::int64_t most = 0;
    for (int r = 0; r < blocks_->ranks(); ++r)
      most = std::max(most, blocks_->block(r).extent(2));
    std::vector<double> sent(own.values.begin(), own.values.end()), all;
    sent.resize(cells * static_cast<std::size_t>(most));
    const std::vector<double> gathered = ranks_.gather(sent);
    for (int r = 0; r < blocks_->ranks(); ++r) {
      const auto from = gathered.begin() + static_cast<std::ptrdiff_t>(sent.size()) * r;
      all.insert(all.end(), from, from + static_cast<std::ptrdiff_t>(cells) * blocks_->block(r).extent(2));
    }
    return all;
  }

  const BaseState *coarse_, *fine_;
  const heddle::BlockGrid* blocks_; // of the coarse run
  heddle::RankValues ranks_;
};

/// levels: null where both runs have the same.
template <class T>
void set(heddle::Field<T>& fine, const heddle::Field<T>& coarse, Points points, Means means, Halves* levels) {
  const heddle::Box& box = fine.box(0);
  Slab<T> from = coarse_slab(coarse), to(box.extent(0), box.extent(1), coarse.box(0).extent(2), 0);
  const heddle::FieldView<const T> source = from.view();
  const heddle::FieldView<T> target = to.view();
  if (points == Points::x_faces)
    ::clouds_refine::x_faces(source, target, -1, 0);
  else if (points == Points::y_faces)
    ::clouds_refine::y_faces(source, target, 0, -1);
  else
    ::clouds_refine::centres(source, target, 0, 0);
  keep_means(from, to, means);
  if (levels != nullptr)
    to = points == Points::z_faces ? levels->faces(to, box) : levels->centres(to, means, box);
  const heddle::FieldView<T> result = to.view();
  fine.fill(
      [&](std::int64_t x, std::int64_t y, std::int64_t k, int) { return result(x, y, k - box.lower[2]); });
}

/// A checkpoint among those of a folder; the newest one where no step is given.
struct Source {
  std::filesystem::path folder;
  std::optional<std::int64_t> step;
};

/// path: the results of a run, its folder of checkpoints, or the manifest of one of them.
Source source_of(const std::filesystem::path& path) {
  if (std::filesystem::is_regular_file(path) && path.extension() == ".checkpoint") {
    const std::string name = path.stem().string(); // clouds_00000040
    return {path.parent_path(), std::atoll(name.substr(name.rfind('_') + 1).c_str())};
  }
  const std::filesystem::path inside = example::checkpoint_folder(path);
  return {std::filesystem::is_directory(inside) ? inside : path, {}};
}

} // namespace

template <class T>
void refine_state(Stepper<T>& coarse, const BaseState& coarse_base, Stepper<T>& fine, const BaseState& base,
                  heddle::Transport& transport) {
  State<T>&from = coarse.now(), &to = fine.now();
  std::optional<Halves> halves;
  if (base.levels() != coarse_base.levels())
    halves.emplace(coarse_base, base, coarse.place().blocks, transport);
  Halves* const levels = halves ? &*halves : nullptr;
  set(to.u, from.u, Points::x_faces, Means::by_sum, levels);
  set(to.v, from.v, Points::y_faces, Means::by_sum, levels);
  set(to.w, from.w, Points::z_faces, Means::by_sum, levels);
  set(to.th, from.th, Points::centres, Means::by_sum, levels);
  set(to.q, from.q, Points::centres, Means::by_factor, levels);
  if (to.r) {
    set(*to.r, *from.r, Points::centres, Means::by_factor, levels);
    const std::int64_t n_x = coarse.fallen()->box(0).extent(0);
    const std::vector<double> fallen = coarse.fallen()->read(0); // in the lowest level alone
    fine.fallen()->fill([&](std::int64_t x, std::int64_t y, std::int64_t k, int) {
      return k > 0 ? 0 : fallen[static_cast<std::size_t>(x / ratio + n_x * (y / ratio))];
    });
  }
  fine.project();
}

template <class T>
RunState refine(const Options& options, const Case& what, const BaseState& base, Stepper<T>& fine,
                heddle::Transport& transport) {
  std::array<std::int64_t, 3> cells = fine.place().blocks.domain().extents();
  for (const std::size_t axis : {0U, 1U}) {
    if (cells[axis] % ratio != 0)
      throw heddle::Error("--refine",
                          std::to_string(cells[axis]) + " cells are not twice those of a coarser run",
                          "use an even number of --cells along x and y");
    cells[axis] /= ratio;
  }
  std::vector<double> heights = base.height;
  if (options.refine_levels) {
    if (cells[2] % 2 != 0)
      throw heddle::Error("--refine-levels",
                          std::to_string(cells[2]) + " levels are not twice those of a coarser run",
                          "use an even number");
    heights.clear();
    for (std::size_t k = 0; k < base.levels(); k += 2)
      heights.push_back(base.height[k] + base.height[k + 1]);
    cells[2] /= 2;
  }
  const BaseState coarse_base = make_base_state(what, std::move(heights));
  const Source source = source_of(options.refine);
  Stepper<T> coarse(what, coarse_base, cells, options.scheme, transport, {}, options.runge_kutta);
  RunState progress;
  Saves<T> saves(options, what, coarse_base, source.folder, coarse, progress, transport);
  saves.read_state(source.step);
  progress.radiated = progress.filed = -1;
  progress.files = 0;
  refine_state(coarse, coarse_base, fine, base, transport);
  return progress;
}

#ifdef CLOUDS_F64
template void refine_state(Stepper<double>&, const BaseState&, Stepper<double>&, const BaseState&,
                           heddle::Transport&);
template RunState refine(const Options&, const Case&, const BaseState&, Stepper<double>&, heddle::Transport&);
#endif
#ifdef CLOUDS_F32
template void refine_state(Stepper<float>&, const BaseState&, Stepper<float>&, const BaseState&,
                           heddle::Transport&);
template RunState refine(const Options&, const Case&, const BaseState&, Stepper<float>&, heddle::Transport&);
#endif

} // namespace clouds
