// SPDX-License-Identifier: Apache-2.0
// The program on the device: it writes what it writes on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct Result {
  std::vector<float> velocity;
  std::string icell;
};

/// The two arrays of a .vti file: 8 bytes of length before each.
Result read_vti(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::size_t place = text.find("<AppendedData");
  EXPECT_NE(place, text.npos) << path;
  if (place == text.npos) return {};
  place = text.find('_', place) + 1;
  const auto next = [&] {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + place, sizeof bytes);
    std::string data = text.substr(place + sizeof bytes, bytes);
    place += sizeof bytes + bytes;
    return data;
  };
  const std::string velocity = next();
  Result result{std::vector<float>(velocity.size() / sizeof(float)), next()};
  std::memcpy(result.velocity.data(), velocity.data(), velocity.size());
  return result;
}

class Program : public testing::Test {
protected:
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream(folder_ / "sensors.csv")
        << "0, 60, 50, 10, 5, 265, log, 0.1\n600, 60, 50, 10, 6, 250, log, 0.1\n";
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Both times of a run: dx, dy and dz differ, levels grow.
  [[nodiscard]] std::vector<Result> run(const std::string& arguments) const {
    const fs::path out = folder_ / "out";
    const std::string command = "'" CITY_WIND_PROGRAM "' --sensors '" + (folder_ / "sensors.csv").string() +
                                "' --cells 160,160,40 --cell-size 4,3,2 --stretch 1.04 --out '" +
                                out.string() + "' " + arguments;
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    EXPECT_GT(fs::file_size(out / "wind.png"), 10'000U);
    std::vector<Result> times{read_vti(out / "wind_00000000.vti"), read_vti(out / "wind_00000001.vti")};
    fs::remove_all(out);
    return times;
  }

  fs::path folder_ = fs::path(testing::TempDir()) / "heddle_city_wind_device";
};

TEST_F(Program, WritesOnTheDeviceWhatItWritesOnTheHost) {
  const std::vector<Result> expected = run("--tolerance 1e-9 --device cpu");
  ASSERT_GT(expected[0].velocity.size(), 3U * 160 * 160 * 40); // levels as thick as the lowest one
  for (const char* solver : {"mg-pcg", "sor"}) {
    const std::vector<Result> found = run(std::string("--tolerance 1e-9 --device cuda --solver ") + solver);
    for (std::size_t time = 0; time < 2; ++time) {
      EXPECT_EQ(found[time].icell, expected[time].icell);
      ASSERT_EQ(found[time].velocity.size(), expected[time].velocity.size());
      float largest = 0;
      for (std::size_t n = 0; n < found[time].velocity.size(); ++n)
        largest = std::max(largest, std::abs(found[time].velocity[n] - expected[time].velocity[n]));
      EXPECT_LT(largest, 1e-6F) << solver; // of some m/s: the last digit of a float
    }
  }
}

} // namespace
