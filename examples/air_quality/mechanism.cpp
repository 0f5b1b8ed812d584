// SPDX-License-Identifier: Apache-2.0
#include "mechanism.hpp"

namespace air_quality {
namespace {

struct Entry {
  const char* name;
  double value;
};

/// In the order of `heddle.chemistry.cb05().variable`: mol m-3 in air of 298.15 K and 101325 Pa.
constexpr Entry concentrations[] = {
    {"AACD", 8.2e-09}, {"ALD2", 4.1e-08}, {"ALDX", 0},       {"BENZENE", 0},    {"BENZRO2", 0},
    {"C2O3", 0},       {"CH4", 9e-05},    {"CL", 0},         {"CL2", 0},        {"CLO", 0},
    {"CO", 8.6e-06},   {"CRES", 0},       {"CRO", 0},        {"CXO3", 0},       {"ETH", 8.2e-09},
    {"ETHA", 4.1e-08}, {"ETOH", 0},       {"FACD", 0},       {"FMCL", 0},       {"FORM", 4.9e-08},
    {"H2", 2.3e-05},   {"H2O", 0.128},    {"H2O2", 4.5e-08}, {"HCL", 2.9e-08},  {"HCO3", 0},
    {"HNO3", 4.1e-08}, {"HO2", 0},        {"HOCL", 0},       {"HONO", 0},       {"IOLE", 1.3e-11},
    {"ISOP", 2e-07},   {"ISPD", 0},       {"MEO2", 0},       {"MEOH", 4.9e-09}, {"MEPX", 2e-08},
    {"MGLY", 0},       {"N2O5", 0},       {"NO", 4.1e-09},   {"NO2", 4.1e-08},  {"NO3", 0},
    {"NTR", 4.1e-09},  {"O", 0},          {"O1D", 0},        {"O3", 2e-06},     {"OH", 0},
    {"O2", 8.56},      {"OLE", 9.4e-10},  {"OPEN", 0},       {"PACD", 0},       {"PAN", 3.3e-08},
    {"PANX", 0},       {"PAR", 8.2e-08},  {"PNA", 0},        {"ROOH", 1e-09},   {"ROR", 0},
    {"SESQ", 0},       {"SO2", 3.3e-08},  {"SULF", 0},       {"TERP", 0},       {"TO2", 0},
    {"TOL", 4.1e-09},  {"TOLRO2", 0},     {"XO2", 0},        {"XO2N", 0},       {"XYL", 4.1e-09},
    {"XYLRO2", 0},
};

/// In the order of `heddle.chemistry.cb05().inputs`: photolysis at noon (s-1), emissions at the ground
/// (mol m-3 s-1, into a layer of 1 m).
constexpr Entry host_values[] = {
    {"PHOTO.NO2", 0.00477},
    {"PHOTO.O3->O3P", 0.000253},
    {"PHOTO.O3->O1D", 2.26e-06},
    {"PHOTO.NO3->NO2", 0.117},
    {"PHOTO.NO3->NO", 0.0144},
    {"PHOTO.HONO", 0.000918},
    {"PHOTO.H2O2", 2.59e-06},
    {"PHOTO.PNA", 1.89e-06},
    {"PHOTO.HNO3", 8.61e-08},
    {"PHOTO.N2O5", 0},
    {"PHOTO.NTR", 4.77e-07},
    {"PHOTO.ROOH", 1.81e-06},
    {"PHOTO.MEPX", 1.81e-06},
    {"PHOTO.FORM->HO2", 7.93e-06},
    {"PHOTO.FORM->CO", 2.2e-05},
    {"PHOTO.ALD2", 2.2e-06},
    {"PHOTO.PAN", 0},
    {"PHOTO.PACD", 1.81e-06},
    {"PHOTO.ALDX", 2.2e-06},
    {"PHOTO.PANX", 0},
    {"PHOTO.OPEN", 0.000645},
    {"PHOTO.MGLY", 7.64e-05},
    {"PHOTO.ISPD", 1.98e-09},
    {"PHOTO.CL2", 0},
    {"PHOTO.O2", 0},
    {"EMIS.NO", 1.44e-10},
    {"EMIS.NO2_emis", 7.56e-12},
    {"EMIS.CO", 1.96e-09},
    {"EMIS.SO2", 1.06e-09},
    {"EMIS.FORM", 1.02e-11},
    {"EMIS.MEOH", 5.92e-13},
    {"EMIS.ALD2_emis", 4.25e-12},
    {"EMIS.PAR", 4.27e-10},
    {"EMIS.ETH", 4.62e-11},
    {"EMIS.OLE", 1.49e-11},
    {"EMIS.IOLE", 1.49e-11},
    {"EMIS.TOL", 1.53e-11},
    {"EMIS.XYL", 1.4e-11},
    {"EMIS.ISOP", 6.03e-12},
};

constexpr double air_density = 101325 / (gas_constant * 298.15); // mol m-3

template <std::size_t n> std::vector<std::string> names(const Entry (&entries)[n]) {
  std::vector<std::string> found;
  for (const Entry& entry : entries)
    found.emplace_back(entry.name);
  return found;
}

template <std::size_t n> std::vector<double> values(const Entry (&entries)[n], double factor) {
  std::vector<double> found;
  for (const Entry& entry : entries)
    found.push_back(entry.value * factor);
  return found;
}

} // namespace

const heddle::ChemicalMechanism& cb05() {
  static const heddle::ChemicalMechanism mechanism{"cb05", names(concentrations), names(host_values)};
  return mechanism;
}

std::vector<double> usual_mole_fractions() {
  return values(concentrations, 1 / air_density);
}

std::vector<double> usual_rates() {
  return values(host_values, 1);
}

int emitted_species(const std::string& input) {
  if (!input.starts_with("EMIS.")) return -1;
  std::string name = input.substr(input.find('.') + 1);
  if (name.ends_with("_emis")) name.resize(name.size() - 5);
  return cb05().species_number(name);
}

const std::vector<Element>& conserved_elements() {
  static const std::vector<Element> elements{
      {"N",
       {{"NO", 1},
        {"NO2", 1},
        {"NO3", 1},
        {"N2O5", 2},
        {"HONO", 1},
        {"HNO3", 1},
        {"PNA", 1},
        {"PAN", 1},
        {"PANX", 1},
        {"NTR", 1}}},
      {"S", {{"SO2", 1}, {"SULF", 1}}},
      {"Cl", {{"CL", 1}, {"CL2", 2}, {"HOCL", 1}, {"CLO", 1}, {"FMCL", 1}, {"HCL", 1}}}};
  return elements;
}

} // namespace air_quality
