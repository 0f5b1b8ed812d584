// SPDX-License-Identifier: Apache-2.0
#include "systems.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <utility>

#include "heddle/core/error.hpp"

namespace {

constexpr std::int64_t mark = 0x53595354454d5331; // the first number of a file

std::size_t index(std::int64_t n) {
  return static_cast<std::size_t>(n);
}

void put(std::ofstream& file, const void* data, std::size_t bytes) {
  file.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
}
void put(std::ofstream& file, const std::vector<double>& values) {
  put(file, values.data(), values.size() * sizeof(double));
}
void get(std::ifstream& file, void* data, std::size_t bytes) {
  file.read(static_cast<char*>(data), static_cast<std::streamsize>(bytes));
}
void get(std::ifstream& file, std::vector<double>& values, std::int64_t count) {
  values.resize(index(count));
  get(file, values.data(), values.size() * sizeof(double));
}

} // namespace

void write(const Draw& draw, const std::string& file) {
  std::ofstream out(file, std::ios::binary);
  const auto cells = draw.cells;
  const auto species =
      draw.moments.empty() ? 0 : static_cast<std::int64_t>(draw.moments[0].right_side.size()) / cells;
  const std::array<std::int64_t, 5> head{mark, cells, species,
                                         static_cast<std::int64_t>(draw.rate_constant.size()) / cells,
                                         static_cast<std::int64_t>(draw.moments.size())};
  put(out, head.data(), sizeof head);
  put(out, draw.air);
  put(out, draw.rate_constant);
  for (const Moment& moment : draw.moments) {
    put(out, &moment.call, sizeof moment.call);
    put(out, &moment.number, sizeof moment.number);
    put(out, &moment.gamma, sizeof moment.gamma);
    put(out, moment.concentration);
    put(out, moment.right_side);
  }
  out.close();
  if (!out) throw heddle::Error(file, "it cannot be written", "look at the folder and the space left");
}

Draw read(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::array<std::int64_t, 5> head{};
  get(in, head.data(), sizeof head);
  const auto [first, cells, species, reactions, moments] = head;
  if (!in || first != mark || cells < 1 || species < 1 || reactions < 1 || moments < 1)
    throw heddle::Error(file, "it holds no linear systems", "write it with heddle-draw-systems");
  Draw draw;
  draw.cells = cells;
  get(in, draw.air, cells);
  get(in, draw.rate_constant, reactions * cells);
  for (std::int64_t n = 0; in && n < moments; ++n) {
    Moment moment;
    get(in, &moment.call, sizeof moment.call);
    get(in, &moment.number, sizeof moment.number);
    get(in, &moment.gamma, sizeof moment.gamma);
    get(in, moment.concentration, species * cells);
    get(in, moment.right_side, species * cells);
    draw.moments.push_back(std::move(moment));
  }
  if (!in) throw heddle::Error(file, "it ends too early", "write it again with heddle-draw-systems");
  return draw;
}

double LinearSystems::residual_squared(std::int64_t cell, const std::vector<double>& x) const {
  const std::int64_t rows = pattern.rows();
  const double* const a = &matrix[index(cell * pattern.entries())];
  double sum = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    double rest = right_side[index(cell * rows + i)];
    for (std::int32_t e = pattern.start[index(i)]; e < pattern.start[index(i + 1)]; ++e)
      rest -= a[e] * x[index(cell * rows + pattern.column[index(e)])];
    sum += rest * rest;
  }
  return sum;
}

LinearSystems systems_of(const Draw& draw, const Moment& moment, const std::vector<Reaction>& reactions,
                         std::int64_t first, std::int64_t cells) {
  const auto species = static_cast<std::int64_t>(moment.right_side.size()) / draw.cells;
  const MassAction equations(reactions, static_cast<int>(species));
  LinearSystems systems;
  systems.cells = cells;
  // Compressed columns become compressed rows.
  const auto entries = static_cast<std::int64_t>(equations.rows().size());
  std::vector<std::vector<std::pair<std::int32_t, std::int64_t>>> rows(index(species));
  for (std::int64_t j = 0; j < species; ++j)
    for (std::int64_t e = equations.columns()[index(j)]; e < equations.columns()[index(j + 1)]; ++e)
      rows[index(equations.rows()[index(e)])].emplace_back(static_cast<std::int32_t>(j), e);
  std::vector<std::int64_t> place(index(entries)); // in rows, of an entry in columns
  systems.pattern.start.push_back(0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const auto& [j, e] : rows[i]) {
      const auto at = static_cast<std::int32_t>(systems.pattern.column.size());
      place[index(e)] = at;
      if (static_cast<std::size_t>(j) == i) systems.pattern.diagonal.push_back(at);
      systems.pattern.column.push_back(j);
    }
    systems.pattern.start.push_back(static_cast<std::int32_t>(systems.pattern.column.size()));
  }

  const auto count = static_cast<std::int64_t>(reactions.size());
  systems.matrix.resize(index(cells * entries));
  systems.right_side.resize(index(cells * species));
  std::vector<double> k(index(count)), y(index(species)), jacobian(index(entries));
  for (std::int64_t n = 0; n < cells; ++n) {
    const std::int64_t z = first + n;
    for (std::int64_t q = 0; q < count; ++q)
      k[index(q)] = draw.rate_constant[index(q * draw.cells + z)];
    for (std::int64_t s = 0; s < species; ++s) {
      y[index(s)] = moment.concentration[index(s * draw.cells + z)];
      systems.right_side[index(n * species + s)] =
          1e6 / draw.air[index(z)] * moment.right_side[index(s * draw.cells + z)];
    }
    equations.jacobian(k.data(), y.data(), jacobian.data());
    double* const a = &systems.matrix[index(n * entries)];
    for (std::int64_t e = 0; e < entries; ++e)
      a[place[index(e)]] = -moment.gamma * jacobian[index(e)];
    for (const std::int32_t at : systems.pattern.diagonal)
      a[at] += 1;
  }
  return systems;
}

std::vector<double> dense_solution(const LinearSystems& systems, std::int64_t cell) {
  const SparseRows& pattern = systems.pattern;
  const auto size = index(pattern.rows());
  std::vector<std::vector<double>> a(size, std::vector<double>(size + 1)); // the last column is b
  for (std::size_t i = 0; i < size; ++i) {
    for (std::int32_t e = pattern.start[i]; e < pattern.start[i + 1]; ++e)
      a[i][index(pattern.column[index(e)])] = systems.matrix[index(cell * pattern.entries() + e)];
    a[i][size] = systems.right_side[index(cell) * size + i];
  }
  for (std::size_t k = 0; k < size; ++k) {
    std::size_t largest = k;
    for (std::size_t i = k + 1; i < size; ++i)
      if (std::abs(a[i][k]) > std::abs(a[largest][k])) largest = i;
    std::swap(a[k], a[largest]);
    for (std::size_t i = k + 1; i < size; ++i) {
      const double l = a[i][k] / a[k][k];
      for (std::size_t j = k; l != 0 && j <= size; ++j)
        a[i][j] -= l * a[k][j];
    }
  }
  std::vector<double> x(size);
  for (std::size_t i = size; i-- > 0;) {
    double rest = a[i][size];
    for (std::size_t j = i + 1; j < size; ++j)
      rest -= a[i][j] * x[j];
    x[i] = rest / a[i][i];
  }
  return x;
}
