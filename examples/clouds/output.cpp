// SPDX-License-Identifier: Apache-2.0
#include "output.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "heddle/core/error.hpp"
#include "heddle/core/hash.hpp"
#include "netcdf_writer.hpp"

namespace clouds {
namespace {

constexpr const char* spread_suffix = "_spread";

/// A text file that is being written.
class Lines {
public:
  explicit Lines(const std::filesystem::path& file) : file_(file), stream_(file) {}
  void text(const std::string& words) { stream_ << words; }
  /// Nothing for NaN: there is no such value.
  void number(double value) {
    if (std::isnan(value)) return;
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.9g", value);
    stream_ << digits;
  }
  /// A column per row, or two, after those before.
  template <class Rows> void heads(const Rows& rows, bool with_spread) {
    for (const Row& row : rows) {
      text(std::string(",") + row.name);
      if (with_spread) text(std::string(",") + row.name + spread_suffix);
    }
  }
  void values(double value, const double* spread) {
    text(",");
    number(value);
    if (spread == nullptr) return;
    text(",");
    number(*spread);
  }
  void close() {
    stream_.close();
    if (!stream_)
      throw heddle::Error("file '" + file_.string() + "'", "it cannot be written",
                          "check the folder, its permissions and the free space");
  }

private:
  std::filesystem::path file_;
  std::ofstream stream_;
};

/// Numbers of a sample in a fixed order.
template <class Visit> void for_numbers(Sample& sample, Visit visit) {
  visit(sample.time);
  for (double& value : sample.numbers)
    visit(value);
  for (auto& row : sample.centres)
    for (double& value : row)
      visit(value);
  for (auto& row : sample.faces)
    for (double& value : row)
      visit(value);
}

std::uint64_t checksum_of(const std::vector<double>& numbers) {
  heddle::Hash hash;
  hash.add(reinterpret_cast<const std::byte*>(numbers.data()), numbers.size() * sizeof(double));
  return hash.value();
}

} // namespace

void write_series(const History& history, const std::filesystem::path& file,
                  const std::vector<Sample>* spread) {
  Lines lines(file);
  lines.text("time_s");
  lines.heads(series::rows, spread != nullptr);
  lines.text("\n");
  for (std::size_t t = 0; t < history.samples().size(); ++t) {
    lines.number(history.samples()[t].time);
    for (std::size_t n = 0; n < series::count; ++n)
      lines.values(history.samples()[t].numbers[n], spread ? &(*spread)[t].numbers[n] : nullptr);
    lines.text("\n");
  }
  lines.close();
}

void write_profiles(const Sample& mean, const BaseState& base, const std::filesystem::path& file,
                    const Sample* spread) {
  Lines lines(file);
  lines.text("z_m,z_face_m");
  lines.heads(centre::rows, spread != nullptr);
  lines.heads(face::rows, spread != nullptr);
  lines.text("\n");
  for (std::size_t k = 0; k < base.levels(); ++k) {
    lines.number(base.centre[k]);
    lines.text(",");
    lines.number(base.face[k]);
    for (std::size_t n = 0; n < centre::count; ++n)
      lines.values(mean.centres[n][k], spread ? &spread->centres[n][k] : nullptr);
    for (std::size_t n = 0; n < face::count; ++n)
      lines.values(mean.faces[n][k], spread ? &spread->faces[n][k] : nullptr);
    lines.text("\n");
  }
  lines.close();
}

void save_history(const History& history, const std::filesystem::path& file) {
  std::vector<double> numbers;
  for (Sample sample : history.samples())
    for_numbers(sample, [&](double& value) { numbers.push_back(value); });
  const std::uint64_t checksum = checksum_of(numbers);
  const std::filesystem::path beside = file.string() + ".new";
  std::ofstream stream(beside, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(numbers.data()),
               static_cast<std::streamsize>(numbers.size() * sizeof(double)));
  stream.write(reinterpret_cast<const char*>(&checksum), sizeof checksum);
  stream.close();
  if (!stream)
    throw heddle::Error("file '" + beside.string() + "'", "it cannot be written",
                        "check the folder, its permissions and the free space");
  std::filesystem::rename(beside, file);
}

History read_history(const std::filesystem::path& file, const BaseState& base) {
  const auto refuse = [&](const char* reason) {
    throw heddle::Error("file '" + file.string() + "'", reason,
                        "it belongs to the checkpoint beside it: start again without --resume");
  };
  std::ifstream stream(file, std::ios::binary);
  if (!stream) refuse("it cannot be read");
  const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  std::uint64_t checksum = 0;
  if (bytes.size() % sizeof(double) != 0 || bytes.size() < sizeof checksum)
    refuse("it was truncated or changed");
  std::vector<double> numbers(bytes.size() / sizeof(double) - 1);
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(double));
  std::memcpy(&checksum, bytes.data() + numbers.size() * sizeof(double), sizeof checksum);
  if (checksum != checksum_of(numbers)) refuse("it was truncated or changed");
  Sample empty;
  for (auto& row : empty.centres)
    row.resize(base.levels());
  for (auto& row : empty.faces)
    row.resize(base.levels() + 1);
  std::size_t size = 0;
  for_numbers(empty, [&](double&) { ++size; });
  if (numbers.size() % size != 0) refuse("it is of another domain");
  History history;
  for (auto next = numbers.begin(); next != numbers.end();) {
    Sample sample = empty;
    for_numbers(sample, [&](double& value) { value = *next++; });
    history.add(std::move(sample));
  }
  return history;
}

#if defined(HEDDLE_EXAMPLES_NETCDF)

constexpr float no_value = NC_FILL_FLOAT; // in place of NaN

void write_netcdf(const History& history, const Case& what, const BaseState& base,
                  const std::filesystem::path& file, const std::vector<Sample>* spread) {
  example::NetcdfWriter out(file);
  out.dimension("t", 0);
  out.dimension("z", base.levels());
  out.dimension("z_face", base.levels() + 1);
  out.attribute("", "Conventions", "CF-1.8");
  out.attribute("", "title", what.title);
  out.attribute("", "source", "clouds, kernels generated by Heddle");
  out.variable("t", NC_DOUBLE, {"t"}, "s", "", "time since the start");
  out.attribute("t", "axis", "T");
  out.variable("z", NC_FLOAT, {"z"}, "m", "height", "height of the centres of levels");
  out.variable("z_face", NC_FLOAT, {"z_face"}, "m", "height", "height of the lower faces of levels");
  for (const char* const name : {"z", "z_face"}) {
    out.attribute(name, "axis", "Z");
    out.attribute(name, "positive", "up");
  }
  const auto define = [&](const auto& rows, nc_type type, const std::vector<std::string>& dimensions) {
    const auto add = [&](const std::string& name, const Row& row, const std::string& about) {
      out.variable(name, type, dimensions, row.units, "", about);
      if (type == NC_FLOAT) out.attribute(name, "_FillValue", no_value);
    };
    for (const Row& row : rows) {
      add(row.name, row, row.about);
      if (spread)
        add(row.name + std::string(spread_suffix), row,
            std::string("standard deviation over runs: ") + row.about);
    }
  };
  define(series::rows, NC_DOUBLE, {"t"});
  define(centre::rows, NC_FLOAT, {"t", "z"});
  define(face::rows, NC_FLOAT, {"t", "z_face"});
  out.end_definitions();
  const auto floats = [](const std::vector<double>& values) {
    std::vector<float> result(values.begin(), values.end());
    std::ranges::replace_if(result, [](float value) { return std::isnan(value); }, no_value);
    return result;
  };
  out.write("z", floats(base.centre));
  out.write("z_face", floats(base.face));
  const auto write = [&](std::size_t t, const Sample& sample, const std::string& suffix) {
    for (std::size_t n = 0; n < series::count; ++n)
      out.write(series::rows[n].name + suffix, t, sample.numbers[n]);
    for (std::size_t n = 0; n < centre::count; ++n)
      out.write(centre::rows[n].name + suffix, t, {base.levels()}, floats(sample.centres[n]));
    for (std::size_t n = 0; n < face::count; ++n)
      out.write(face::rows[n].name + suffix, t, {base.levels() + 1}, floats(sample.faces[n]));
  };
  for (std::size_t t = 0; t < history.samples().size(); ++t) {
    out.write("t", t, history.samples()[t].time);
    write(t, history.samples()[t], "");
    if (spread) write(t, (*spread)[t], spread_suffix);
  }
  out.close();
}

#else

void write_netcdf(const History&, const Case&, const BaseState&, const std::filesystem::path&,
                  const std::vector<Sample>*) {}

#endif

} // namespace clouds
