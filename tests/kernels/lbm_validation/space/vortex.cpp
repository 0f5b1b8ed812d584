// SPDX-License-Identifier: Apache-2.0
// The Taylor-Green vortex in space at Re = 1600 against the spectral solution.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "case.hpp"
#include "flows/moment_flow.hpp"
#include "heddle/core/parallel.hpp"
#include "lbm_validation_vortex.hpp"
#include "lbm_validation_vortex_sweeps.hpp"
#include "taylor_green_spectral.hpp"

namespace validation {
namespace {

constexpr double speed = 0.1 / 1.7320508; // Mach number 0.1

/// all_one: every rate above second order is 1. fourth_order: their rates make diffusion of momentum
/// fourth-order accurate.
enum class Cumulants { all_one, fourth_order };

/// Kinetic energy over V0^2 at each of `times` (in L / V0), in a cube of `cells` = 2 pi L.
template <class Flow, class Step, class Moments>
std::vector<double> energies(Flow& flow, int cells, const std::vector<double>& times, Step&& step,
                             Moments&& moments) {
  const double length = cells / (2 * std::numbers::pi), k = 1 / length;
  const double omega = rate(speed * length / 1600);
  flow.start(omega, [&](const Cell& cell) {
    const double x = k * (static_cast<double>(cell[0]) + 0.5), y = k * (static_cast<double>(cell[1]) + 0.5),
                 z = k * (static_cast<double>(cell[2]) + 0.5);
    const double sx = std::sin(x), cx = std::cos(x), sy = std::sin(y), cy = std::cos(y), cz = std::cos(z),
                 sz = std::sin(z);
    State s;
    s.rho = 1 + 3 * speed * speed / 16 * (std::cos(2 * x) + std::cos(2 * y)) * (std::cos(2 * z) + 2);
    s.u = {speed * sx * cy * cz, -speed * cx * sy * cz, 0};
    s.gradient[0] = {speed * k * cx * cy * cz, -speed * k * sx * sy * cz, -speed * k * sx * cy * sz};
    s.gradient[1] = {speed * k * sx * sy * cz, -speed * k * cx * cy * cz, speed * k * cx * sy * sz};
    return s;
  });
  std::vector<double> found;
  int done = 0;
  for (const double time : times) {
    for (const int until = static_cast<int>(std::lround(time * length / speed)); done < until; ++done)
      step(omega);
    found.push_back(moments() / (speed * speed));
  }
  return found;
}

/// The mean over the cells of a cube of what f(cell) gives, summed by planes, whatever the number of threads.
template <class F> double mean(int cells, F&& f) {
  std::vector<double> planes(static_cast<std::size_t>(cells));
  heddle::parallel_ranges(cells, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t z = first; z < last; ++z) {
      double sum = 0;
      for (std::int64_t y = 0; y < cells; ++y) {
        for (std::int64_t x = 0; x < cells; ++x)
          sum += f(Cell{x, y, z});
      }
      planes[static_cast<std::size_t>(z)] = sum;
    }
  });
  double sum = 0;
  for (const double plane : planes)
    sum += plane;
  return sum / std::pow(cells, 3);
}

std::vector<double> energies(Precision precision, Cumulants rates, int cells,
                             const std::vector<double>& times, heddle::Memory memory) {
  const Cell extent{cells, cells, cells};
  const auto kinetic = [](const std::pair<double, Vector>& state) {
    const auto& [rho, j] = state;
    return (j[0] * j[0] + j[1] * j[1] + j[2] * j[2]) / (2 * rho * rho);
  };
  if (in_moments(precision)) {
    return with_stress(precision, [&]<class T>(T) {
      MomentFlow<3, T> flow(extent, memory);
      return energies(
          flow, cells, times, [&](double omega) { flow.step(omega); },
          [&] {
            flow.fetch();
            return mean(cells, [&](const Cell& cell) { return kinetic(flow.moments(cell)); });
          });
    });
  }
  return with_storage(precision, [&]<class T>(T) {
    ListFlow<T, 27> flow(d3q27, lbm_validation_vortex::links, extent, all_cells(extent), {true, true, true},
                         memory);
    return energies(
        flow, cells, times,
        [&](double omega) {
          if (rates == Cumulants::all_one)
            flow.sweep(
                [&](auto&&... fields) { return lbm_validation_vortex::Cumulant<T>(fields..., {omega}); });
          else
            flow.sweep(
                [&](auto&&... fields) { return lbm_validation_vortex::Parametrised<T>(fields..., {omega}); });
        },
        [&] {
          flow.fetch();
          // all cells are listed, row by row
          return mean(cells, [&](const Cell& cell) {
            return kinetic(flow.moments(cell[0] + cells * (cell[1] + cells * cell[2])));
          });
        });
  });
}

/// -dE/dt at inner times, by the difference of fourth order: that of second takes 0.8 % off the peak.
double dissipation(const std::vector<double>& energy, std::size_t i, double between) {
  return (energy[i + 2] - 8 * energy[i + 1] + 8 * energy[i - 1] - energy[i - 2]) / (12 * between);
}

/// One size. finer: whether the same run has finer ones, which are judged instead: this one then may have the
/// error that a second-order method has which holds the tolerance with 160^3 cells.
Outcome vortex(Precision precision, Cumulants rates, int cells, double end, bool finer,
               heddle::Memory memory) {
  constexpr double between = 0.25;
  std::vector<double> times;
  for (int i = 0; between * i <= end; ++i)
    times.push_back(between * i);
  const std::vector<double> energy = energies(precision, rates, cells, times, memory);
  const auto exact = [](double time) { return spectral[static_cast<std::size_t>(std::lround(4 * time))][1]; };
  Outcome outcome;
  // the smallest eddies want some 128^3 cells: with fewer, dissipation comes early and the energy falls short
  const bool resolved = cells >= 128 || end < 10;
  const double coarse = finer ? std::max(1.0, std::pow(160.0 / cells, 2)) : 1;
  const bool fourth = rates == Cumulants::fourth_order;
  const auto close = [=](double time) {
    if (resolved) return 0.02 * coarse;
    // until t = 5 eddies are large: errors of second order, 1.7 % with 64^3 cells and all rates 1, else 0.7 %
    return time > 5 ? 0.1 : (fourth ? 0.01 : 0.02) * std::pow(64.0 / cells, 2);
  };
  const std::string where = ", " + std::to_string(cells) + "^3 cells" +
                            (!resolved    ? " (does not resolve it)"
                             : coarse > 1 ? " (finer ones follow)"
                                          : "");
  for (const double time : {2.0, 5.0, 10.0}) {
    if (time > end) break;
    const auto at = std::ranges::find(times, time) - times.begin();
    outcome.quantities.push_back({"kinetic energy at t = " + std::to_string(static_cast<int>(time)) + where,
                                  energy[static_cast<std::size_t>(at)], exact(time),
                                  close(time) * exact(time)});
  }
  if (end < 10) return outcome;
  Curve found{name_of(precision) + where, {}, {}, true}, expected{"spectral", {}, {}, false};
  double peak = 0, when = 0;
  for (std::size_t i = 2; i + 2 < times.size(); ++i) {
    const double rate = dissipation(energy, i, between);
    found.x.push_back(times[i]), found.y.push_back(rate);
    if (rate > peak) peak = rate, when = times[i];
  }
  outcome.quantities.push_back({"largest dissipation" + where, peak, peak_dissipation,
                                (resolved ? 0.05 * coarse : 0.1) * peak_dissipation});
  outcome.quantities.push_back(
      {"time of the largest dissipation" + where, when, peak_time, resolved ? 0.5 : 1});
  if (precision == (fourth ? Precision::f32 : Precision::f64)) {
    const std::string title =
        std::string("Taylor-Green vortex, Re = 1600") + (fourth ? ", fourth order" : "");
    Graph graph{title, "time V0 / L", "dissipation L / V0^3", {found}};
    if (cells == 128) {
      for (const auto& row : spectral) {
        if (row[0] <= times.back()) expected.x.push_back(row[0]), expected.y.push_back(row[2]);
      }
      graph.curves.push_back(expected);
    }
    outcome.graphs.push_back(graph);
  }
  return outcome;
}

/// Several sizes, the finest last.
Outcome vortices(Precision precision, Cumulants rates, const std::vector<int>& sizes, double end,
                 heddle::Memory memory) {
  Outcome all;
  for (const int cells : sizes) {
    const Outcome one = vortex(precision, rates, cells, end, cells != sizes.back(), memory);
    all.quantities.insert(all.quantities.end(), one.quantities.begin(), one.quantities.end());
    all.graphs.insert(all.graphs.end(), one.graphs.begin(), one.graphs.end());
  }
  return all;
}

} // namespace

std::vector<Case> vortex_cases(Size size) {
  const std::string source = "van Rees et al. 2011, spectral 512^3";
  Case one{"Taylor-Green vortex, Re 1600",
           "D3Q27 cumulants, all higher rates 1, Ma = 0.1; moments: regularised, D3Q19",
           source,
           {}};
  Case other{"Taylor-Green vortex, Re 1600, fourth order",
             "D3Q27 parametrised cumulants, Ma = 0.1",
             source,
             {},
             "No rows of f32 moments and mixed: moment storage has the regularised operator alone (the case "
             "before)."};
  const auto add = [](Case& to, Cumulants rates, const std::vector<Precision>& precisions, double seconds,
                      int threads, double device_seconds, const std::vector<int>& sizes, double end) {
    to.add_anywhere(precisions, seconds, threads, device_seconds,
                    [=](Precision precision, heddle::Memory memory) {
                      return vortices(precision, rates, sizes, end, memory);
                    });
  };
  using enum Cumulants;
  const std::vector<Precision> exact{Precision::f64, Precision::f32},
      moments{Precision::moments, Precision::mixed};
  if (size == Size::small) {
    add(one, all_one, with_moments, 3, 1, 0, {24}, 2);
    add(other, fourth_order, {Precision::f32}, 6, 1, 0, {48}, 10);
    return {one, other};
  }
  if (size == Size::large) {
    const std::vector<int> sizes{64, 128, 192};
    add(one, all_one, moments, 12000, 16, 12, sizes, 11);
    for (const auto& [to, rates] : {std::pair(&one, all_one), std::pair(&other, fourth_order)}) {
      add(*to, rates, {Precision::f64, Precision::f16}, 12000, 16, 35, sizes, 11);
    }
    add(one, all_one, {Precision::f32}, 40000, 16, 80, {64, 128, 192, 256}, 11); // one step further
    add(other, fourth_order, {Precision::f32}, 12000, 16, 35, sizes, 11);
    return {one, other};
  }
  add(one, all_one, moments, 30, 1, 0, {64}, 11);
  add(one, all_one, {Precision::mixed}, 900, 16, 0, {128}, 11);
  add(one, all_one, populations, 80, 1, 0, {64}, 11);
  add(one, all_one, exact, 1850, 8, 0, {128}, 11);
  add(other, fourth_order, populations, 80, 1, 0, {64}, 11);
  add(other, fourth_order, {Precision::f32}, 1850, 16, 0, {128}, 11);
  add(other, fourth_order, {Precision::f32}, 4700, 16, 0, {160}, 11);
  return {one, other};
}

} // namespace validation
