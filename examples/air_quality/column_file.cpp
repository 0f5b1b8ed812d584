// SPDX-License-Identifier: Apache-2.0
#include "column_file.hpp"

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "heddle/core/error.hpp"
#include "mechanism.hpp"

#if defined(HEDDLE_EXAMPLES_NETCDF)
#include <netcdf.h>
#endif

namespace air_quality {

#if defined(HEDDLE_EXAMPLES_NETCDF)

namespace {

const std::string emission_of = "emission_";
constexpr std::size_t most_levels = 10'000'000;

/// A file that is open for reading.
class Reader {
public:
  explicit Reader(const std::filesystem::path& file) : name_("file '" + file.string() + "'") {
    const int status = nc_open(file.c_str(), NC_NOWRITE, &id_);
    if (status != NC_NOERR)
      throw heddle::Error(name_, std::string("it cannot be read: ") + nc_strerror(status),
                          "give a NetCDF file with pressure, temperature and emissions");
  }
  ~Reader() { nc_close(id_); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  [[noreturn]] void refuse(const std::string& variable, const std::string& reason,
                           const std::string& hint) const {
    throw heddle::Error(name_ + ", variable '" + variable + "'", reason, hint);
  }

  [[nodiscard]] std::vector<std::string> variables() const {
    int count = 0;
    check(nc_inq_nvars(id_, &count));
    std::vector<std::string> names;
    for (int n = 0; n < count; ++n) {
      char name[NC_MAX_NAME + 1] = {};
      check(nc_inq_varname(id_, n, name));
      names.emplace_back(name);
    }
    return names;
  }

  /// The values of a variable; all finite and 0 or more. dimensions: their names.
  [[nodiscard]] std::vector<double> values(const std::string& variable, const std::string& units,
                                           const std::vector<std::string>& dimensions) const {
    int number = 0;
    if (nc_inq_varid(id_, variable.c_str(), &number) != NC_NOERR)
      refuse(variable, "it is missing", "a column has pressure and temperature by level");
    std::string wanted;
    for (const std::string& one : dimensions)
      wanted += (wanted.empty() ? "(" : ", ") + one;
    int rank = 0;
    check(nc_inq_varndims(id_, number, &rank));
    std::vector<int> ids(static_cast<std::size_t>(rank));
    check(nc_inq_vardimid(id_, number, ids.data()));
    std::size_t size = 1;
    std::vector<std::string> found;
    for (const int one : ids) {
      char name[NC_MAX_NAME + 1] = {};
      std::size_t length = 0;
      check(nc_inq_dim(id_, one, name, &length));
      found.emplace_back(name);
      if (length > most_levels) refuse(variable, "it has too many values", "a column has fewer levels");
      size *= length;
    }
    if (found != dimensions) refuse(variable, "its dimensions are not " + wanted + ")", "name them so");
    if (size == 0 || size > 24 * most_levels) refuse(variable, "it has no values, or too many", "write some");
    if (text(number, "units") != units)
      refuse(variable, "its units are '" + text(number, "units") + "', not '" + units + "'",
             "convert it, and say so in its attribute units");
    std::vector<double> values(size);
    check(nc_get_var_double(id_, number, values.data()));
    double fill = std::nan("");
    if (nc_get_att_double(id_, number, "_FillValue", &fill) != NC_NOERR) fill = std::nan("");
    for (const double value : values)
      if (!std::isfinite(value) || value == fill || value < 0)
        refuse(variable,
               value < 0 && value != fill ? "a value is negative: " + std::to_string(value)
                                          : std::string("a value is missing or not finite"),
               "give all levels and hours, 0 or more");
    return values;
  }

private:
  void check(int status) const {
    if (status != NC_NOERR)
      throw heddle::Error(name_, std::string("it cannot be read: ") + nc_strerror(status), "write it again");
  }
  /// An attribute; "" where there is none.
  [[nodiscard]] std::string text(int variable, const char* attribute) const {
    std::size_t length = 0;
    nc_type type = NC_NAT;
    if (nc_inq_att(id_, variable, attribute, &type, &length) != NC_NOERR || type != NC_CHAR || length > 1000)
      return "";
    std::string found(length, ' ');
    check(nc_get_att_text(id_, variable, attribute, found.data()));
    return found.c_str(); // without zeros at the end
  }

  std::string name_;
  int id_ = -1;
};

} // namespace

Column read_column_file(const std::filesystem::path& file) {
  const Reader reader(file);
  Column column;
  column.pressure = reader.values("pressure", "Pa", {"level"});
  column.temperature = reader.values("temperature", "K", {"level"});
  const std::size_t levels = column.pressure.size();
  for (std::size_t z = 0; z < levels; ++z) {
    if (!(column.pressure[z] > 0) || (z > 0 && !(column.pressure[z] < column.pressure[z - 1])))
      reader.refuse("pressure", "it does not fall from level to level", "begin with the lowest level");
    if (!(column.temperature[z] > 0)) reader.refuse("temperature", "a value is 0", "give it in K");
  }
  column.emissions.resize(cb05().inputs.size());
  for (const std::string& variable : reader.variables()) {
    if (!variable.starts_with(emission_of)) continue;
    const std::string species = variable.substr(emission_of.size());
    std::size_t input = 0;
    std::string known;
    for (std::size_t q = 0; q < cb05().inputs.size(); ++q) {
      const int emitted = emitted_species(cb05().inputs[q]);
      if (emitted < 0) continue;
      const std::string& name = cb05().species[static_cast<std::size_t>(emitted)];
      known += (known.empty() ? "" : ", ") + name;
      if (name == species) input = q + 1;
    }
    if (input == 0)
      reader.refuse(variable, "Carbon Bond 2005 has no emission of '" + species + "'", "known are: " + known);
    std::vector<double> rates = reader.values(variable, "mol m-3 s-1", {"hour", "level"});
    const std::size_t hours = rates.size() / levels;
    if (hours != 1 && hours != 24)
      reader.refuse(variable, "it has " + std::to_string(hours) + " hours",
                    "give 24, or 1 for the whole day");
    column.emissions[input - 1] = std::move(rates);
  }
  return column;
}

#else

Column read_column_file(const std::filesystem::path& file) {
  throw heddle::Error("file '" + file.string() + "'", "this program was built without NetCDF",
                      "install it (Debian: libnetcdf-dev) and configure again, or give a table of text");
}

#endif

} // namespace air_quality
