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
enum class Points { centres, x_faces, y_faces };

template <class T>
void set(heddle::Field<T>& fine, const heddle::Field<T>& coarse, Points points, Means means) {
  const heddle::Box& box = fine.box(0);
  Slab<T> from = coarse_slab(coarse), to(box.extent(0), box.extent(1), box.extent(2), 0);
  const heddle::FieldView<const T> source = from.view();
  const heddle::FieldView<T> target = to.view();
  if (points == Points::x_faces)
    ::clouds_refine::x_faces(source, target, -1, 0);
  else if (points == Points::y_faces)
    ::clouds_refine::y_faces(source, target, 0, -1);
  else
    ::clouds_refine::centres(source, target, 0, 0);
  keep_means(from, to, means);
  fine.fill(
      [&](std::int64_t x, std::int64_t y, std::int64_t k, int) { return target(x, y, k - box.lower[2]); });
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

template <class T> void refine_state(Stepper<T>& coarse, Stepper<T>& fine) {
  State<T>&from = coarse.now(), &to = fine.now();
  set(to.u, from.u, Points::x_faces, Means::by_sum);
  set(to.v, from.v, Points::y_faces, Means::by_sum);
  set(to.w, from.w, Points::centres, Means::by_sum);
  set(to.th, from.th, Points::centres, Means::by_sum);
  set(to.q, from.q, Points::centres, Means::by_factor);
  if (to.r) {
    set(*to.r, *from.r, Points::centres, Means::by_factor);
    const heddle::Box& box = coarse.fallen()->box(0);
    const std::vector<double> fallen = coarse.fallen()->read(0);
    fine.fallen()->fill([&](std::int64_t x, std::int64_t y, std::int64_t k, int) {
      return fallen[static_cast<std::size_t>(
          x / ratio + box.extent(0) * (y / ratio + box.extent(1) * (k - box.lower[2])))];
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
  const Source source = source_of(options.refine);
  Stepper<T> coarse(what, base, cells, options.scheme, transport, {}, options.runge_kutta);
  RunState progress;
  Saves<T> saves(options, what, base, source.folder, coarse, progress, transport);
  saves.read_state(source.step);
  progress.radiated = progress.filed = -1;
  progress.files = 0;
  refine_state(coarse, fine);
  return progress;
}

template void refine_state(Stepper<double>&, Stepper<double>&);
template void refine_state(Stepper<float>&, Stepper<float>&);
template RunState refine(const Options&, const Case&, const BaseState&, Stepper<double>&, heddle::Transport&);
template RunState refine(const Options&, const Case&, const BaseState&, Stepper<float>&, heddle::Transport&);

} // namespace clouds
