// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_LBM_BLOCKS_TRACED_HPP
#define HEDDLE_LBM_BLOCKS_TRACED_HPP

#include <array>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "heddle/trace.hpp"

/// Reads back what heddle::Trace writes.
namespace traced {

/// The complete events, with the names of their rows; seconds. Events of another form are not read.
inline std::vector<heddle::Trace::Span> parse(const std::string& json) {
  constexpr const char* head = "{\"name\": \"%127[^\"]\", \"ph\": \"%c\", \"pid\": %d, \"tid\": %d, %n";
  std::map<std::pair<int, int>, std::string> rows;
  std::vector<heddle::Trace::Span> spans;
  for (auto at = json.find("{\"name\""); at != std::string::npos; at = json.find("{\"name\"", at + 1)) {
    std::array<char, 128> name{}, of_row{};
    char phase = 0;
    int process = 0, thread = 0, length = 0;
    if (std::sscanf(json.c_str() + at, head, name.data(), &phase, &process, &thread, &length) != 4) continue;
    const char* const rest = json.c_str() + at + length;
    double begin = 0, duration = 0;
    if (phase == 'M' && std::sscanf(rest, "\"args\": {\"name\": \"%127[^\"]\"", of_row.data()) == 1) {
      rows[{process, thread}] = of_row.data();
    } else if (std::sscanf(rest, "\"ts\": %lf, \"dur\": %lf}", &begin, &duration) == 2) {
      spans.push_back({name.data(), process, rows.at({process, thread}), 1e-6 * begin, 1e-6 * (begin + duration)});
    }
  }
  return spans;
}

} // namespace traced

#endif
