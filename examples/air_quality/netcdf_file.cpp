// SPDX-License-Identifier: Apache-2.0
#include "netcdf_file.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <vector>

#include "heddle/core/error.hpp"
#include "mechanism.hpp"
#include "netcdf_writer.hpp"

namespace air_quality {

#if defined(HEDDLE_EXAMPLES_NETCDF)

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
  return {values.begin(), values.end()};
}

} // namespace

struct NetcdfFile::Netcdf {
  Netcdf(const std::filesystem::path& name, const Column& of)
      : file(name), column(of), levels{static_cast<std::size_t>(of.levels())} {}

  example::NetcdfWriter file;
  Column column;
  std::vector<std::size_t> levels; // extents
  std::size_t records = 0;
};

bool NetcdfFile::available() {
  return true;
}

NetcdfFile::NetcdfFile(const std::filesystem::path& file, const Column& column, const std::string& source)
    : netcdf_(std::make_unique<Netcdf>(file, column)) {
  example::NetcdfWriter& f = netcdf_->file;
  f.dimension("time", 0);
  f.dimension("p", netcdf_->levels[0]);
  f.attribute("", "Conventions", "CF-1.8");
  f.attribute("", "title", "Gas-phase chemistry of a column of polluted air");
  f.attribute("", "source", source);
  f.attribute("", "references",
              "Carbon Bond 2005: G. Yarwood et al., report RT-04-00675 to the U.S. EPA (2005)");
  f.variable("time", NC_DOUBLE, {"time"}, "seconds since 2005-06-21 06:00:00", "time", "local solar time");
  f.attribute("time", "axis", "T");
  f.attribute("time", "calendar", "standard");
  f.variable("p", NC_FLOAT, {"p"}, "Pa", "air_pressure", "pressure of the air");
  f.attribute("p", "axis", "Z");
  f.attribute("p", "positive", "down");
  f.variable("temperature", NC_FLOAT, {"p"}, "K", "air_temperature", "temperature of the air");
  if (column.emissions.empty())
    f.variable("emission_share", NC_FLOAT, {"p"}, "1", "", "emissions as a part of those at the ground");
  f.variable("zenith", NC_FLOAT, {"time"}, "degree", "solar_zenith_angle", "solar zenith angle");
  for (const std::string& species : cb05().species) {
    const auto found = standard_names().find(species);
    const bool standard = found != standard_names().end();
    f.variable(species, NC_FLOAT, {"time", "p"}, "1",
               standard ? "mole_fraction_of_" + found->second + "_in_air" : "",
               "mole fraction of " + species + " of Carbon Bond 2005 in air");
    f.compress(species);
  }
  f.end_definitions();
  f.write("p", floats(column.pressure));
  f.write("temperature", floats(column.temperature));
  if (column.emissions.empty()) f.write("emission_share", floats(column.emission));
}

void NetcdfFile::write(double seconds, double cosine_of_zenith, std::span<const double> concentration) {
  Netcdf& n = *netcdf_;
  n.file.write("time", n.records, seconds);
  n.file.write("zenith", n.records,
               std::acos(std::clamp(cosine_of_zenith, -1.0, 1.0)) * 180 / std::numbers::pi);
  const std::size_t levels = n.levels[0];
  std::vector<float> fraction(levels);
  for (std::size_t s = 0; s < cb05().species.size(); ++s) {
    for (std::size_t z = 0; z < levels; ++z)
      fraction[z] = static_cast<float>(concentration[s * levels + z] /
                                       n.column.air_density(static_cast<std::int64_t>(z)));
    n.file.write(cb05().species[s], n.records, n.levels, fraction);
  }
  ++n.records;
}

void NetcdfFile::close() {
  netcdf_->file.close();
}

#else

struct NetcdfFile::Netcdf {};
bool NetcdfFile::available() {
  return false;
}
NetcdfFile::NetcdfFile(const std::filesystem::path& file, const Column&, const std::string&) {
  throw heddle::Error("file '" + file.string() + "'", "this program was built without NetCDF",
                      "install it (Debian: libnetcdf-dev) and configure again");
}
void NetcdfFile::write(double, double, std::span<const double>) {}
void NetcdfFile::close() {}

#endif

NetcdfFile::~NetcdfFile() = default;

} // namespace air_quality
