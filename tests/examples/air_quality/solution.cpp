// SPDX-License-Identifier: Apache-2.0
// The column against converged solutions.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "accuracy.hpp"
#include "mechanism.hpp"
#include "simulation.hpp"

namespace air_quality {
namespace {

Setting setting_of(const Column& column, bool fixed_sun) {
  return {
      .column = column, .fractions = usual_mole_fractions(), .rates = usual_rates(), .sun = Sun(fixed_sun)};
}

std::vector<double> after(const Setting& setting, int calls, double rtol, double atol,
                          const std::string& integrator = "rodas3") {
  std::vector<std::int64_t> levels;
  for (std::int64_t z = 0; z < setting.column.levels(); ++z)
    levels.push_back(z);
  Simulation simulation(setting, levels, integrator,
                        {.interval = 120, .relative_tolerance = rtol, .absolute_tolerance = atol}, nullptr);
  for (int call = 0; call < calls; ++call)
    simulation.advance();
  EXPECT_EQ(simulation.seconds(), 120.0 * calls);
  return simulation.gather();
}

/// After 600 s and 3600 s in calls of 120 s, T = 298.15 K, p = 101325 Pa: a solution with a relative
/// tolerance of 1e-11, by two other programs that agree within 2e-7.
TEST(AirQualitySolution, AgreesWithOtherPrograms) {
  const Setting setting = setting_of({{101325}, {298.15}, {1}}, true);
  const char* const names[] = {"O3", "NO", "NO2", "OH", "HO2", "H2O2", "FORM", "PAN", "ISOP", "CO"};
  const std::map<int, std::array<double, 10>> wanted{
      {5,
       {1.97306499e-06, 2.35200577e-08, 1.11047418e-07, 3.13754151e-12, 4.22578841e-10, 4.50746667e-08,
        6.80588404e-08, 3.13323539e-08, 1.85681574e-07, 9.77617365e-06}},
      {30,
       {1.94093029e-06, 9.55159820e-08, 4.62153437e-07, 3.21281451e-12, 1.46299096e-10, 4.46486949e-08,
        1.75407272e-07, 2.90894710e-08, 1.08215062e-07, 1.56668228e-05}}};
  for (const auto& [calls, values] : wanted) {
    const std::vector<double> found = after(setting, calls, 1e-4, 1e-16);
    const std::vector<double> fine = after(setting, calls, 1e-6, 1e-18);
    for (std::size_t n = 0; n < values.size(); ++n) {
      const auto species = static_cast<std::size_t>(cb05().species_number(names[n]));
      EXPECT_NEAR(found[species] / values[n], 1, 1e-4) << names[n] << ", " << calls;
      EXPECT_NEAR(fine[species] / values[n], 1, 5e-6) << names[n] << ", " << calls;
    }
  }
}

/// Ozone within the tolerance of a step; the rms error of all species is 1e-3 at most at a tolerance of 1e-4,
/// and 1e-5 at 1e-6.
TEST(AirQualitySolution, ComesNearTheConvergedOne) {
  const Setting setting = setting_of(study_column(8), false);
  const std::vector<double> exact = after(setting, 15, 1e-8, 1e-20);
  double before = 1;
  for (const auto& [rtol, atol, allowed] :
       {std::array{1e-2, 1e-15, 2e-2}, std::array{1e-4, 1e-15, 1e-3}, std::array{1e-6, 1e-17, 1e-5}}) {
    Accuracy accuracy;
    accuracy.compare(after(setting, 15, rtol, atol), exact, sample_levels(8, 8));
    EXPECT_LT(accuracy.rms(), allowed) << rtol;
    EXPECT_LT(accuracy.largest(cb05().species_number("O3")), rtol);
    EXPECT_LT(accuracy.rms(), before);
    before = accuracy.rms();
  }
}

#if defined(AIR_QUALITY_CVODE)
/// Two methods, two step controls, two programs: our converged run and CVODE's.
TEST(AirQualitySolution, IsThatOfCvode) {
  const Setting setting = setting_of(study_column(4), false);
  const std::vector<double> exact = after(setting, 10, 1e-8, 1e-20);
  Accuracy accuracy;
  accuracy.compare(after(setting, 10, 1e-9, 1e-20, "cvode"), exact, sample_levels(4, 4));
  EXPECT_LT(accuracy.rms(), 1e-5);
  EXPECT_LT(accuracy.largest(cb05().species_number("O3")), 1e-6);
}
#endif

/// What is emitted into the column arrives, whichever way: sulphur leaves in no reaction.
TEST(AirQualitySolution, EmissionsArrive) {
  for (const bool kick : {false, true}) {
    Setting setting = setting_of(study_column(3), false);
    setting.kick = kick;
    const std::vector<double> found = after(setting, 10, 1e-3, 1e-15);
    const auto so2 = static_cast<std::size_t>(cb05().species_number("SO2"));
    const auto sulf = static_cast<std::size_t>(cb05().species_number("SULF"));
    for (std::size_t z = 0; z < 3; ++z) {
      const double begin = setting.fractions[so2] * setting.column.air_density(static_cast<std::int64_t>(z));
      const double emitted = 1.06e-9 * setting.column.emission[z] * 1200;
      EXPECT_NEAR((found[so2 * 3 + z] + found[sulf * 3 + z]) / (begin + emitted), 1, 1e-12) << kick;
    }
  }
}

/// Emissions by height and hour: those of the hour, in that level, and nothing of what is not named.
TEST(AirQualitySolution, EmissionsOfAFileArrive) {
  Setting setting = setting_of({.pressure = {1e5, 9e4}, .temperature = {290, 285}, .emission = {}}, false);
  setting.column.emissions.resize(cb05().inputs.size());
  const auto so2 = static_cast<std::size_t>(cb05().species_number("SO2"));
  for (std::size_t q = 0; q < cb05().inputs.size(); ++q)
    if (emitted_species(cb05().inputs[q]) == static_cast<int>(so2)) {
      setting.column.emissions[q].resize(48);
      setting.column.emissions[q][6 * 2 + 1] = 2e-12; // from 6:00 to 7:00, where the run begins
    }
  const std::vector<double> found = after(setting, 60, 1e-3, 1e-15);
  const auto sulf = static_cast<std::size_t>(cb05().species_number("SULF"));
  for (std::size_t z = 0; z < 2; ++z) {
    const double begin = setting.fractions[so2] * setting.column.air_density(static_cast<std::int64_t>(z));
    const double emitted = z == 1 ? 2e-12 * 3600 : 0;
    EXPECT_NEAR((found[so2 * 2 + z] + found[sulf * 2 + z]) / (begin + emitted), 1, 1e-12) << z;
  }
}

} // namespace
} // namespace air_quality
