// SPDX-License-Identifier: Apache-2.0
// Manifests whose numbers were changed and whose checksum is right all the same: none makes a run read beyond
// its memory or another folder.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "../../support/checkpointed_run.hpp"
#include "heddle/core/hash.hpp"

namespace {

using namespace checkpointed;

class Manifest : public CheckpointTest {
protected:
  Manifest() {
    write(2, {2, 1, 1}, {10});
    whole_ = bytes(file);
  }

  /// What reading says when the manifest has these lines instead; empty where it is accepted.
  std::string refusal(const std::vector<std::string>& lines) const {
    put(file, sealed(lines));
    return failure([&] { (void)read(2, {2, 1, 1}); });
  }
  /// The lines of the manifest, without its checksum.
  std::vector<std::string> lines() const {
    std::vector<std::string> found;
    for (std::size_t at = 0; at < whole_.size();) {
      const std::size_t end = whole_.find('\n', at);
      found.push_back(whole_.substr(at, end - at));
      at = end + 1;
    }
    found.pop_back();
    return found;
  }
  /// The first line of a kind.
  static std::string& line(std::vector<std::string>& lines, std::string_view kind) {
    for (std::string& one : lines)
      if (one.starts_with(kind)) return one;
    ADD_FAILURE() << kind;
    return lines.front();
  }
  /// Word number n of a line, from 0, becomes another.
  static std::string with_word(const std::string& line, std::size_t n, const std::string& word) {
    std::size_t begin = 0;
    for (; n > 0; --n)
      begin = line.find(' ', begin) + 1;
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    return line.substr(0, begin) + word + line.substr(end);
  }
  std::string refusal(std::string_view kind, std::size_t word, const std::string& value) const {
    std::vector<std::string> changed = lines();
    std::string& one = line(changed, kind);
    one = with_word(one, word, value);
    return refusal(changed);
  }

  static constexpr const char* file = "run_00000010.checkpoint";

private:
  static std::string sealed(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines)
      text += line + "\n";
    heddle::Hash hash;
    hash.add(reinterpret_cast<const std::byte*>(text.data()), text.size());
    std::array<char, 17> digits{};
    std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(hash.value()));
    return text + "end " + digits.data() + "\n";
  }

  std::string whole_;
};

constexpr std::size_t first_corner = 3; // words of a line "block": part, field, six corners, cells, place
constexpr std::size_t cells = 9;
constexpr std::size_t place = 10;

TEST_F(Manifest, IsReadAsItWasWritten) {
  EXPECT_EQ(refusal(lines()), "");
}

TEST_F(Manifest, CellsAreThoseOfTheBox) {
  for (const char* const number : {"1", "0", "-1", "281474976710656", "9223372036854775807"})
    EXPECT_NE(refusal("block", cells, number).find("is damaged"), std::string::npos) << number;
}

TEST_F(Manifest, CornersSpanABoxThatCanBeCounted) {
  for (std::size_t corner = first_corner; corner < cells; ++corner)
    for (const char* const number : {"-9223372036854775808", "9223372036854775807", "4294967296"})
      EXPECT_NE(refusal("block", corner, number).find("is damaged"), std::string::npos)
          << corner << ": " << number;
}

TEST_F(Manifest, ValuesLieInTheirPart) {
  for (const char* const number : {"18446744073709551608", "9223372036854775808", "1000000", "8"})
    EXPECT_NE(refusal("block", place, number), "") << number;
  EXPECT_NE(refusal("block", place, "1000000").find("is damaged"), std::string::npos);
}

TEST_F(Manifest, AListHasAsManyCellsAsItsMask) {
  std::vector<std::string> changed = lines();
  for (std::string& one : changed) {
    // A block of the field "f", which is listed and the third one, says a cell less.
    if (!one.starts_with("block ") || one.substr(one.find(' ', 6) + 1, 2) != "2 ") continue;
    std::size_t begin = 0;
    for (std::size_t n = 0; n < cells; ++n)
      begin = one.find(' ', begin) + 1;
    const std::int64_t count = std::stoll(one.substr(begin));
    one = with_word(one, cells, std::to_string(count - 1));
    const std::string text = refusal(changed);
    EXPECT_NE(text.find("cells, and its mask " + std::to_string(count)), std::string::npos) << text;
    return;
  }
  FAIL() << "no block of the listed field";
}

TEST_F(Manifest, ComponentsAndKindsAreChecked) {
  for (const char* const number : {"2147483647", "0", "-1"})
    EXPECT_NE(refusal("field f ", 3, number).find("is damaged"), std::string::npos) << number;
  EXPECT_NE(refusal("field f ", 4, "sparse").find("is damaged"), std::string::npos);
  EXPECT_NE(refusal("field f ", 2, "x32").find("is damaged"), std::string::npos);
}

TEST_F(Manifest, PartsAreFilesOfThisCheckpoint) {
  for (const char* const name : {"../elsewhere.bin", "/etc/passwd", "run_00000020.0.0.part", "run_00000010.0",
                                 "run_00000010.0/../../elsewhere.part", "run_00000010.checkpoint"})
    EXPECT_NE(refusal("part", 1, name).find("is no part of this checkpoint"), std::string::npos) << name;
}

TEST_F(Manifest, ALineIsThereOnceAndHasNothingMore) {
  for (const char* const kind : {"name", "step", "number", "field", "part"}) {
    std::vector<std::string> twice = lines();
    const std::string copy = line(twice, kind);
    twice.push_back(copy);
    EXPECT_NE(refusal(twice).find("is damaged"), std::string::npos) << kind;
  }
  for (const char* const kind : {"name", "step", "number", "field", "part", "block"}) {
    std::vector<std::string> longer = lines();
    line(longer, kind) += " 7";
    EXPECT_NE(refusal(longer).find("is damaged"), std::string::npos) << kind;
  }
  EXPECT_NE(refusal("number count", 3, "0g000000").find("is damaged"), std::string::npos);
}

} // namespace
