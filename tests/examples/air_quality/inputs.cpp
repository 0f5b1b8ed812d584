// SPDX-License-Identifier: Apache-2.0
// Tables, the column of the study, and the sun.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "../../support/messages.hpp"
#include "../../support/test_folder.hpp"
#include "accuracy.hpp"
#include "column.hpp"
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
