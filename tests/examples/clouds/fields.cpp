// SPDX-License-Identifier: Apache-2.0
// Files of the air for ParaView: names, times, places and values.
#include "fields.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "../../support/test_folder.hpp"

namespace clouds {
namespace {

constexpr std::array<std::int64_t, 3> few_cells{7, 6, 8};
constexpr std::size_t number_of_cells = 7 * 6 * 8;

Options files_every(double seconds, std::uint64_t seed = 1) {
  Options options;
  options.fields_every = seconds;
  options.seed = seed;
  return options;
}

/// A wind that differs along each axis, faces first; scalars that number the cells.
Snapshot numbered(double time) {
  Snapshot s;
  s.time = time;
  s.cells = few_cells;
  for (std::int64_t z = 0; z < few_cells[2]; ++z)
    for (std::int64_t y = 0; y < few_cells[1]; ++y)
      for (std::int64_t x = 0; x < few_cells[0]; ++x) {
        s.u.push_back(static_cast<double>(x * x));
        s.v.push_back(static_cast<double>(10 * y * y));
        s.w.push_back(static_cast<double>(100 * z));
        const auto number = static_cast<double>(s.u.size());
        s.th.push_back(number);
        s.q.push_back(1e-3 * number);
        s.cloud.push_back(1e-6 * number);
        s.rain.push_back(1e-7 * number + time);
      }
  return s;
}

std::string bytes_in(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// The values of each array of a file, as its text says where they are.
std::vector<std::vector<float>> arrays_of(const std::string& file) {
  const std::size_t data = file.find('_', file.find("<AppendedData")) + 1;
  std::vector<std::vector<float>> all;
  const std::string key = "offset=\"";
  for (std::size_t at = file.find(key); at != std::string::npos; at = file.find(key, at + 1)) {
    const std::size_t begin = data + std::stoul(file.substr(at + key.size(), 12));
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, file.data() + begin, sizeof bytes);
    all.emplace_back(bytes / sizeof(float));
    std::memcpy(all.back().data(), file.data() + begin + sizeof bytes, bytes);
  }
  return all;
}

TEST(Fields, AreTheAirAtTheCentresOfCells) {
  const test::Folder folder;
  heddle::LocalTransport alone;
  heddle::OutputFolder results(folder / "out", 0, alone);
  Case what = case_named("rico");
  what.size = {700, 1200, 320};
  RunState progress;
  const Options options = files_every(100);
  Fields fields(options, what, few_cells, progress, results, alone);
  for (const double time : {0.0, 60.0, 120.0, 180.0, 300.0})
    if (fields.due(time)) fields.update(numbered(time));
  EXPECT_EQ(progress.files, 3); // at 0, 120 and 300 s
  EXPECT_EQ(progress.filed, 300);
  results.publish();

  const std::string series = bytes_in(folder / "out" / "fields.pvd");
  std::size_t at = 0;
  for (const char* const line :
       {"clouds rico, 7 x 6 x 8 cells", "timestep=\"0\"", "fields_00000000.vti", "timestep=\"120\"",
        "fields_00000001.vti", "timestep=\"300\"", "fields_00000002.vti", "</Collection>"}) {
    at = series.find(line, at);
    ASSERT_NE(at, std::string::npos) << line << "\n" << series;
  }
  const std::string image = bytes_in(folder / "out" / "fields_00000002.vti");
  for (const char* const part : {"WholeExtent=\"0 7 0 6 0 8\"", "Origin=\"0 0 0\"", "Spacing=\"100 200 40\"",
                                 "<CellData>", "Float32\" Name=\"wind\" NumberOfComponents=\"3\"",
                                 "Name=\"theta_l\"", "Name=\"q\"", "Name=\"q_c\"", "Name=\"rain\""})
    EXPECT_NE(image.find(part), std::string::npos) << part;

  const auto all = arrays_of(image);
  ASSERT_EQ(all.size(), 5U);
  ASSERT_EQ(all[0].size(), 3 * number_of_cells);
  std::size_t n = 0;
  for (std::int64_t z = 0; z < few_cells[2]; ++z)
    for (std::int64_t y = 0; y < few_cells[1]; ++y)
      for (std::int64_t x = 0; x < few_cells[0]; ++x, ++n) {
        const auto next = [](std::int64_t i, std::int64_t count) { return i + 1 < count ? i + 1 : 0; };
        const auto mean = [](std::int64_t i, std::int64_t j) {
          return static_cast<double>(i * i + j * j) / 2;
        };
        const auto close = [](float found, double wanted) { // NOLINT(bugprone-easily-swappable-parameters)
          EXPECT_NEAR(double{found}, wanted, 1e-6 * std::abs(wanted) + 1e-12);
        };
        close(all[0][3 * n], mean(x, next(x, 7)) + what.u_frame);
        close(all[0][3 * n + 1], 10 * mean(y, next(y, 6)) + what.v_frame);
        close(all[0][3 * n + 2], z == 7 ? 350 : 100 * static_cast<double>(z) + 50); // 0 at the lid
        const auto number = static_cast<double>(n + 1);
        close(all[1][n], 300 + number);
        close(all[2][n], 1e-3 * number);
        close(all[3][n], 1e-6 * number);
        close(all[4][n], 1e-7 * number + 300);
      }
}

TEST(Fields, OfAnotherRunAreNotContinued) {
  const test::Folder folder;
  heddle::LocalTransport alone;
  const Case what = case_named("bomex");
  RunState progress;
  {
    heddle::OutputFolder results(folder / "out", 0, alone);
    Fields(files_every(10), what, few_cells, progress, results, alone).update(numbered(0));
    results.publish();
  }
  heddle::OutputFolder results(folder / "out", 0, alone);
  EXPECT_THROW(Fields(files_every(10, 2), what, few_cells, progress, results, alone), heddle::Error);
  Fields(files_every(10), what, few_cells, progress, results, alone).update(numbered(20));
  results.publish();
  const std::string series = bytes_in(folder / "out" / "fields.pvd");
  EXPECT_NE(series.find("fields_00000000.vti"), std::string::npos) << series;
  EXPECT_NE(series.find("timestep=\"20\""), std::string::npos) << series;
}

} // namespace
} // namespace clouds
