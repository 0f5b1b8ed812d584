// SPDX-License-Identifier: Apache-2.0
#include "heddle/core/printable.hpp"

#include <gtest/gtest.h>

#include "heddle/core/error.hpp"

namespace heddle {
namespace {

TEST(Printable, KeepsWhatPeopleWrite) {
  for (const char* const text :
       {"", "hill.asc", "a \\ b & <c>", "Zürich", "東京", "🏔 über 4000 m", "\u00a0"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, ShowsBytesThatAreNoText) {
  EXPECT_EQ(printable("ctl\x01.asc"), "ctl\\x01.asc");
  EXPECT_EQ(printable("\x1b[31mred\x7f\n"), "\\x1b[31mred\\x7f\\x0a");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\xff\xc3(\x80"), "\\xff\\xc3(\\x80");
  EXPECT_EQ(printable("end \xe6\x9d"), "end \\xe6\\x9d");                      // cut short
  EXPECT_EQ(printable("\xc0\xaf \xe0\x80\xaf"), "\\xc0\\xaf \\xe0\\x80\\xaf"); // longer than they need be
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");                     // half of a pair of UTF-16
  EXPECT_EQ(printable("\xf4\x90\x80\x80 \xf8\x88\x80\x80\x80"),
            "\\xf4\\x90\\x80\\x80 \\xf8\\x88\\x80\\x80\\x80"); // beyond Unicode
  EXPECT_EQ(printable("\xef\xbf\xbf"), "\\xef\\xbf\\xbf");     // U+FFFF, which XML refuses
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");              // a control character of terminals
}

TEST(Printable, ErrorsShowNamesSo) {
  const Error error("file 'a\x1b]0;b\x07.asc'", "it is damaged", "copy it\nagain");
  EXPECT_STREQ(error.what(), "file 'a\\x1b]0;b\\x07.asc': it is damaged. Hint: copy it\nagain");
}

} // namespace
} // namespace heddle
