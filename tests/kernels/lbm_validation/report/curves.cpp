// SPDX-License-Identifier: Apache-2.0
// The graphs of a table as text, a point a line, so that they can be drawn on another machine.
#include <fstream>
#include <sstream>

#include "heddle/core/error.hpp"
#include "report.hpp"

namespace validation {
namespace {

constexpr const char* header = "graph\tx label\ty label\tcurve\tpoints\tx\ty";

} // namespace

void write_curves(const std::vector<Graph>& graphs, const std::filesystem::path& path) {
  std::ofstream out(path);
  out.precision(8);
  out << header << "\n";
  for (const Graph& graph : graphs) {
    for (const Curve& curve : graph.curves) {
      for (std::size_t i = 0; i < curve.x.size(); ++i)
        out << graph.title << "\t" << graph.x_label << "\t" << graph.y_label << "\t" << curve.name << "\t"
            << curve.points << "\t" << curve.x[i] << "\t" << curve.y[i] << "\n";
    }
  }
  out.close();
  if (!out) throw heddle::Error("lbm-validation", "cannot write '" + path.string() + "'");
}

std::vector<Graph> read_curves(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::string line;
  if (!std::getline(in, line) || line != header)
    throw heddle::Error("lbm-validation", "'" + path.string() + "' has no curves",
                        "give a validation.tsv that it wrote");
  std::vector<Graph> graphs;
  while (std::getline(in, line)) {
    std::istringstream text(line);
    Graph graph;
    Curve curve;
    std::string points, x, y;
    for (std::string* part : {&graph.title, &graph.x_label, &graph.y_label, &curve.name, &points, &x, &y})
      std::getline(text, *part, '\t');
    curve.points = points == "1";
    if (graphs.empty() || graphs.back().title != graph.title) graphs.push_back(graph);
    // unnamed curves follow one another as points and lines
    auto& curves = graphs.back().curves;
    if (curves.empty() || curves.back().name != curve.name || curves.back().points != curve.points)
      curves.push_back(curve);
    curves.back().x.push_back(std::stod(x)), curves.back().y.push_back(std::stod(y));
  }
  return graphs;
}

} // namespace validation
