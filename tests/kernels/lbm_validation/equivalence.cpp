// SPDX-License-Identifier: Apache-2.0
// One flow by every streaming pattern, dense and over a list, on every target: the same numbers.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "../lbm_common/esoteric_places.hpp"
#include "case.hpp"
#include "flows/list_flow.hpp"
#include "flows/moment_flow.hpp"
#include "heddle/core/device_scope.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/halo/halo_exchange.hpp"
#include "lbm_blocks_sweeps.hpp"
#include "lbm_d3q19.h"
#include "list_blocks_eso_pull_sweeps.hpp"
#include "list_blocks_pull_sweeps.hpp"
#include "list_blocks_push_sweeps.hpp"
#include "list_blocks_sweeps.hpp"
#include "list_blocks_twist_sweeps.hpp"

namespace validation {
namespace {

constexpr Cell extent{14, 11, 9};
constexpr double omega = 1.7;
constexpr int pairs = 20; ///< of steps: in-place patterns are back where they began after two
constexpr std::array<bool, 3> periodic{true, true, true};
constexpr heddle::Box box{{0, 0, 0}, extent};

/// Where a pattern keeps population q that the next step reads in a cell, seen from the cell.
using Where = test::Place (*)(int q);
test::Place at_neighbour(int q) { // pull
  const test::Velocity& c = test::d3q19[static_cast<std::size_t>(q)];
  return {q, {-c[0], -c[1], -c[2]}};
}
test::Place at_home(int q) { // push, AA
  return {q, {0, 0, 0}};
}
test::Place twisted(int q) {
  return test::before(test::twist_shift, false, q);
}
test::Place eso_pulled(int q) {
  return test::before(test::eso_pull_shift, false, q);
}

Cell place_of(const Cell& cell, const test::Velocity& offset) {
  Cell found{};
  for (std::size_t d = 0; d < 3; ++d)
    found[d] = (cell[d] + offset[d] + extent[d]) % extent[d];
  return found;
}

/// f(cell, q, number) for all populations.
template <class F> void for_populations(F&& f) {
  std::size_t number = 0;
  for (std::int64_t z = 0; z < extent[2]; ++z) {
    for (std::int64_t y = 0; y < extent[1]; ++y) {
      for (std::int64_t x = 0; x < extent[0]; ++x) {
        for (int q = 0; q < 19; ++q)
          f(Cell{x, y, z}, q, number++);
      }
    }
  }
}
constexpr auto populations_in_all = static_cast<std::size_t>(extent[0] * extent[1] * extent[2] * 19);

/// What arrives at first: equilibrium of vortices that do not fit the box, so that no symmetry hides a
/// mistake.
double initial(const Cell& cell, int q) {
  const auto angle = [&](std::size_t d, double shift) {
    return 2 * std::numbers::pi * (static_cast<double>(cell[d]) + shift) / static_cast<double>(extent[d]);
  };
  const Vector u{0.05 * std::sin(angle(1, 0.2)) * std::cos(angle(2, 0.1)), 0.04 * std::sin(angle(2, 0.4)),
                 0.03 * std::cos(angle(0, 0.3)) * std::sin(angle(1, 0.7))};
  const auto number = static_cast<std::size_t>(q);
  double cu = 0, uu = 0;
  for (std::size_t d = 0; d < 3; ++d)
    cu += d3q19.c[number][d] * u[d], uu += u[d] * u[d];
  const double density = 0.01 * std::cos(angle(0, 0)) * std::cos(angle(2, 0.6));
  return d3q19.weight(number) * (density + 3 * cu + 4.5 * cu * cu - 1.5 * uu);
}

/// All populations that arrive after the last step, as numbers.
using Numbers = std::vector<double>;

template <class View> void put(View view, Where where, auto&& element) {
  for_populations([&](const Cell& cell, int q, std::size_t) {
    const test::Place place = where(q);
    store(element(view, place_of(cell, place.offset), place.slot), initial(cell, q), half_scale);
  });
}
template <class View> Numbers get(View view, Where where, auto&& element) {
  Numbers found(populations_in_all);
  for_populations([&](const Cell& cell, int q, std::size_t number) {
    const test::Place place = where(q);
    found[number] = load(element(view, place_of(cell, place.offset), place.slot), half_scale);
  });
  return found;
}

/// A box of cells with ghost cells, which exchanges fill and read.
template <class T> class DenseBox {
public:
  explicit DenseBox(heddle::Memory memory)
      : grid_(box, {1, 1, 1}, periodic), f_(field(memory, "f")), next_(field(memory, "f_next")),
        stream_(memory) {}

  /// there, back: two steps, of the sweeps that make(f, f_next) gives.
  template <class There, class Back> Numbers run(Where where, There&& there, Back&& back) {
    constexpr auto element = [](auto view, const Cell& c, int slot) -> auto& {
      return view(c[0], c[1], c[2], slot);
    };
    f_.edit(0, [&](heddle::FieldView<T> view) { put(view, where, element); });
    auto even = there(f_, next_), odd = back(f_, next_);
    heddle::HaloExchange before_even(even.before()), after_even(even.after()), before_odd(odd.before()),
        after_odd(odd.after());
    for (int s = 0; s < pairs; ++s) {
      before_even(stream_), even(stream_), after_even(stream_);
      before_odd(stream_), odd(stream_), after_odd(stream_);
    }
    stream_.synchronise();
    Numbers found;
    f_.edit(0, [&](heddle::FieldView<T> view) { found = get(view, where, element); });
    return found;
  }

private:
  heddle::Field<T> field(heddle::Memory memory, const char* name) const {
    return heddle::Field<T>(grid_, {.components = 19, .ghost_layers = 1, .memory = memory, .name = name});
  }
  heddle::BlockGrid grid_;
  heddle::Field<T> f_, next_;
  heddle::Stream stream_;
};

template <class T, template <class> class Even, template <class> class Odd>
Numbers dense_in_place(Where where, heddle::Memory memory) {
  return DenseBox<T>(memory).run(
      where, [](auto& f, auto&) { return Even<T>(f, {omega}); },
      [](auto& f, auto&) { return Odd<T>(f, {omega}); });
}
template <class T, template <class> class Step> Numbers dense(Where where, heddle::Memory memory) {
  return DenseBox<T>(memory).run(
      where, [](auto& f, auto& next) { return Step<T>(f, next, {omega}); },
      [](auto& f, auto& next) { return Step<T>(next, f, {omega}); });
}

/// The cells of the box as a list.
template <class T> class List {
public:
  template <class Links>
  List(const Links& links, heddle::Memory memory)
      : list_(box, all_cells(extent), periodic, links, memory), f_(list_, 19, memory),
        next_(list_, 19, memory, "f_next"), stream_(memory) {}

  template <class There, class Back> Numbers run(Where where, There&& there, Back&& back) {
    const auto element = [this](auto view, const Cell& c, int slot) -> auto& {
      return view(list_.cell_of(c[0], c[1], c[2]), slot);
    };
    f_.edit([&](heddle::SparseView<T> view) { put(view, where, element); });
    auto even = there(f_, next_, list_.all()), odd = back(f_, next_, list_.all());
    for (int s = 0; s < pairs; ++s)
      even(stream_), odd(stream_);
    stream_.synchronise();
    Numbers found;
    f_.inspect([&](heddle::SparseView<const T> view) { found = get(view, where, element); });
    return found;
  }

private:
  heddle::IndexList list_;
  heddle::SparseField<T> f_, next_;
  heddle::Stream stream_;
};

template <class T, template <class> class Even, template <class> class Odd, class Links>
Numbers listed_in_place(Where where, const Links& links, heddle::Memory memory) {
  return List<T>(links, memory)
      .run(
          where, [](auto& f, auto&, auto cells) { return Even<T>(f, cells, {omega}); },
          [](auto& f, auto&, auto cells) { return Odd<T>(f, cells, {omega}); });
}
template <class T, template <class> class Step, class Links>
Numbers listed(Where where, const Links& links, heddle::Memory memory) {
  return List<T>(links, memory)
      .run(
          where, [](auto& f, auto& next, auto cells) { return Step<T>(f, next, cells, {omega}); },
          [](auto& f, auto& next, auto cells) { return Step<T>(next, f, cells, {omega}); });
}

int reference(auto&&... arguments) {
  using T = std::remove_cvref_t<decltype(*std::get<0>(std::forward_as_tuple(arguments...)))>;
  if constexpr (std::is_same_v<T, double>)
    return lbm_d3q19_pull_bgk_f64_reference(arguments..., omega);
  else if constexpr (std::is_same_v<T, float>)
    return lbm_d3q19_pull_bgk_f32_reference(arguments..., static_cast<float>(omega));
  else
    return lbm_d3q19_pull_bgk_f16_reference(arguments..., static_cast<float>(omega));
}

/// Plain loops, pull; ghost cells are filled by plain loops, too.
template <class T> Numbers by_reference() {
  BoxField<T, 3> f(extent, 19), next(extent, 19);
  heddle::Stream host;
  constexpr auto element = [](auto* field, const Cell& c, int slot) -> auto& { return field->at(c, slot); };
  put(&f, at_neighbour, element);
  for (int s = 0; s < 2 * pairs; ++s) {
    f.fill_ghosts(host);
    const auto from = std::as_const(f).view();
    const auto to = next.view();
    if (reference(from.data(), from.extents.data(), from.strides.data(), to.data(), to.extents.data(),
                  to.strides.data()) != 0)
      throw heddle::Error("equivalence", "the reference kernel refused its arguments");
    std::swap(f, next);
  }
  return get(&f, at_neighbour, element);
}

/// Every way to compute the flow, with its name.
template <class T> std::vector<std::pair<std::string, Numbers>> all_ways() {
  namespace blocks = lbm_blocks;
  std::vector<std::pair<std::string, Numbers>> found;
  const auto add = [&](heddle::Memory memory) {
    const std::string on = memory == heddle::Memory::device ? ", CUDA" : ", CPU";
    const auto with = [&](const char* name, Numbers numbers) {
      found.emplace_back(name + on, std::move(numbers));
    };
    with("pull, dense", dense<T, blocks::Pull>(at_neighbour, memory));
    with("push, dense", dense<T, blocks::Push>(at_home, memory));
    with("AA, dense", dense_in_place<T, blocks::AaEven, blocks::AaOdd>(at_home, memory));
    with("EsoTwist, dense", dense_in_place<T, blocks::TwistEven, blocks::TwistOdd>(twisted, memory));
    with("EsoPull, dense", dense_in_place<T, blocks::EsoPullEven, blocks::EsoPullOdd>(eso_pulled, memory));
    with("pull, list", listed<T, list_blocks_pull::Step>(at_neighbour, list_blocks_pull::links, memory));
    with("push, list", listed<T, list_blocks_push::Step>(at_home, list_blocks_push::links, memory));
    with("AA, list", listed_in_place<T, list_blocks::StepEven, list_blocks::StepOdd>(
                         at_home, list_blocks::links, memory));
    with("EsoTwist, list", listed_in_place<T, list_blocks_twist::FullEven, list_blocks_twist::FullOdd>(
                               twisted, list_blocks_twist::links, memory));
    with("EsoPull, list", listed_in_place<T, list_blocks_eso_pull::FullEven, list_blocks_eso_pull::FullOdd>(
                              eso_pulled, list_blocks_eso_pull::links, memory));
  };
  add(heddle::Memory::host);
  if (heddle::device_count() > 0) add(heddle::Memory::device);
  found.emplace_back("pull, dense, reference", by_reference<T>());
  return found;
}

double largest_difference(const Numbers& one, const Numbers& other) {
  double largest = 0;
  for (std::size_t i = 0; i < one.size(); ++i)
    largest = worse(largest, std::abs(one[i] - other[i]));
  return largest;
}

Outcome equivalence(Precision precision) {
  return with_storage(precision, []<class T>(T) {
    const auto ways = all_ways<T>();
    Outcome outcome;
    for (std::size_t i = 1; i < ways.size(); ++i)
      outcome.quantities.push_back({ways[i].first, largest_difference(ways[i].second, ways[0].second), 0, 0});
    const Numbers exact = dense<double, lbm_blocks::Pull>(at_neighbour, heddle::Memory::host);
    double largest = 0;
    for (const double f : exact)
      largest = std::max(largest, std::abs(f));
    outcome.quantities.push_back({"distance to f64, over the largest population",
                                  largest_difference(ways[0].second, exact) / largest, 0,
                                  std::is_same_v<T, float> ? 1e-5 : 2e-3});
    return outcome;
  });
}

} // namespace

std::vector<Case> equivalence_cases() {
  Case one{
      "Equivalences",
      "D3Q19 BGK, vortices in a periodic box of 14 x 11 x 9 cells, 40 steps",
      "all populations of pull, dense, CPU in the same precision: the largest difference, 0 where all "
      "numbers are "
      "the same",
      {},
      "No rows of f32 moments and mixed: they are no populations (tests/kernels/lbm_moments compares them)."};
  one.add(populations, 1, 1, equivalence);
  return {one};
}

} // namespace validation
