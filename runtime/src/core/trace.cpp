// SPDX-License-Identifier: Apache-2.0
// Own code: Perfetto's SDK would not be shorter, and Perfetto opens the file (decision 0143).
#include "heddle/core/trace.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <utility>

#include "heddle/core/error.hpp"
#include "heddle/core/printable.hpp"

namespace heddle {

namespace {

std::string microseconds(double seconds) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3f", 1e6 * seconds);
  return text;
}

} // namespace

void Trace::add(Span span) {
  const std::lock_guard lock(mutex_);
  spans_.push_back(std::move(span));
}

std::vector<Trace::Span> Trace::spans() const {
  const std::lock_guard lock(mutex_);
  return spans_;
}

std::string Trace::json() const {
  const std::vector<Span> all = spans();
  double zero = all.empty() ? 0 : all.front().begin;
  for (const Span& span : all)
    zero = std::min(zero, span.begin);
  std::string text = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [";
  const char* separator = "\n";
  std::map<std::pair<int, std::string>, int> rows; // by number: the format wants numbers and names apart
  for (const Span& span : all) {
    const auto [row, is_new] = rows.try_emplace({span.process, span.row}, static_cast<int>(rows.size()));
    const std::string where =
        "\"pid\": " + std::to_string(span.process) + ", \"tid\": " + std::to_string(row->second);
    if (is_new) {
      text += separator + ("{\"name\": \"thread_name\", \"ph\": \"M\", " + where) +
              ", \"args\": {\"name\": " + in_quotes(span.row) + "}}";
      separator = ",\n";
    }
    text += separator + ("{\"name\": " + in_quotes(span.name)) + ", \"ph\": \"X\", " + where +
            ", \"ts\": " + microseconds(span.begin - zero) +
            ", \"dur\": " + microseconds(span.end - span.begin) + "}";
  }
  return text + "\n]}\n";
}

void Trace::write(const std::filesystem::path& file) const {
  std::ofstream out(file, std::ios::binary);
  out << json();
  out.close();
  if (!out) throw Error("Trace::write", "cannot write " + file.string());
}

double Trace::now() noexcept {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace heddle
