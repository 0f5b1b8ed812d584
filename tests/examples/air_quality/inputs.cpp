// SPDX-License-Identifier: Apache-2.0
// Tables, the column of the study, and the sun.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#if defined(HEDDLE_EXAMPLES_NETCDF)
#include <netcdf.h>
#endif

#include "../../support/messages.hpp"
#include "../../support/test_folder.hpp"
#include "accuracy.hpp"
#include "column.hpp"
#include "column_file.hpp"
#include "heddle/core/error.hpp"
#include "mechanism.hpp"
#include "tables.hpp"

namespace air_quality {
namespace {

TEST(AirQualityInputs, TheColumnIsThatOfTheStudy) {
  const Column column = study_column(10);
  EXPECT_EQ(column.levels(), 10);
  EXPECT_NEAR(column.pressure[1], 9e4, 1e-9);
  EXPECT_NEAR(column.temperature[1], 290.016 * std::pow(0.9, 287.0 / 1004.0), 1e-9);
  EXPECT_NEAR(column.emission[1], 8.0 / 9.0, 1e-12);
  EXPECT_NEAR(column.emission.back(), 0, 1e-12);
  EXPECT_NEAR(column.air_density(0), 1e5 / (8.31446261815324 * 290.016), 1e-9);
  EXPECT_EQ(study_column(1).emission, std::vector<double>{1});
  EXPECT_TRUE(emits(0));
  EXPECT_TRUE(emits(43199));
  EXPECT_FALSE(emits(43200));
  EXPECT_TRUE(emits(86400));
}

TEST(AirQualityInputs, TheSunRisesAndSets) {
  const Sun sun(false, 50, 0); // an equinox: up from 6:00 to 18:00
  EXPECT_NEAR(sun.cosine(0), 0, 1e-12);
  EXPECT_NEAR(sun.cosine(6 * 3600), std::cos(50 * M_PI / 180), 1e-12);
  EXPECT_EQ(sun.photolysis("PHOTO.NO2", 13 * 3600), 0);
  EXPECT_EQ(sun.photolysis("PHOTO.NO2", 6 * 3600), 1);
  const double low = sun.cosine(2 * 3600);
  const double high = sun.cosine(6 * 3600);
  // J4 of the Master Chemical Mechanism, 1.165e-2 cos^0.244 exp(-0.267 sec)
  const auto j4 = [](double c) { return 1.165e-2 * std::pow(c, 0.244) * std::exp(-0.267 / c); };
  EXPECT_NEAR(sun.photolysis("PHOTO.NO2", 2 * 3600), j4(low) / j4(high), 1e-12);
  EXPECT_LT(sun.photolysis("PHOTO.O3->O1D", 2 * 3600), sun.photolysis("PHOTO.NO2", 2 * 3600));
  const Sun fixed(true);
  for (const std::string& input : cb05().inputs)
    EXPECT_EQ(fixed.photolysis(input, 18 * 3600), 1) << input;
}

TEST(AirQualityInputs, TheSunMayRiseElsewhereLater) {
  EXPECT_EQ(seconds_ahead(Longitude::same, 3, 4), 0);
  EXPECT_EQ(seconds_ahead(Longitude::round, 3, 4), 64800);
  EXPECT_EQ(seconds_ahead(Longitude::scattered, 0, 4), 0);
  EXPECT_NEAR(seconds_ahead(Longitude::scattered, 2, 4), 86400 * 0.2360679775, 1e-3);
}

TEST(AirQualityInputs, TablesAreRead) {
  const test::Folder folder;
  std::vector<double> fractions = usual_mole_fractions();
  EXPECT_NEAR(fractions[static_cast<std::size_t>(cb05().species_number("O3"))], 48.93e-9, 1e-11);
  read_mole_fractions(folder.write("a", "# ppb\nO3, 60\n\n  NO2\t1.5e0 # a comment\r\n"), fractions);
  EXPECT_EQ(fractions[static_cast<std::size_t>(cb05().species_number("O3"))], 60 * 1e-9);
  EXPECT_EQ(fractions[static_cast<std::size_t>(cb05().species_number("NO2"))], 1.5 * 1e-9);
  std::string all;
  for (const std::string& input : cb05().inputs)
    all += input + " " + std::to_string(all.size()) + "\n";
  EXPECT_EQ(read_rates(folder.write("b", all))[1], static_cast<double>(std::string("PHOTO.NO2 0\n").size()));
  const Column column = read_column(folder.write("c", "1e5 290 1\n5e4 250 0.5\n"));
  EXPECT_EQ(column.levels(), 2);
  EXPECT_EQ(column.temperature[1], 250);
}

TEST(AirQualityInputs, WhatHasNoMeaningIsRefused) {
  const test::Folder folder;
  const auto refused = [&](const std::string& text) {
    std::vector<double> fractions = usual_mole_fractions();
    return test::error_of([&] { read_mole_fractions(folder.write("a", text), fractions); });
  };
  EXPECT_TRUE(test::contains(refused("O3 1\n\nno2 5"), "line 3: mechanism 'cb05': it has no species 'no2'"));
  EXPECT_TRUE(test::contains(refused("no2 5"), "alike are: NO2"));
  EXPECT_TRUE(test::contains(refused("O3 1\nO3 2"), "line 2: 'O3' stands here twice"));
  EXPECT_TRUE(test::contains(refused("O3 nan"), "'O3' is 'nan', no finite number"));
  EXPECT_TRUE(test::contains(refused("O3 1e999"), "no finite number"));
  EXPECT_TRUE(test::contains(refused("O3"), "1 words"));
  EXPECT_TRUE(test::contains(refused("# nothing"), "holds no values"));
  EXPECT_TRUE(test::contains(refused(std::string(2000, 'x')), "too many letters"));
  const auto column = [&](const std::string& text) {
    return test::error_of([&] { (void)read_column(folder.write("c", text)); });
  };
  EXPECT_TRUE(test::contains(column("1e5 290"), "2 words"));
  EXPECT_TRUE(test::contains(column("1e5 0 1"), "pressure or temperature is 0"));
  EXPECT_TRUE(test::contains(column("5e4 250 1\n1e5 290 1"), "line 2: the pressure is not below"));
}

#if defined(HEDDLE_EXAMPLES_NETCDF)

/// What a column file has; a test changes some of it.
struct ColumnFile {
  std::vector<double> pressure{1e5, 8e4, 5e4};
  std::string pressure_units = "Pa";
  std::vector<double> temperature{290, 280, 260};
  std::string emission = "emission_NO";
  std::string units = "mol m-3 s-1";
  std::string level = "level";
  std::size_t hours = 24;
  double first = 0; // each value is one more than the one before it

  [[nodiscard]] std::filesystem::path write(const test::Folder& folder) const {
    int id = 0, dimensions[2], variable[3];
    const std::filesystem::path file = folder / "column.nc";
    EXPECT_EQ(nc_create(file.c_str(), NC_NETCDF4 | NC_CLOBBER, &id), NC_NOERR);
    nc_def_dim(id, "hour", hours, &dimensions[0]);
    nc_def_dim(id, level.c_str(), pressure.size(), &dimensions[1]);
    nc_def_var(id, "pressure", NC_DOUBLE, 1, &dimensions[1], &variable[0]);
    nc_def_var(id, "temperature", NC_FLOAT, 1, &dimensions[1], &variable[1]);
    nc_def_var(id, emission.c_str(), NC_DOUBLE, 2, dimensions, &variable[2]);
    const std::string all[] = {pressure_units, "K", units};
    for (int n = 0; n < 3; ++n)
      nc_put_att_text(id, variable[n], "units", all[n].size(), all[n].c_str());
    const double missing = -999;
    nc_put_att_double(id, variable[2], "_FillValue", NC_DOUBLE, 1, &missing);
    nc_enddef(id);
    std::vector<double> rates;
    for (std::size_t n = 0; n < hours * pressure.size(); ++n)
      rates.push_back(first + static_cast<double>(n));
    EXPECT_EQ(nc_put_var_double(id, variable[0], pressure.data()), NC_NOERR);
    EXPECT_EQ(nc_put_var_double(id, variable[1], temperature.data()), NC_NOERR);
    EXPECT_EQ(nc_put_var_double(id, variable[2], rates.data()), NC_NOERR);
    nc_close(id);
    return file;
  }
};

TEST(AirQualityInputs, AColumnFileHasEmissionsByHeightAndHour) {
  const test::Folder folder;
  const Column column = read_column_file(ColumnFile().write(folder));
  EXPECT_EQ(column.pressure, (std::vector<double>{1e5, 8e4, 5e4}));
  EXPECT_EQ(column.temperature, (std::vector<double>{290, 280, 260}));
  const auto input = [](const char* species) {
    for (std::size_t q = 0; q < cb05().inputs.size(); ++q)
      if (emitted_species(cb05().inputs[q]) == cb05().species_number(species)) return q;
    throw heddle::Error(species, "it is not emitted", "");
  };
  // The run begins at 6:00.
  EXPECT_EQ(column.emission_rate(input("NO"), 1, 0, 7), 6 * 3 + 1);
  EXPECT_EQ(column.emission_rate(input("NO"), 2, 3599, 7), 6 * 3 + 2);
  EXPECT_EQ(column.emission_rate(input("NO"), 0, 18 * 3600, 7), 0);
  EXPECT_EQ(column.emission_rate(input("NO"), 0, 24 * 3600, 7), 6 * 3);
  EXPECT_EQ(column.emission_rate(input("CO"), 0, 0, 7), 0); // the file has none of it
  const Column constant = read_column_file(ColumnFile{.hours = 1, .first = 4}.write(folder));
  EXPECT_EQ(constant.emission_rate(input("NO"), 2, 9 * 3600, 7), 6);
  EXPECT_EQ(study_column(2).emission_rate(input("NO"), 0, 0, 7), 7);
  EXPECT_EQ(study_column(2).emission_rate(input("NO"), 0, 13 * 3600, 7), 0);
}

TEST(AirQualityInputs, AColumnFileThatHasNoMeaningIsRefused) {
  const test::Folder folder;
  const auto refused = [&](const ColumnFile& file, const std::string& variable, const std::string& reason) {
    const std::string said = test::error_of([&] { (void)read_column_file(file.write(folder)); });
    EXPECT_TRUE(test::contains(said, "variable '" + variable + "'")) << said;
    EXPECT_TRUE(test::contains(said, reason)) << said;
  };
  refused({.pressure_units = "hPa"}, "pressure", "its units are 'hPa', not 'Pa'");
  refused({.pressure = {5e4, 8e4, 1e5}}, "pressure", "it does not fall from level to level");
  refused({.temperature = {290, NAN, 260}}, "temperature", "a value is missing or not finite");
  refused({.temperature = {290, 0, 260}}, "temperature", "a value is 0");
  refused({.emission = "emission_NH3"}, "emission_NH3", "has no emission of 'NH3'");
  refused({.units = "kg m-2 s-1"}, "emission_NO", "its units are 'kg m-2 s-1', not 'mol m-3 s-1'");
  refused({.level = "z"}, "pressure", "its dimensions are not (level)");
  refused({.hours = 12}, "emission_NO", "it has 12 hours");
  refused({.first = -999}, "emission_NO", "a value is missing");
  refused({.first = -1}, "emission_NO", "a value is negative: -1");
  EXPECT_TRUE(
      test::contains(test::error_of([&] { (void)read_column_file(folder.write("c.nc", "1e5 290 1")); }),
                     "it cannot be read: NetCDF: Unknown file format"));
  EXPECT_TRUE(test::contains(test::error_of([] { (void)read_column_file("nothing.nc"); }),
                             "file 'nothing.nc': it cannot be read: No such file or directory"));
}

#else

TEST(AirQualityInputs, AColumnFileNeedsNetcdf) {
  EXPECT_TRUE(test::contains(test::error_of([] { (void)read_column_file("a.nc"); }), "built without NetCDF"));
}

#endif

TEST(AirQualityInputs, SamplesAreSpreadAndErrorsRelative) {
  EXPECT_EQ(sample_levels(10, 4), (std::vector<std::int64_t>{0, 3, 6, 9}));
  EXPECT_EQ(sample_levels(3, 8), (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(sample_levels(7, 1), (std::vector<std::int64_t>{0}));
  Accuracy accuracy;
  const std::vector<double> column{1, 2, 3, 40, 50, 63}; // two species, three levels
  const std::vector<double> sample{1, 3, 40, 60};        // levels 0 and 2
  accuracy.compare(column, sample, std::vector<std::int64_t>{0, 2});
  EXPECT_NEAR(accuracy.rms(), 0.05 / 2, 1e-12);
  EXPECT_NEAR(accuracy.largest(1), 0.05, 1e-12);
  EXPECT_EQ(accuracy.largest(0), 0);
}

} // namespace
} // namespace air_quality
