// SPDX-License-Identifier: Apache-2.0
#include "input.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "constants.hpp"
#include "heddle/core/error.hpp"
#if defined(HEDDLE_EXAMPLES_NETCDF)
#include <netcdf.h>
#endif

namespace front {

#if defined(HEDDLE_EXAMPLES_NETCDF)

namespace {

constexpr double largest = 1e30; // of values of a file; NetCDF's fill values lie above it
using Values = std::vector<double>;
using Extents = std::vector<std::size_t>; // the slowest first

std::string to_text(const Extents& extents) {
  std::string text;
  for (const std::size_t n : extents)
    text += (text.empty() ? "" : " x ") + std::to_string(n);
  return text.empty() ? "one number" : text;
}

/// A file whose variables have the times in it as their first dimension, or none.
class WrfFile {
public:
  explicit WrfFile(std::filesystem::path name) : name_(std::move(name)) {
    const int status = nc_open(name_.c_str(), NC_NOWRITE, &id_);
    if (status != NC_NOERR)
      throw heddle::Error("file '" + name_.string() + "'",
                          std::string("it cannot be read: ") + nc_strerror(status), "check its name");
  }
  ~WrfFile() { nc_close(id_); }
  WrfFile(const WrfFile&) = delete;
  WrfFile& operator=(const WrfFile&) = delete;

  [[noreturn]] void refuse(const std::string& variable, const std::string& reason, const char* hint) const {
    throw heddle::Error("file '" + name_.string() + "', variable " + variable, reason, hint);
  }

  /// A variable at the first time.
  Values read(const char* variable, const Extents& extents) const {
    int id = 0, rank = 0;
    if (nc_inq_varid(id_, variable, &id) != NC_NOERR)
      refuse(variable, "it is missing", "write it, or leave --input out");
    nc_inq_varndims(id_, id, &rank);
    std::vector<int> dimensions(static_cast<std::size_t>(rank));
    nc_inq_vardimid(id_, id, dimensions.data());
    Extents found;
    for (const int dimension : dimensions)
      nc_inq_dimlen(id_, dimension, &found.emplace_back());
    Extents start(found.size(), 0), count = found;
    if (found.size() == extents.size() + 1 && found.front() > 0) {
      found.erase(found.begin());
      count.front() = 1;
    }
    if (found != extents)
      refuse(variable, "its shape is " + to_text(found) + ", and " + to_text(extents) + " is needed",
             "give --size the cells along x and y and the levels of the file");
    std::size_t all = 1;
    for (const std::size_t n : extents)
      all *= n;
    Values values(all);
    const int status = nc_get_vara_double(id_, id, start.data(), count.data(), values.data());
    if (status != NC_NOERR)
      refuse(variable, std::string("it cannot be read: ") + nc_strerror(status), "it must hold numbers");
    const auto bad = std::ranges::find_if(values, [](double value) { return !std::isfinite(value); });
    if (bad != values.end())
      refuse(variable, "value " + std::to_string(bad - values.begin()) + " is not finite",
             "use finite numbers");
    const auto missing = std::ranges::find_if(values, [](double value) { return std::abs(value) > largest; });
    if (missing != values.end())
      refuse(variable, "value " + std::to_string(missing - values.begin()) + " is larger than 1e30",
             "fill each cell: NetCDF writes 9.97e36 where a value is missing");
    return values;
  }
  /// A variable that the file has in two parts.
  Values sum(const char* part, const char* base, const Extents& extents) const {
    Values values = read(part, extents);
    const Values more = read(base, extents);
    std::ranges::transform(values, more, values.begin(), std::plus<>());
    return values;
  }

  /// One value per level. most(value of the level): how much it may vary along it.
  template <class F>
  Values level_means(const char* variable, const Values& values, std::size_t levels, const char* unit,
                     F most) const {
    const std::size_t cells = values.size() / levels;
    Values means;
    for (std::size_t k = 0; k < levels; ++k) {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(k * cells);
      const auto [low, high] = std::minmax_element(first, first + static_cast<std::ptrdiff_t>(cells));
      double sum = 0; // of what lies beyond the lowest: exact where all are alike
      for (auto value = first; value != first + static_cast<std::ptrdiff_t>(cells); ++value)
        sum += *value - *low;
      means.push_back(*low + sum / static_cast<double>(cells));
      if (*high - *low > most(k, means.back()))
        refuse(variable,
               "it varies along level " + std::to_string(k) + " from " + std::to_string(*low) + " to " +
                   std::to_string(*high) + unit,
               "levels, mass and wind are the same in all columns here: use an ideal case without hills");
    }
    return means;
  }

private:
  std::filesystem::path name_;
  int id_ = -1;
};

Levels levels_of(const WrfFile& file, const Extents& n, const Sounding& sounding) {
  const std::size_t n_z = n[0], n_y = n[1], n_x = n[2];
  const auto relative = [](double share) { return [share](std::size_t, double v) { return share * v; }; };
  const auto fixed = [](double most) { return [most](std::size_t, double) { return most; }; };
  const Values phi = file.sum("PH", "PHB", {n_z + 1, n_y, n_x});
  Values faces = file.level_means("PH + PHB", phi, n_z + 1, " m2 s-2", fixed(1e30));
  file.level_means("PH + PHB", phi, n_z + 1, " m2 s-2", [&](std::size_t k, double) {
    return 0.05 * std::abs(k == 0 ? faces[1] - faces[0] : faces[k] - faces[k - 1]);
  });
  Levels levels;
  levels.pressure =
      file.level_means("P + PB", file.sum("P", "PB", {n_z, n_y, n_x}), n_z, " Pa", relative(0.01));
  const double mass =
      file.level_means("MU + MUB", file.sum("MU", "MUB", {n_y, n_x}), 1, " Pa", relative(0.01))[0];
  const Values eta = file.read("ZNW", {n_z + 1});
  const double top = file.read("P_TOP", {})[0];
  levels.u = file.level_means("U", file.read("U", {n_z, n_y, n_x + 1}), n_z, " m/s", fixed(0.5));
  levels.v = file.level_means("V", file.read("V", {n_z, n_y + 1, n_x}), n_z, " m/s", fixed(0.5));
  for (const double w : file.read("W", {n_z + 1, n_y, n_x}))
    if (std::abs(w) > 1e-3)
      file.refuse("W", "it is " + std::to_string(w) + " m/s",
                  "use 0: the front makes the ascent here (--ascent)");
  for (std::size_t k = 0; k <= n_z; ++k) {
    levels.face_height.push_back((faces[k] - faces[0]) / gravity);
    levels.face_pressure.push_back(top + mass * eta[k]);
  }
  for (std::size_t k = 0; k < n_z; ++k) {
    levels.thickness.push_back(levels.face_height[k + 1] - levels.face_height[k]);
    levels.height.push_back((levels.face_height[k + 1] + levels.face_height[k]) / 2);
    levels.mass.push_back((levels.face_pressure[k] - levels.face_pressure[k + 1]) / gravity);
    levels.density.push_back(levels.mass[k] / levels.thickness[k]);
    levels.exner.push_back(std::pow(levels.pressure[k] / 1e5, gas_dry / heat_dry));
    levels.theta.push_back(sounding.at(sounding.theta, levels.height[k]));
    levels.vapour.push_back(sounding.at(sounding.vapour, levels.height[k]));
    levels.rdnw.push_back(-(levels.face_pressure.front() - levels.face_pressure.back()) /
                          (gravity * levels.mass[k]));
  }
  for (std::size_t k = 0; k < n_z; ++k) { // where the levels are refused, the file should be named
    if (!(levels.thickness[k] > 0))
      file.refuse("PH + PHB", "face " + std::to_string(k + 1) + " does not lie above the one below",
                  "order levels from the ground up");
    if (!(levels.mass[k] > 0))
      file.refuse("ZNW", "level " + std::to_string(k) + " has no mass",
                  "eta falls from 1 to 0, and MU + MUB is positive");
    if (!(levels.pressure[k] > 0))
      file.refuse("P + PB", "it is " + std::to_string(levels.pressure[k]) + " Pa", "it must be positive");
  }
  return levels;
}

} // namespace

Input read_input(const std::filesystem::path& name, const Options& options, const Sounding& sounding) {
  constexpr double base_theta = 300; // K, of T in WRF
  const WrfFile file(name);
  const Extents n{static_cast<std::size_t>(options.size[2]), static_cast<std::size_t>(options.size[1]),
                  static_cast<std::size_t>(options.size[0])};
  Input input;
  std::vector<const char*> names{"T", "QVAPOR", "QCLOUD", "QRAIN"};
  if (options.scheme == Scheme::wsm5) names.insert(names.end(), {"QICE", "QSNOW"});
  for (std::size_t number = 0; number < names.size(); ++number) {
    const double base = number == Tracer::theta ? base_theta : 0;
    std::vector<float>& tracer = input.tracers.emplace_back();
    for (const double value : file.read(names[number], n)) {
      tracer.push_back(static_cast<float>(base + value));
      if (base + value < 0 || (base > 0 && base + value <= 0))
        file.refuse(names[number], "it is " + std::to_string(value),
                    base > 0 ? "potential temperature, T + 300 K, must be positive"
                             : "use 0 where there is none");
      if (base == 0 && value > most_water)
        file.refuse(names[number], "it is " + std::to_string(value) + " kg/kg", "a tenth of the air at most");
    }
  }
  input.levels = levels_of(file, n, sounding);
  const std::vector<float>& theta = input.tracers[Tracer::theta];
  for (std::size_t cell = 0; cell < theta.size(); ++cell) {
    const double kelvin = static_cast<double>(theta[cell]) * input.levels.exner[cell / (n[1] * n[2])];
    if (kelvin < coldest || kelvin > warmest)
      file.refuse(
          "T", "value " + std::to_string(cell) + " makes a temperature of " + std::to_string(kelvin) + " K",
          "it must lie between 100 and 400: T is potential temperature - 300 K");
  }
  return input;
}

#else

Input read_input(const std::filesystem::path& name, const Options&, const Sounding&) {
  throw heddle::Error("file '" + name.string() + "'", "this program was built without NetCDF",
                      "install it (Debian: libnetcdf-dev) and configure again");
}

#endif

} // namespace front
