// SPDX-License-Identifier: Apache-2.0
#include "heddle/geometry/npy.hpp"

#include "files.hpp"

namespace heddle::geometry {
namespace {

using test::contains;
using test::error_of;
using test::npy;
using test::zip;

const std::vector<std::int16_t> heights{1, -2, 3, 400, 5, -600};

TEST(Npy, ReadsEveryElementType) {
  const test::Folder folder;
  const auto check = [&](const std::string& bytes, const std::string& type) {
    const Array array = read_npy(folder.write("a.npy", bytes));
    EXPECT_EQ(array.type, type);
    EXPECT_EQ(array.shape, (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(array.values, (std::vector<double>{1, -2, 3, 4, 5, -6}));
  };
  check(npy<std::int8_t>("|i1", "(2, 3)", {1, -2, 3, 4, 5, -6}), "int8");
  check(npy<std::int16_t>("<i2", "(2, 3)", {1, -2, 3, 4, 5, -6}), "int16");
  check(npy<std::int32_t>("<i4", "(2, 3)", {1, -2, 3, 4, 5, -6}), "int32");
  check(npy<std::int64_t>("<i8", "(2, 3)", {1, -2, 3, 4, 5, -6}), "int64");
  check(npy<float>("<f4", "(2, 3)", {1, -2, 3, 4, 5, -6}), "float32");
  check(npy<double>("<f8", "(2, 3)", {1, -2, 3, 4, 5, -6}), "float64");
}

TEST(Npy, ReadsScalarsAndVectors) {
  const test::Folder folder;
  const Array scalar = read_npy(folder.write("s.npy", npy<double>("<f8", "()", {0.25})));
  EXPECT_TRUE(scalar.shape.empty());
  EXPECT_EQ(scalar.values, std::vector<double>{0.25});
  const Array vector = read_npy(folder.write("v.npy", npy<float>("<f4", "(3,)", {1, 2, 3})));
  EXPECT_EQ(vector.shape, std::vector<std::int64_t>{3});
}

TEST(Npy, RefusesWhatItCannotRead) {
  const test::Folder folder;
  const auto message = [&](const std::string& bytes) {
    const auto path = folder.write("bad.npy", bytes);
    return error_of([&] { (void)read_npy(path); });
  };
  EXPECT_TRUE(contains(message("not numpy at all"), "not an npy array"));
  EXPECT_TRUE(contains(message(""), "not an npy array"));
  EXPECT_TRUE(contains(message(npy<double>(">f8", "(1,)", {1})), "type '>f8' is not supported"));
  EXPECT_TRUE(contains(message(npy<double>("<f8", "(2, 1)", {1, 2}, "True")), "Fortran order"));
  EXPECT_TRUE(contains(message(npy<double>("<f8", "(3, 1)", {1, 2})), "after 2 of 3 values"));
  EXPECT_TRUE(contains(message(npy<double>("<f8", "(3, -1)", {1, 2})), "no valid shape"));
  EXPECT_TRUE(contains(message(npy<double>("<f8", "(99999999999, 99999999999)", {1})),
                       "99999999999 x 99999999999 values would need"));
  EXPECT_TRUE(contains(message(npy<double>("<f8", "(1,)", {1}).substr(0, 40)), "header is incomplete"));
  EXPECT_TRUE(contains(error_of([&] { (void)read_npy(folder.path() / "none.npy"); }), "does not exist"));
  EXPECT_TRUE(contains(error_of([&] { (void)read_npy(folder.path()); }), "is a folder"));
}

class Npz : public testing::TestWithParam<bool> {};

TEST_P(Npz, ReadsNamedArrays) {
  const test::Folder folder;
  const auto path = folder.write("a.npz", zip({{"dx.npy", npy<double>("<f8", "()", {0.5})},
                                               {"elevation.npy", npy("<i2", "(2, 3)", heights)}},
                                              GetParam()));
  const std::vector<ArrayInfo> arrays = npz_arrays(path);
  ASSERT_EQ(arrays.size(), 2U);
  EXPECT_EQ(arrays[0].name, "dx");
  EXPECT_EQ(arrays[0].shape, std::vector<std::int64_t>{});
  EXPECT_EQ(arrays[1].name, "elevation");
  EXPECT_EQ(arrays[1].shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(read_npz(path, "dx").values, std::vector<double>{0.5});
  EXPECT_EQ(read_npz(path, "elevation").values, (std::vector<double>{1, -2, 3, 400, 5, -600}));
  EXPECT_TRUE(contains(error_of([&] { (void)read_npz(path, "dz"); }), "choose one of: dx, elevation"));
}

TEST_P(Npz, EveryTruncationIsAnError) {
  const test::Folder folder;
  const std::string whole = zip({{"elevation.npy", npy("<i2", "(2, 3)", heights)}}, GetParam());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto path = folder.write("cut.npz", whole.substr(0, length));
    EXPECT_THROW((void)read_npz(path, "elevation"), Error) << length;
  }
}

TEST_P(Npz, EveryFlippedByteIsAnErrorOrHarmless) {
  // A byte of the name, of a date or of the blanks in the header may change without harm; a height may not.
  const test::Folder folder;
  const std::string whole = zip({{"elevation.npy", npy("<i2", "(2, 3)", heights)}}, GetParam());
  int refused = 0;
  for (std::size_t n = 0; n < whole.size(); ++n) {
    std::string damaged = whole;
    damaged[n] = static_cast<char>(damaged[n] ^ 0x5A);
    const auto path = folder.write("flip.npz", damaged);
    try {
      EXPECT_EQ(read_npz(path, "elevation").values, (std::vector<double>{1, -2, 3, 400, 5, -600})) << n;
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
}

INSTANTIATE_TEST_SUITE_P(StoredAndDeflated, Npz, testing::Bool());

TEST(Npz, ADirectoryThatPromisesTooMuchDoesNotAllocate) {
  const test::Folder folder;
  std::string bytes = zip({{"a.npy", npy<double>("<f8", "(1,)", {1})}}, true);
  const std::size_t directory = bytes.find("PK\x01\x02");
  bytes.replace(directory + 24, 4, test::raw(std::uint32_t{0xFFFFFFF0}));
  const auto path = folder.write("bomb.npz", bytes);
  EXPECT_TRUE(contains(error_of([&] { (void)read_npz(path, "a"); }), "promises more data"));
}

} // namespace
} // namespace heddle::geometry
