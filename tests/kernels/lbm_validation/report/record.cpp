// SPDX-License-Identifier: Apache-2.0
// The runs of a table that are done, as text: a line a value or point, `end` after each run.
#include <cstdint>
#include <fstream>
#include <iomanip>
#include <limits>
#include <sstream>

#include "heddle/core/error.hpp"
#include "record.hpp"

namespace validation {
namespace {

/// FNV-1a over names, settings, precisions, costs and threads of all runs.
std::string sum_of(const std::vector<Case>& table) {
  std::ostringstream text;
  for (const Case& one : table) {
    text << one.name << "\n" << one.setting << "\n";
    for (const Run& run : one.runs)
      text << name_of(run.precision) << " " << run.seconds << " " << run.threads << "\n";
  }
  std::uint64_t sum = 0xcbf29ce484222325U;
  for (const char letter : text.str())
    sum = (sum ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  std::ostringstream hex;
  hex << std::hex << std::setw(16) << std::setfill('0') << sum;
  return hex.str();
}

std::size_t place_of(const Case& one, const Run& run) {
  return static_cast<std::size_t>(&run - one.runs.data());
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream text(line);
  for (std::string field; std::getline(text, field, '\t');)
    fields.push_back(field);
  fields.resize(6); // the longest line has as many
  return fields;
}

} // namespace

Record::Record(std::filesystem::path file, const std::vector<Case>& table)
    : file_(std::move(file)), text_("table\t" + sum_of(table) + "\n") {
  if (std::filesystem::exists(file_)) read();
}

void Record::read() {
  std::ifstream in(file_);
  std::string line;
  if (!std::getline(in, line) || line + "\n" != text_)
    throw heddle::Error("lbm-validation", "'" + file_.string() + "' holds runs of another table or version",
                        "give another folder, or --fresh to begin anew in this one");
  Key key;
  Outcome outcome;
  while (std::getline(in, line)) {
    text_ += line + "\n";
    const std::vector<std::string> at = fields_of(line);
    if (at[0] == "call") {
      ++calls_;
    } else if (at[0] == "run") {
      key = {at[1], std::stoul(at[2])}, outcome = {};
    } else if (at[0] == "value") {
      outcome.quantities.push_back(
          {at[1], std::stod(at[2]), std::stod(at[3]), std::stod(at[4]), std::stod(at[5])});
    } else if (at[0] == "graph") {
      outcome.graphs.push_back({at[1], at[2], at[3], {}});
    } else if (at[0] == "curve") {
      outcome.graphs.back().curves.push_back({at[1], {}, {}, at[2] == "points"});
    } else if (at[0] == "at") {
      Curve& curve = outcome.graphs.back().curves.back();
      curve.x.push_back(std::stod(at[1])), curve.y.push_back(std::stod(at[2]));
    } else if (at[0] == "end") {
      outcomes_[key] = outcome;
    }
  }
}

void Record::write() const {
  const std::filesystem::path beside = file_.string() + ".new";
  std::ofstream out(beside);
  out << text_;
  out.close();
  if (!out) throw heddle::Error("lbm-validation", "cannot write '" + beside.string() + "'");
  std::filesystem::rename(beside, file_); // whole or not at all, whenever the program is stopped
}

const Outcome* Record::find(const Case& one, const Run& run) const {
  const auto found = outcomes_.find({one.name, place_of(one, run)});
  return found == outcomes_.end() ? nullptr : &found->second;
}

void Record::add(const Case& one, const Run& run, const Outcome& outcome) {
  std::ostringstream text;
  text.precision(std::numeric_limits<double>::max_digits10);
  if (!begun_) {
    begun_ = true;
    text << "call\t" << ++calls_ << "\n";
  }
  text << "run\t" << one.name << "\t" << place_of(one, run) << "\n";
  for (const Quantity& q : outcome.quantities)
    text << "value\t" << q.name << "\t" << q.value << "\t" << q.reference << "\t" << q.tolerance << "\t"
         << q.tolerance_f32 << "\n";
  for (const Graph& graph : outcome.graphs) {
    text << "graph\t" << graph.title << "\t" << graph.x_label << "\t" << graph.y_label << "\n";
    for (const Curve& curve : graph.curves) {
      text << "curve\t" << curve.name << "\t" << (curve.points ? "points" : "line") << "\n";
      for (std::size_t i = 0; i < curve.x.size(); ++i)
        text << "at\t" << curve.x[i] << "\t" << curve.y[i] << "\n";
    }
  }
  text << "end\n";
  text_ += text.str();
  write();
  outcomes_[{one.name, place_of(one, run)}] = outcome;
}

} // namespace validation
