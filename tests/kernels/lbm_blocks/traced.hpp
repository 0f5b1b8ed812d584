// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_LBM_BLOCKS_TRACED_HPP
#define HEDDLE_LBM_BLOCKS_TRACED_HPP

#include <map>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "heddle/trace.hpp"

/// Reads back what heddle::Trace writes.
namespace traced {

/// The complete events, with the names of their rows; seconds. Events of another form are not read.
inline std::vector<heddle::Trace::Span> parse(const std::string& json) {
  const std::regex event(
      R"re(\{"name": "([^"]*)", "ph": "(.)", "pid": (\d+), "tid": (\d+), (?:"args": \{"name": "([^"]*)"\}|"ts": ([0-9.]+), "dur": ([0-9.]+))\})re");
  std::map<std::pair<int, int>, std::string> rows;
  std::vector<heddle::Trace::Span> spans;
  for (std::sregex_iterator match(json.begin(), json.end(), event), end; match != end; ++match) {
    const int process = std::stoi((*match)[3]);
    const std::pair row{process, std::stoi((*match)[4])};
    if ((*match)[2] == "M") {
      rows[row] = (*match)[5];
      continue;
    }
    const double begin = 1e-6 * std::stod((*match)[6]);
    spans.push_back({(*match)[1], process, rows.at(row), begin, begin + 1e-6 * std::stod((*match)[7])});
  }
  return spans;
}

} // namespace traced

#endif
