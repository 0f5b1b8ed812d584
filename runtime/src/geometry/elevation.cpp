// SPDX-License-Identifier: Apache-2.0
#include "heddle/geometry/elevation.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <string_view>
#include <utility>

#include "bytes.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/number_text.hpp"
#include "heddle/core/size.hpp"
#include "heddle/geometry/npy.hpp"

namespace heddle::geometry {
namespace {

constexpr double largest_degree_cell =
    0.1; // a cell of 10 cm is no elevation model: such a size is in degrees
constexpr std::int64_t fewest_cells = 2;

std::string place(const std::filesystem::path& path) {
  return "elevation model '" + path.string() + "'";
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// What a height may be, m: the ground of no planet lies beyond. Files mark gaps with numbers far outside.
constexpr double lowest_ground = -12'000; // the deepest sea has 10 935 m
constexpr double highest_ground = 100'000;

/// Throws where a height is neither a gap (NaN) nor that of some ground; row 0 of the model is in the south.
void require_heights(const Elevation& model) {
  const auto wrong = std::ranges::find_if(
      model.height, [](double z) { return !std::isnan(z) && !(z >= lowest_ground && z <= highest_ground); });
  if (wrong == model.height.end()) return;
  const std::int64_t n = wrong - model.height.begin();
  throw Error(place(model.source),
              "the height at row " + std::to_string(model.rows - 1 - n / model.columns) + ", column " +
                  std::to_string(n % model.columns) + " (from the north-west corner, from 0) is " +
                  number_text(*wrong) + " m",
              "if it stands for a missing height, say so: NODATA_value of an .asc, NaN in an array");
}

Elevation from_array(Array array, const std::filesystem::path& path) {
  if (array.shape.size() != 2 || array.shape[0] < fewest_cells || array.shape[1] < fewest_cells) {
    std::string shape;
    for (const std::int64_t extent : array.shape)
      shape += (shape.empty() ? "" : " x ") + std::to_string(extent);
    throw Error(place(path), "the heights have the shape (" + shape + ")",
                "give a two-dimensional array, rows from north to south, at least 2 x 2");
  }
  Elevation model;
  model.rows = array.shape[0];
  model.columns = array.shape[1];
  model.source = path.string();
  model.height = std::move(array.values);
  for (std::int64_t row = 0; row < model.rows / 2; ++row) { // south up
    const auto from = model.height.begin() + row * model.columns;
    std::swap_ranges(from, from + model.columns,
                     model.height.begin() + (model.rows - 1 - row) * model.columns);
  }
  require_heights(model);
  return model;
}

void set_cell_size(Elevation& model, double x, double y, std::optional<double> latitude) {
  if (!(x > 0) || !(y > 0) || !std::isfinite(x) || !std::isfinite(y))
    throw Error(place(model.source), "the cell size is missing or not positive",
                "give it in metres, west-east and north-south (--data-cell 30,30)");
  const DegreeLength degree = latitude ? degree_length(*latitude) : DegreeLength{1, 1};
  model.cell_x = x * degree.longitude;
  model.cell_y = y * degree.latitude;
}

std::optional<double> middle_latitude(double first, double second) {
  const bool valid = std::abs(first) <= 90 && std::abs(second) <= 90;
  return valid ? std::optional<double>((first + second) / 2) : std::nullopt;
}

Elevation read_npz_elevation(const std::filesystem::path& path, CellSize cell) {
  const std::vector<ArrayInfo> arrays = npz_arrays(path);
  const auto has = [&](std::string_view name) {
    return std::ranges::find(arrays, name, &ArrayInfo::name) != arrays.end();
  };
  const auto scalar = [&](const std::string& name) {
    const Array value = read_npz(path, name);
    if (value.values.size() != 1)
      throw Error(place(path), "'" + name + "' is not a scalar", "store a single number");
    return value.values[0];
  };
  Elevation model;
  if (has("elevation")) {
    model = from_array(read_npz(path, "elevation"), path);
  } else {
    std::vector<std::string> planes;
    for (const ArrayInfo& array : arrays)
      if (array.shape && array.shape->size() == 2) planes.push_back(array.name);
    if (planes.size() != 1)
      throw Error(place(path),
                  "it has no array 'elevation', but " + std::to_string(planes.size()) +
                      " two-dimensional arrays",
                  "name the array of heights 'elevation'");
    model = from_array(read_npz(path, planes[0]), path);
  }
  double x = cell.x;
  double y = cell.y;
  std::optional<double> latitude;
  if (x == 0 && has("dx") && has("dy")) {
    x = std::abs(scalar("dx"));
    y = std::abs(scalar("dy"));
    if (x < largest_degree_cell && has("ymin") && has("ymax"))
      latitude = middle_latitude(scalar("ymin"), scalar("ymax"));
  }
  set_cell_size(model, x, y, latitude);
  return model;
}

/// Splits the text of an ASCII grid into words without copying it.
class Words {
public:
  explicit Words(Bytes bytes) : text_(reinterpret_cast<const char*>(bytes.data()), bytes.size()) {}

  std::string_view next() {
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t start = std::min(text_.find_first_not_of(blanks), text_.size());
    const std::size_t end = std::min(text_.find_first_of(blanks, start), text_.size());
    const std::string_view word = text_.substr(start, end - start);
    text_.remove_prefix(end);
    return word;
  }

private:
  std::string_view text_;
};

std::optional<double> number(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0;
  const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (status != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

constexpr std::array<std::string_view, 10> header_words{"ncols",     "nrows",       "xllcorner", "yllcorner",
                                                        "xllcenter", "yllcenter",   "cellsize",  "dx",
                                                        "dy",        "nodata_value"};

std::string known_words() {
  std::string text = "one of";
  for (const std::string_view word : header_words)
    text.append(" ").append(word);
  return text;
}

Elevation read_ascii_grid(const std::filesystem::path& path, CellSize cell) {
  const std::vector<std::uint8_t> bytes = read_file(path);
  Words words(bytes);
  std::map<std::string, double, std::less<>> header;
  std::string_view word = words.next();
  while (!word.empty() && !number(word)) {
    const std::string key = lower_case(std::string(word));
    if (std::ranges::find(header_words, key) == header_words.end())
      throw Error(place(path), "header entry '" + key.substr(0, 20) + "' is not known", known_words());
    const std::optional<double> value = number(words.next());
    if (!value || !(std::isfinite(*value) || (std::isnan(*value) && key == "nodata_value")))
      throw Error(place(path), "header entry '" + key + "' has no number", "see the ESRI ASCII grid format");
    if (!header.emplace(key, *value).second)
      throw Error(place(path), "header entry '" + key + "' stands there twice", "remove the wrong one");
    word = words.next();
  }
  for (const auto& [corner, centre] :
       {std::pair("xllcorner", "xllcenter"), std::pair("yllcorner", "yllcenter")})
    if (header.contains(corner) && header.contains(centre))
      throw Error(place(path), std::string("its header has both '") + corner + "' and '" + centre + "'",
                  "remove the wrong one");
  const auto get = [&](std::string_view key) {
    const auto found = header.find(key);
    return found == header.end() ? std::optional<double>{} : std::optional<double>(found->second);
  };
  const auto extent = [&](std::string_view key) {
    const std::optional<double> value = get(key);
    if (!value || !(*value >= static_cast<double>(fewest_cells)) || *value > 1e6 ||
        *value != std::floor(*value))
      throw Error(
          place(path), "its header has no valid '" + std::string(key) + "'",
          "an ESRI ASCII grid starts with ncols, nrows, xllcorner, yllcorner, cellsize, NODATA_value");
    return static_cast<std::int64_t>(*value);
  };
  Array array;
  array.shape = {extent("nrows"), extent("ncols")};
  const double missing = get("nodata_value").value_or(-9999);
  const auto count = static_cast<std::size_t>(array.shape[0] * array.shape[1]); // extents are below 10^6
  // Two characters are the least that a height takes: a header that promises more must not make us allocate
  // it.
  if (count > bytes.size() / 2 + 1)
    throw Error(place(path), "the file is too short for " + std::to_string(count) + " heights",
                "the file is incomplete: copy it again");
  array.values.reserve(count);
  for (; !word.empty(); word = words.next()) {
    const std::optional<double> value = number(word);
    const std::size_t n = array.values.size();
    const auto columns = static_cast<std::size_t>(array.shape[1]);
    if (!value)
      throw Error(place(path),
                  "'" + std::string(word.substr(0, 20)) + "' at row " + std::to_string(n / columns) +
                      ", column " + std::to_string(n % columns) + " is not a number",
                  "correct this entry; rows and columns count from 0 at the north-west corner");
    if (n == count)
      throw Error(place(path), "the file has more than nrows x ncols heights", "correct its header");
    array.values.push_back(*value == missing ? std::numeric_limits<double>::quiet_NaN() : *value);
  }
  if (array.values.size() < count)
    throw Error(place(path),
                "it ends after " + std::to_string(array.values.size()) + " of " + std::to_string(count) +
                    " heights",
                "the file is incomplete: copy it again");

  Elevation model = from_array(std::move(array), path);
  double x = cell.x;
  double y = cell.y;
  std::optional<double> latitude;
  if (x == 0) {
    x = get("dx").value_or(get("cellsize").value_or(0));
    y = get("dy").value_or(get("cellsize").value_or(0));
    const std::optional<double> west = get("xllcorner") ? get("xllcorner") : get("xllcenter");
    const std::optional<double> south = get("yllcorner") ? get("yllcorner") : get("yllcenter");
    if (x < largest_degree_cell && west && south && std::abs(*west) <= 360)
      latitude = middle_latitude(*south, *south + y * static_cast<double>(model.rows));
  }
  set_cell_size(model, x, y, latitude);
  return model;
}

/// Bilinear between cell centres; `x`, `y` in metres from the south-west corner.
double sample(const Elevation& model, double x, double y) {
  const double u = std::clamp(x / model.cell_x - 0.5, 0.0, static_cast<double>(model.columns - 1));
  const double v = std::clamp(y / model.cell_y - 0.5, 0.0, static_cast<double>(model.rows - 1));
  const std::int64_t i = std::min(static_cast<std::int64_t>(u), model.columns - 2);
  const std::int64_t j = std::min(static_cast<std::int64_t>(v), model.rows - 2);
  const double s = u - static_cast<double>(i);
  const double t = v - static_cast<double>(j);
  double height = 0;
  for (int corner = 0; corner < 4; ++corner) {
    const int east = corner & 1;
    const int north = corner >> 1;
    const double weight = (east == 1 ? s : 1 - s) * (north == 1 ? t : 1 - t);
    if (weight == 0) continue; // a corner that does not count may lack data
    const double value = model.at(i + east, j + north);
    if (!std::isfinite(value))
      throw Error(place(model.source),
                  "the height is missing (NaN or NODATA) at row " +
                      std::to_string(model.rows - 1 - (j + north)) + ", column " + std::to_string(i + east) +
                      " (from the north-west corner, from 0)",
                  "fill the gap, or move the window away from it (--window)");
    height += weight * value;
  }
  return height;
}

void require_inside(const Elevation& model, const Window& window) {
  const double along = window.length / 2;
  const double across = window.width / 2;
  const double c = std::cos(window.angle);
  const double s = std::sin(window.angle);
  const double half_x = std::abs(along * c) + std::abs(across * s);
  const double half_y = std::abs(along * s) + std::abs(across * c);
  const struct {
    const char* side;
    double excess;
  } sides[] = {{"west", half_x - window.centre_x},
               {"east", window.centre_x + half_x - model.width()},
               {"south", half_y - window.centre_y},
               {"north", window.centre_y + half_y - model.depth()}};
  for (const auto& [side, excess] : sides)
    if (!(excess <= 1e-6 * (model.width() + model.depth())))
      throw Error(place(model.source),
                  "the window extends beyond the file's area by " + std::to_string(std::lround(excess)) +
                      " m in the " + side,
                  "the area is " + std::to_string(std::lround(model.width())) + " m west-east by " +
                      std::to_string(std::lround(model.depth())) +
                      " m south-north: choose a smaller --window, "
                      "margins included");
}

} // namespace

DegreeLength degree_length(double latitude_degrees) {
  const double phi = latitude_degrees * std::numbers::pi / 180;
  return {111132.92 - 559.82 * std::cos(2 * phi) + 1.175 * std::cos(4 * phi) - 0.0023 * std::cos(6 * phi),
          111412.84 * std::cos(phi) - 93.5 * std::cos(3 * phi) + 0.118 * std::cos(5 * phi)};
}

Elevation read_elevation(const std::filesystem::path& path, CellSize cell) {
  const std::string suffix = lower_case(path.extension().string());
  if (suffix == ".npz") return read_npz_elevation(path, cell);
  if (suffix == ".asc") return read_ascii_grid(path, cell);
  if (suffix == ".npy") {
    Elevation model = from_array(read_npy(path), path);
    set_cell_size(model, cell.x, cell.y, std::nullopt);
    return model;
  }
  throw Error(place(path), "unknown suffix '" + suffix + "'", "use .npz, .npy or .asc");
}

HeightMap resample(const Elevation& model, const Window& window, double cell) {
  require_inside(model, window);
  HeightMap map;
  map.cell = cell;
  map.nx = nearest_count(window.length / cell);
  map.ny = nearest_count(window.width / cell);
  if (map.nx < 4 || map.ny < 4)
    throw Error(place(model.source), "the window holds fewer than 4 cells along a side",
                "choose a larger --window or a smaller --cell-size");
  const std::int64_t heights =
      require_size({place(model.source), "heights of the grid", {map.nx, map.ny}, sizeof(double)},
                   memory_limit(), "choose a smaller --window or a larger --cell-size");
  map.height.resize(static_cast<std::size_t>(heights));
  const int parts = std::max(1, static_cast<int>(std::lround(cell / std::min(model.cell_x, model.cell_y))));
  const double c = std::cos(window.angle);
  const double s = std::sin(window.angle);
  for (std::int64_t j = 0; j < map.ny; ++j)
    for (std::int64_t i = 0; i < map.nx; ++i) {
      double sum = 0;
      for (int b = 0; b < parts; ++b)
        for (int a = 0; a < parts; ++a) {
          const double x =
              (static_cast<double>(i) + (a + 0.5) / parts - static_cast<double>(map.nx) / 2) * cell;
          const double y =
              (static_cast<double>(j) + (b + 0.5) / parts - static_cast<double>(map.ny) / 2) * cell;
          sum += sample(model, window.centre_x + c * x - s * y, window.centre_y + s * x + c * y);
        }
      map.at(i, j) = sum / (parts * parts);
    }
  return map;
}

void blend_edges(HeightMap& map, Margins margins, double base) {
  const auto weight = [](double distance, double margin) {
    if (margin <= 0 || distance >= margin) return 1.0;
    return (1 - std::cos(std::numbers::pi * distance / margin)) / 2;
  };
  const double length = static_cast<double>(map.nx) * map.cell;
  const double width = static_cast<double>(map.ny) * map.cell;
  for (std::int64_t j = 0; j < map.ny; ++j)
    for (std::int64_t i = 0; i < map.nx; ++i) {
      const double x = (static_cast<double>(i) + 0.5) * map.cell;
      const double y = (static_cast<double>(j) + 0.5) * map.cell;
      const double w = weight(x, margins.upstream) * weight(length - x, margins.downstream) *
                       weight(y, margins.side) * weight(width - y, margins.side);
      map.at(i, j) = base + w * (map.at(i, j) - base);
    }
}

} // namespace heddle::geometry
