// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EXAMPLES_NETCDF_WRITER_HPP
#define HEDDLE_EXAMPLES_NETCDF_WRITER_HPP

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heddle/core/error.hpp"

#if defined(HEDDLE_EXAMPLES_NETCDF)
#include <netcdf.h>
#endif

namespace example {

#if defined(HEDDLE_EXAMPLES_NETCDF)

/// A NetCDF-4 file that a program writes: dimensions and variables first, then values. Each function throws
/// heddle::Error with the file where it fails.
class NetcdfWriter {
public:
  explicit NetcdfWriter(std::filesystem::path file) : file_(std::move(file)) {
    check(nc_create(file_.c_str(), NC_NETCDF4 | NC_CLOBBER, &id_));
  }
  ~NetcdfWriter() {
    if (id_ >= 0) nc_close(id_); // it is given up: whatever went wrong has been said
  }
  NetcdfWriter(const NetcdfWriter&) = delete;
  NetcdfWriter& operator=(const NetcdfWriter&) = delete;

  /// length: 0 for the one that grows.
  void dimension(const std::string& name, std::size_t length) {
    check(nc_def_dim(id_, name.c_str(), length == 0 ? NC_UNLIMITED : length, &dimensions_[name]));
  }
  /// type: NC_FLOAT, NC_DOUBLE, NC_INT. dimensions: their names, the fastest last. standard: a name of the CF
  /// conventions, or "".
  void variable(const std::string& name, nc_type type, const std::vector<std::string>& dimensions,
                const std::string& units, const std::string& standard, const std::string& about) {
    std::vector<int> ids;
    ids.reserve(dimensions.size());
    for (const std::string& one : dimensions)
      ids.push_back(dimensions_.at(one));
    check(nc_def_var(id_, name.c_str(), type, static_cast<int>(ids.size()), ids.data(), &variables_[name]));
    attribute(name, "units", units);
    if (!standard.empty()) attribute(name, "standard_name", standard);
    attribute(name, "long_name", about);
  }
  /// variable: "" for the file.
  void attribute(const std::string& variable, const char* name, const std::string& text) {
    check(nc_put_att_text(id_, id_of(variable), name, text.size(), text.c_str()));
  }
  void attribute(const std::string& variable, const char* name, std::span<const int> values) {
    check(nc_put_att_int(id_, id_of(variable), name, NC_INT, values.size(), values.data()));
  }
  void attribute(const std::string& variable, const char* name, float value) {
    check(nc_put_att_float(id_, id_of(variable), name, NC_FLOAT, 1, &value));
  }
  /// The variable is compressed, its bytes sorted by their place in a value first.
  void compress(const std::string& variable) { check(nc_def_var_deflate(id_, id_of(variable), 1, 1, 1)); }
  /// Between definitions and values.
  void end_definitions() { check(nc_enddef(id_)); }

  /// All values of a variable.
  void write(const std::string& variable, std::span<const float> values) {
    check(nc_put_var_float(id_, id_of(variable), values.data()));
  }
  /// Those of one entry of the dimension that grows, which comes first. extents: of the other ones.
  void write(const std::string& variable, std::size_t entry, const std::vector<std::size_t>& extents,
             std::span<const float> values) {
    const auto [start, count] = slab(entry, extents);
    check(nc_put_vara_float(id_, id_of(variable), start.data(), count.data(), values.data()));
  }
  void write(const std::string& variable, std::size_t entry, const std::vector<std::size_t>& extents,
             std::span<const int> values) {
    const auto [start, count] = slab(entry, extents);
    check(nc_put_vara_int(id_, id_of(variable), start.data(), count.data(), values.data()));
  }
  void write(const std::string& variable, std::size_t entry, double value) {
    check(nc_put_var1_double(id_, id_of(variable), &entry, &value));
  }
  /// Nothing can be written afterwards.
  void close() {
    const int status = nc_close(id_);
    id_ = -1;
    check(status);
  }

private:
  using Sizes = std::vector<std::size_t>;

  static std::pair<Sizes, Sizes> slab(std::size_t entry, const Sizes& extents) {
    Sizes start(extents.size() + 1, 0), count{1};
    start[0] = entry;
    count.insert(count.end(), extents.begin(), extents.end());
    return {start, count};
  }
  int id_of(const std::string& variable) const {
    return variable.empty() ? NC_GLOBAL : variables_.at(variable);
  }
  void check(int status) const {
    if (status != NC_NOERR)
      throw heddle::Error("file '" + file_.string() + "'",
                          std::string("it cannot be written: ") + nc_strerror(status),
                          "check the folder, its permissions and the free space");
  }

  std::filesystem::path file_;
  int id_ = -1;
  std::map<std::string, int> dimensions_, variables_;
};
#endif

} // namespace example

#endif
