// SPDX-License-Identifier: Apache-2.0
#include "netcdf_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <vector>

#include "heddle/core/error.hpp"
#include "mechanism.hpp"

#if defined(AIR_QUALITY_NETCDF)
#include <netcdf.h>
#endif

namespace air_quality {

#if defined(AIR_QUALITY_NETCDF)

namespace {

/// Species of CB05 in the table of CF standard names, "mole_fraction_of_..._in_air". Lumped species have
/// none.
const std::map<std::string, std::string>& standard_names() {
  static const std::map<std::string, std::string> all{{"ALD2", "acetaldehyde"},
                                                      {"BENZENE", "benzene"},
                                                      {"CH4", "methane"},
                                                      {"CO", "carbon_monoxide"},
                                                      {"ETH", "ethene"},
                                                      {"ETHA", "ethane"},
                                                      {"ETOH", "ethanol"},
                                                      {"FACD", "formic_acid"},
                                                      {"FORM", "formaldehyde"},
                                                      {"H2", "molecular_hydrogen"},
                                                      {"H2O", "water_vapor"},
                                                      {"H2O2", "hydrogen_peroxide"},
                                                      {"HCL", "hydrogen_chloride"},
                                                      {"HNO3", "nitric_acid"},
                                                      {"HO2", "hydroperoxyl_radical"},
                                                      {"HOCL", "hypochlorous_acid"},
                                                      {"HONO", "nitrous_acid"},
                                                      {"ISOP", "isoprene"},
                                                      {"MEOH", "methanol"},
                                                      {"N2O5", "dinitrogen_pentoxide"},
                                                      {"NO", "nitrogen_monoxide"},
                                                      {"NO2", "nitrogen_dioxide"},
                                                      {"NO3", "nitrate_radical"},
                                                      {"O3", "ozone"},
                                                      {"OH", "hydroxyl_radical"},
                                                      {"PAN", "peroxyacetyl_nitrate"},
                                                      {"PNA", "peroxynitric_acid"},
                                                      {"SO2", "sulfur_dioxide"},
                                                      {"TOL", "toluene"},
                                                      {"XYL", "xylene"}};
  return all;
}

std::vector<float> floats(const std::vector<double>& values) {
  std::vector<float> found;
  for (const double value : values)
    found.push_back(static_cast<float>(value));
  return found;
}

} // namespace

bool NetcdfFile::available() {
  return true;
}

void NetcdfFile::check(int status) const {
  if (status != NC_NOERR)
    throw heddle::Error("file '" + file_.string() + "'",
                        std::string("it cannot be written: ") + nc_strerror(status),
                        "check the folder, its permissions and the free space");
}

NetcdfFile::NetcdfFile(std::filesystem::path file, const Column& column, const std::string& source)
    : file_(std::move(file)), column_(column) {
  check(nc_create(file_.c_str(), NC_NETCDF4 | NC_CLOBBER, &id_));
  std::array<int, 2> dimension{}; // time, pressure
  check(nc_def_dim(id_, "time", NC_UNLIMITED, &dimension[0]));
  check(nc_def_dim(id_, "p", static_cast<std::size_t>(column.levels()), &dimension[1]));
  const auto attribute = [&](int variable, const char* name, const std::string& text) {
    check(nc_put_att_text(id_, variable, name, text.size(), text.c_str()));
  };
  const auto define = [&](const std::string& name, nc_type type, int rank, const int* dimensions,
                          const std::string& units, const std::string& standard, const std::string& about) {
    int variable = 0;
    check(nc_def_var(id_, name.c_str(), type, rank, dimensions, &variable));
    attribute(variable, "units", units);
    if (!standard.empty()) attribute(variable, "standard_name", standard);
    attribute(variable, "long_name", about);
    return variable;
  };
  attribute(NC_GLOBAL, "Conventions", "CF-1.8");
  attribute(NC_GLOBAL, "title", "Gas-phase chemistry of a column of polluted air");
  attribute(NC_GLOBAL, "source", source);
  attribute(NC_GLOBAL, "references",
            "Carbon Bond 2005: G. Yarwood et al., report RT-04-00675 to the U.S. EPA (2005)");
  const int time = define("time", NC_DOUBLE, 1, &dimension[0], "seconds since 2005-06-21 06:00:00", "time",
                          "local solar time");
  attribute(time, "axis", "T");
  attribute(time, "calendar", "standard");
  const int p = define("p", NC_FLOAT, 1, &dimension[1], "Pa", "air_pressure", "pressure of the air");
  attribute(p, "axis", "Z");
  attribute(p, "positive", "down");
  const int temperature =
      define("temperature", NC_FLOAT, 1, &dimension[1], "K", "air_temperature", "temperature of the air");
  const int share = define("emission_share", NC_FLOAT, 1, &dimension[1], "1", "",
                           "emissions as a part of those at the ground");
  define("zenith", NC_FLOAT, 1, &dimension[0], "degree", "solar_zenith_angle", "solar zenith angle");
  for (const std::string& species : cb05().species) {
    const auto found = standard_names().find(species);
    const bool standard = found != standard_names().end();
    const int variable = define(species, NC_FLOAT, 2, dimension.data(), "1",
                                standard ? "mole_fraction_of_" + found->second + "_in_air" : "",
                                "mole fraction of " + species + " of Carbon Bond 2005 in air");
    check(nc_def_var_deflate(id_, variable, 1, 1, 1));
  }
  check(nc_enddef(id_));
  check(nc_put_var_float(id_, p, floats(column.pressure).data()));
  check(nc_put_var_float(id_, temperature, floats(column.temperature).data()));
  check(nc_put_var_float(id_, share, floats(column.emission).data()));
}

NetcdfFile::~NetcdfFile() {
  if (id_ >= 0) nc_close(id_); // it is given up: whatever went wrong has been said
}

void NetcdfFile::write(double seconds, double cosine_of_zenith, std::span<const double> concentration) {
  const auto variable = [&](const std::string& name) {
    int number = 0;
    check(nc_inq_varid(id_, name.c_str(), &number));
    return number;
  };
  const auto zenith =
      static_cast<float>(std::acos(std::clamp(cosine_of_zenith, -1.0, 1.0)) * 180 / std::numbers::pi);
  check(nc_put_var1_double(id_, variable("time"), &records_, &seconds));
  check(nc_put_var1_float(id_, variable("zenith"), &records_, &zenith));
  const auto levels = static_cast<std::size_t>(column_.levels());
  const std::array<std::size_t, 2> start{records_, 0};
  const std::array<std::size_t, 2> count{1, levels};
  std::vector<float> fraction(levels);
  for (std::size_t s = 0; s < cb05().species.size(); ++s) {
    for (std::size_t z = 0; z < levels; ++z)
      fraction[z] = static_cast<float>(concentration[s * levels + z] /
                                       column_.air_density(static_cast<std::int64_t>(z)));
    check(nc_put_vara_float(id_, variable(cb05().species[s]), start.data(), count.data(), fraction.data()));
  }
  ++records_;
}

void NetcdfFile::close() {
  const int status = nc_close(id_);
  id_ = -1;
  check(status);
}

#else

bool NetcdfFile::available() {
  return false;
}
NetcdfFile::NetcdfFile(std::filesystem::path file, const Column&, const std::string&) {
  throw heddle::Error("file '" + file.string() + "'", "this program was built without NetCDF",
                      "install it (Debian: libnetcdf-dev) and configure again");
}
NetcdfFile::~NetcdfFile() = default;
void NetcdfFile::write(double, double, std::span<const double>) {}
void NetcdfFile::close() {}

#endif

} // namespace air_quality
