// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>

#include "constants.hpp"

namespace clouds {
namespace {

void check_layer(const Case& what, const BaseState& base, const History& history, bool single,
                 std::vector<Check>& all) {
  const double end = history.samples().back().time;
  History early; // later, waves reach the sponge, which takes some
  for (const Sample& sample : history.samples())
    if (sample.time <= 1200) early.add(sample);
  if (early.samples().size() > 1)
    all.push_back(
        {"heat budget of 20 minutes, relative", heat_budget(what, base, early), 0, single ? 1e-3 : 1e-6});
  if (end < 3 * hour - 1 || history.samples().front().time > 2.75 * hour + 1) return;
  const Sample last = history.mean(2.75 * hour, 3 * hour);
  const auto& flux = last.faces[face::theta_l_flux];
  const auto& subgrid = last.faces[face::theta_l_subgrid];
  const double height = last.numbers[series::inversion];
  const double scale = std::cbrt(gravity / offset * what.theta_flux * height); // w_*, m/s
  // The band is that of a layer with a jump at its top, where the flux is least.
  all.push_back({"height of the least heat flux, m", least_flux_height(base, last), 930, 1040});
  double least = 0, bend = 0, most = 0, where = 0;
  for (std::size_t k = 0; k < flux.size(); ++k)
    least = std::min(least, (flux[k] + subgrid[k]) / what.theta_flux);
  all.push_back({"least heat flux / flux at the ground", least, -0.25, -0.10});
  // Straight from the ground to 0.8 z_i: against the line of least squares through the ground's value.
  double products = 0, squares = 0;
  for (std::size_t k = 1; k < flux.size() && base.face[k] < 0.8 * height; ++k) {
    products += base.face[k] * ((flux[k] + subgrid[k]) / what.theta_flux - 1);
    squares += base.face[k] * base.face[k];
  }
  for (std::size_t k = 1; k < flux.size() && base.face[k] < 0.8 * height; ++k)
    bend = std::max(
        bend, std::abs((flux[k] + subgrid[k]) / what.theta_flux - 1 - products / squares * base.face[k]));
  all.push_back({"largest bend of the heat flux below 0.8 z_i", bend, 0, 0.03});
  const auto& variance = last.faces[face::w_variance];
  for (std::size_t k = 0; k < variance.size(); ++k) {
    if (variance[k] <= most) continue;
    most = variance[k];
    where = base.face[k];
  }
  all.push_back({"largest variance of w / w_*^2", most / (scale * scale), 0.35, 0.50});
  all.push_back({"where it is, z / z_i", where / height, 0.25, 0.45});
}

void check_profiles(const std::vector<Comparison>& profiles, std::vector<Check>& all) {
  if (profiles.empty()) return;
  const auto share = [&](auto counts) {
    return static_cast<double>(std::ranges::count_if(profiles, counts)) /
           static_cast<double>(profiles.size());
  };
  all.push_back({"share of the published table within 2 standard deviations",
                 share([](const Comparison& row) { return row.inside(); }), 0.9, 1});
  all.push_back({"share of it within 1", share([](const Comparison& row) { return row.near(); }), 0.5, 1});
}

/// The largest difference between theta and its mirror along x.
double asymmetry(const Snapshot& end) {
  const auto [nx, ny, nz] = end.cells;
  double most = 0;
  for (std::int64_t row = 0; row < ny * nz; ++row)
    for (std::int64_t x = 0; x < nx; ++x)
      most = std::max(most, std::abs(end.th[static_cast<std::size_t>(row * nx + x)] -
                                     end.th[static_cast<std::size_t>(row * nx + nx - 1 - x)]));
  return most;
}

void check_bubble(const Case&, const BaseState&, const Snapshot& end, std::vector<Check>& all) {
  if (end.time < 999) return;
  all.push_back({"asymmetry of theta, K", asymmetry(end), 0, 1e-9});
  all.push_back({"largest theta', K", *std::ranges::max_element(end.th), 1.92, 2.22});
  all.push_back({"largest w, m/s", *std::ranges::max_element(end.w), 13.7, 15.3});
  all.push_back({"least w, m/s", *std::ranges::min_element(end.w), -9.4, -7.8});
}

void check_moist_bubble(const Case&, const BaseState&, const Snapshot& end, std::vector<Check>& all) {
  if (end.time < 999) return;
  all.push_back({"asymmetry of theta_l, K", asymmetry(end), 0, 1e-9});
  all.push_back({"largest w, m/s", *std::ranges::max_element(end.w), 14.1, 17.3});
}

void check_density(const Case& what, const BaseState& base, const Snapshot& end, std::vector<Check>& all) {
  if (end.time < 899) return;
  all.push_back({"front, m", front(what, end), 15000, 15800});
  all.push_back({"least theta', K", *std::ranges::min_element(end.th), -11, -9});
  all.push_back({"rotors on each side", static_cast<double>(rotors(what, base, end)), 3, 3});
}

void check_wave(const Case& what, const BaseState& base, const Snapshot& end, std::vector<Check>& all) {
  if (end.time > 2999 && what.size[0] / static_cast<double>(end.cells[0]) < 251)
    all.push_back({"amplitude of the wave, relative error", wave_error(what, base, end).amplitude, 0, 0.03});
}

/// What looks at the last state of a case; null: nothing does.
auto check_of_end(const Case& what) -> decltype(&check_wave) {
  if (what.name == "bubble") return check_bubble;
  if (what.name == "moist_bubble") return check_moist_bubble;
  if (what.name == "density") return check_density;
  if (what.name == "wave") return check_wave;
  return nullptr;
}

} // namespace

std::string Check::line() const {
  char text[200];
  std::snprintf(text, sizeof text, "%-58s %12.5g   from %g to %g%s", what.c_str(), value, least, most,
                good() ? "" : "   MISSED");
  return text;
}

bool checks_end(const Case& what) {
  return check_of_end(what) != nullptr;
}

double least_flux_height(const BaseState& base, const Sample& mean) {
  double least = 0, height = 0;
  for (std::size_t k = 0; k < base.face.size(); ++k) {
    const double flux = mean.faces[face::theta_l_flux][k] + mean.faces[face::theta_l_subgrid][k];
    if (flux >= least) continue;
    least = flux;
    height = base.face[k];
  }
  return height;
}

double heat_budget(const Case& what, const BaseState& base, const History& history) {
  const Sample &first = history.samples().front(), &last = history.samples().back();
  double gained = 0;
  for (std::size_t k = 0; k < base.levels(); ++k)
    gained += base.density[k] * base.height[k] *
              (last.centres[centre::theta_l][k] - first.centres[centre::theta_l][k]);
  const double given = base.face_density[0] * what.theta_flux * (last.time - first.time);
  return std::abs(gained / given - 1);
}

double front(const Case& what, const Snapshot& end) {
  const std::int64_t n = end.cells[0];
  const double width = what.size[0] / static_cast<double>(n);
  for (std::int64_t x = n - 2; x >= n / 2; --x) {
    const double near = end.th[static_cast<std::size_t>(x)], far = end.th[static_cast<std::size_t>(x + 1)];
    if (near <= -1 && far > -1)
      return (static_cast<double>(x) + 0.5 + (-1 - near) / (far - near)) * width - what.size[0] / 2;
  }
  return 0;
}

int rotors(const Case& what, const BaseState& base, const Snapshot& end) {
  constexpr double around = 500; // m
  const std::int64_t n = end.cells[0], levels = end.cells[2];
  const double width = what.size[0] / static_cast<double>(n);
  const auto place = [n](std::int64_t x, std::int64_t k) { return static_cast<std::size_t>(x + n * k); };
  std::vector<double> below(static_cast<std::size_t>(n * levels)); // flux below the upper face of a level
  for (std::int64_t k = 0; k < levels; ++k)
    for (std::int64_t x = 0; x < n; ++x) {
      const auto level = static_cast<std::size_t>(k);
      below[place(x, k)] = (k == 0 ? 0 : below[place(x, k - 1)]) +
                           base.density[level] * base.height[level] *
                               end.u[static_cast<std::size_t>(x + n * end.cells[1] * k)];
    }
  const auto reach_x = static_cast<std::int64_t>(around / width);
  const auto largest_around = [&](std::int64_t x, std::int64_t k) {
    const double height = base.face[static_cast<std::size_t>(k + 1)];
    for (std::int64_t j = 0; j < levels; ++j) {
      if (std::abs(base.face[static_cast<std::size_t>(j + 1)] - height) > around) continue;
      for (std::int64_t i = x - reach_x; i <= x + reach_x; ++i)
        if ((i != x || j != k) && below[place(i, j)] >= below[place(x, k)]) return false;
    }
    return height > around && height < base.face.back() - around;
  };
  int count = 0;
  for (std::int64_t k = 0; k < levels; ++k)
    for (std::int64_t x = n / 2; x < n - reach_x; ++x)
      count += largest_around(x, k) ? 1 : 0;
  return count;
}

WaveError wave_error(const Case& what, const BaseState& base, const Snapshot& end) {
  using Complex = std::complex<double>;
  const std::int64_t n = end.cells[0];
  const double length = what.size[0], width = length / static_cast<double>(n), pi = std::numbers::pi;
  std::vector<Complex> modes(static_cast<std::size_t>(n));
  const auto x_of = [&](std::int64_t i) { return (static_cast<double>(i) + 0.5) * width; };
  std::vector<double> exact(static_cast<std::size_t>(n), 0);
  for (std::int64_t m = 0; m < n; ++m) {
    const double wave = 2 * pi / length * static_cast<double>(m <= n / 2 ? m : m - n);
    Complex& mode = modes[static_cast<std::size_t>(m)];
    for (std::int64_t i = 0; i < n; ++i)
      mode += what.theta_bump(x_of(i), 0, what.size[2] / 2) * std::exp(Complex(0, -wave * x_of(i)));
    const double frequency = 0.01 * std::abs(wave) / std::hypot(wave, pi / what.size[2]);
    mode *= std::cos(frequency * end.time) / static_cast<double>(n) *
            std::exp(Complex(0, -wave * what.u.at(0) * end.time));
    for (std::int64_t i = 0; i < n; ++i)
      exact[static_cast<std::size_t>(i)] += (mode * std::exp(Complex(0, wave * x_of(i)))).real();
  }
  double error = 0, sum = 0, most = 0, most_exact = 0;
  for (std::int64_t k = 0; k < end.cells[2]; ++k) {
    const double shape = std::sin(pi * base.centre[static_cast<std::size_t>(k)] / what.size[2]);
    for (std::int64_t i = 0; i < n; ++i) {
      const double value = end.th[static_cast<std::size_t>(i + n * end.cells[1] * k)] -
                           (base.theta[static_cast<std::size_t>(k)] - offset);
      const double wanted = shape * exact[static_cast<std::size_t>(i)];
      error += (value - wanted) * (value - wanted);
      sum += wanted * wanted;
      most = std::max(most, value);
      most_exact = std::max(most_exact, wanted);
    }
  }
  return {std::sqrt(error / sum), std::abs(most / most_exact - 1)};
}

std::vector<Check> checks(const Case& what, const BaseState& base, const History& history,
                          const Published& published, const Snapshot& end, bool single) {
  std::vector<Check> all;
  if (what.name == "cbl") check_layer(what, base, history, single, all);
  check_profiles(published.profiles, all);
  for (const Comparison& row : published.numbers)
    all.push_back({row.quantity + ", " + row.units, row.value, row.least, row.most});
  if (const auto check = check_of_end(what)) check(what, base, end, all);
  return all;
}

} // namespace clouds
