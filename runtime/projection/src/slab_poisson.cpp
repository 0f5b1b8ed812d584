// SPDX-License-Identifier: Apache-2.0
#include "heddle/slab_poisson.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "column_segment.hpp"
#include "default_transform.hpp"
#include "heddle/error.hpp"
#include "heddle/parallel.hpp"

namespace heddle {
namespace {

using detail::Ends;
using detail::ReducedRows;
using detail::Rows;

/// Part r of `count` things that are shared by `ranks`.
struct Share {
  std::int64_t first, last;
  Share(std::int64_t count, int rank, int ranks)
      : first(count * rank / ranks), last(count * (rank + 1) / ranks) {}
  [[nodiscard]] std::int64_t size() const { return last - first; }
};

template <class Real> std::vector<Real> converted(const std::vector<double>& values, const Share& part) {
  std::vector<Real> result;
  for (std::int64_t k = part.first; k < part.last; ++k)
    result.push_back(static_cast<Real>(values[static_cast<std::size_t>(k)]));
  return result;
}

template <class Real> Rows<Real> rows_of(const ColumnCoefficients& column, const Share& levels) {
  return {converted<Real>(column.lower, levels), converted<Real>(column.upper, levels),
          converted<Real>(column.density, levels), converted<Real>(column.excess, levels)};
}

template <class Real>
std::vector<Real> eigenvalues(const PoissonDirection& direction, const std::vector<std::int64_t>& positions) {
  std::vector<Real> values;
  for (const std::int64_t mode : positions)
    values.push_back(static_cast<Real>(mode < 0 ? 0 : eigenvalue(direction, mode)));
  return values;
}

/// One round of messages: a piece to and from each other rank, or none.
template <class Real> class Round {
public:
  Round(Transport& transport, const char* name)
      : transport_(transport), name_(name), tag_(transport.enlist()) {}

  void send(int rank, Real* data, std::int64_t count) { add(send_, rank, data, count); }
  void receive(int rank, Real* data, std::int64_t count) { add(receive_, rank, data, count); }
  void run() {
    Stream stream;
    const Traffic traffic{name_, tag_, step_++, send_, receive_};
    transport_.start(traffic, stream);
    transport_.finish(traffic, stream);
    send_.clear();
    receive_.clear();
  }

private:
  static void add(std::vector<Message>& messages, int rank, Real* data, std::int64_t count) {
    if (count > 0)
      messages.push_back(
          {rank, reinterpret_cast<std::byte*>(data), static_cast<std::size_t>(count) * sizeof(Real)});
  }

  Transport& transport_;
  const char* name_;
  int tag_;
  std::int64_t step_ = 0;
  std::vector<Message> send_;
  std::vector<Message> receive_;
};

} // namespace

template <class Real> struct SlabPoisson<Real>::Parts {
  Parts(const PoissonProblem& problem, Transport& to, std::unique_ptr<PlaneTransform<Real>> planes,
        SlabMethod wanted)
      : transport(to), rank(to.rank()), ranks(to.ranks()), transform(std::move(planes)),
        all_levels(problem.z.unknowns()), levels(all_levels, rank, ranks), pitch(transform->row_pitch()),
        height(transform->rows()), method(wanted),
        lambda_x(eigenvalues<Real>(problem.x, transform->positions_x())),
        lambda_y(eigenvalues<Real>(problem.y, transform->positions_y())), heads(to, "heads of columns"),
        reduced(to, "reduced rows"), ends(to, "ends of columns"), there(to, "columns, there"),
        back(to, "columns, back") {
    if (all_levels < ranks) {
      throw Error("SlabPoisson",
                  std::to_string(all_levels) + " levels do not suffice for " + std::to_string(ranks) +
                      " ranks",
                  "use fewer ranks");
    }
    if (problem.z.lower == Boundary::periodic) {
      throw Error("SlabPoisson", "the problem is periodic along z, so that its columns have no ends",
                  "turn the axes so that z has walls, or solve on one rank");
    }
    const ColumnCoefficients column = column_coefficients(problem.z, problem.shift);
    if (method == SlabMethod::automatic)
      method = all_levels / ranks < 4 ? SlabMethod::transposed : SlabMethod::partitioned;
    own = rows_of<Real>(column, method == SlabMethod::partitioned ? levels : Share(all_levels, 0, 1));
    if (method == SlabMethod::partitioned) set_up();
  }

  [[nodiscard]] std::int64_t modes() const { return pitch * height; }

  /// Calls f(row, eigenvalues of its columns) for rows of modes first <= j < last, on several threads.
  template <class F> void for_rows(std::int64_t first, std::int64_t last, F&& f) const {
    parallel_ranges(last - first, [&](std::int64_t begin, std::int64_t end) {
      std::vector<Real> lambda(static_cast<std::size_t>(pitch));
      for (std::int64_t j = first + begin; j < first + end; ++j) {
        for (std::size_t i = 0; i < lambda.size(); ++i)
          lambda[i] = lambda_x[i] + lambda_y[static_cast<std::size_t>(j)];
        f(j, std::span<const Real>(lambda));
      }
    });
  }

  /// The rows that remain when all levels of a rank but the highest are eliminated, shared out by columns.
  void set_up() {
    const auto count = static_cast<std::size_t>(modes());
    std::vector<Real> head(2 * count), row(3 * count);
    const std::size_t top = own.a.size() - 1;
    for_rows(0, height, [&](std::int64_t j, std::span<const Real> lambda) {
      std::vector<Real> nothing(lambda.size() * own.a.size(), 0);
      Ends<Real> end(lambda.size());
      eliminate(own, lambda, nothing.data(), pitch, end);
      for (std::size_t i = 0; i < lambda.size(); ++i) {
        const std::size_t at = static_cast<std::size_t>(j * pitch) + i;
        head[at] = end.head_gamma[i];
        head[count + at] = end.head_slack[i];
        row[at] = own.a[top] * end.alpha[i];
        row[2 * count + at] = own.density[top] * lambda[i] + own.excess[top] + own.a[top] * end.slack[i];
      }
    });
    std::vector<Real> above(2 * count, 0);
    send_down(head.data(), above.data(), 2 * modes());
    for (std::size_t at = 0; at < count; ++at) {
      row[count + at] = own.c[top] * above[at];
      row[2 * count + at] += own.c[top] * above[count + at];
    }
    const Share mine(modes(), rank, ranks);
    const auto columns = static_cast<std::size_t>(mine.size());
    for (std::vector<Real>* part : {&rows.a, &rows.c, &rows.v})
      part->resize(columns * static_cast<std::size_t>(ranks));
    gather(row.data(), rows.a.data());
    gather(row.data() + count, rows.c.data());
    gather(row.data() + 2 * count, rows.v.data());
  }

  /// From each rank to the one below.
  void send_down(Real* data, Real* from_above, std::int64_t count) {
    if (rank > 0) heads.send(rank - 1, data, count);
    if (rank + 1 < ranks) heads.receive(rank + 1, from_above, count);
    heads.run();
  }

  /// Of a value for each mode on each rank, this rank gets all of its modes: segment s at to + s * columns.
  void gather(Real* from, Real* to) {
    const Share mine(modes(), rank, ranks);
    for (int r = 0; r < ranks; ++r) {
      const Share theirs(modes(), r, ranks);
      if (r == rank) {
        std::copy_n(from + mine.first, mine.size(), to + r * mine.size());
      } else {
        reduced.send(r, from + theirs.first, theirs.size());
        reduced.receive(r, to + r * mine.size(), mine.size());
      }
    }
    reduced.run();
  }

  void solve_partitioned(Real* field) {
    const auto count = static_cast<std::size_t>(modes());
    const std::size_t top = own.a.size() - 1;
    std::vector<Real> head(count), above(count, 0), right(count);
    for_rows(0, height, [&](std::int64_t j, std::span<const Real> lambda) {
      Ends<Real> end(lambda.size());
      eliminate(own, lambda, field + j * pitch, modes(), end);
      const Real* const highest = field + static_cast<std::int64_t>(top) * modes() + j * pitch;
      for (std::size_t i = 0; i < lambda.size(); ++i) {
        const std::size_t at = static_cast<std::size_t>(j * pitch) + i;
        head[at] = end.head_phi[i];
        right[at] = own.a[top] * end.phi[i] - highest[i];
      }
    });
    send_down(head.data(), above.data(), modes());
    for (std::size_t at = 0; at < count; ++at)
      right[at] += own.c[top] * above[at];
    const Share mine(modes(), rank, ranks);
    const auto columns = static_cast<std::size_t>(mine.size());
    std::vector<Real> unknown(columns * static_cast<std::size_t>(ranks));
    gather(right.data(), unknown.data());
    solve_reduced(rows, static_cast<std::size_t>(ranks), columns, unknown.data());
    // Below and at the top of each rank: segments s - 1 and s lie one behind the other.
    std::vector<Real> both(2 * count, 0), result(2 * count, 0);
    std::vector<Real> padded(columns, 0);
    padded.insert(padded.end(), unknown.begin(), unknown.end());
    for (int r = 0; r < ranks; ++r) {
      const Share theirs(modes(), r, ranks);
      if (r != rank) {
        ends.send(r, padded.data() + r * mine.size(), 2 * mine.size());
        ends.receive(r, both.data() + 2 * theirs.first, 2 * theirs.size());
      } else {
        std::copy_n(padded.data() + r * mine.size(), 2 * mine.size(), both.data() + 2 * mine.first);
      }
    }
    ends.run();
    for (int r = 0; r < ranks; ++r) {
      const Share theirs(modes(), r, ranks);
      std::copy_n(both.data() + 2 * theirs.first, theirs.size(), result.data() + theirs.first);
      std::copy_n(both.data() + 2 * theirs.first + theirs.size(), theirs.size(),
                  result.data() + modes() + theirs.first);
    }
    for_rows(0, height, [&](std::int64_t j, std::span<const Real> lambda) {
      std::vector<Real> work;
      substitute(own, lambda, field + j * pitch, modes(), result.data() + j * pitch,
                 result.data() + modes() + j * pitch, work);
    });
  }

  /// Whole columns, rows `part` of modes, level k at columns + k * part.size() * pitch.
  void solve_whole(Real* columns, const Share& part) {
    const std::size_t top = own.a.size() - 1;
    const std::int64_t plane = part.size() * pitch;
    for_rows(part.first, part.last, [&](std::int64_t j, std::span<const Real> lambda) {
      Real* const first = columns + (j - part.first) * pitch;
      Ends<Real> end(lambda.size());
      eliminate(own, lambda, first, plane, end);
      const std::vector<Real> nothing(lambda.size(), 0);
      ReducedRows<Real> row{nothing, nothing, nothing};
      std::vector<Real> unknown(lambda.size());
      const Real* const highest = first + static_cast<std::int64_t>(top) * plane;
      for (std::size_t i = 0; i < lambda.size(); ++i) {
        row.v[i] = own.density[top] * lambda[i] + own.excess[top] + own.a[top] * end.slack[i];
        unknown[i] = own.a[top] * end.phi[i] - highest[i];
      }
      solve_reduced(row, 1, lambda.size(), unknown.data());
      std::vector<Real> work;
      substitute(own, lambda, first, plane, nothing.data(), unknown.data(), work);
    });
  }

  void solve_transposed(Real* field) {
    const Share part(height, rank, ranks);
    if (ranks == 1) {
      solve_whole(field, part);
      return;
    }
    std::vector<Real> packed(static_cast<std::size_t>(levels.size() * modes()));
    std::vector<Real> columns(static_cast<std::size_t>(all_levels * part.size() * pitch));
    const auto pieces = [&](auto&& piece) { // (rank, its rows, its levels, this rank's levels of its rows)
      Real* at = packed.data();
      for (int r = 0; r < ranks; ++r) {
        const Share theirs(height, r, ranks);
        piece(r, theirs, Share(all_levels, r, ranks), at);
        at += levels.size() * theirs.size() * pitch;
      }
    };
    pieces([&](int r, const Share& theirs, const Share& their_levels, Real* at) {
      for (std::int64_t k = 0; k < levels.size(); ++k)
        std::copy_n(field + k * modes() + theirs.first * pitch, theirs.size() * pitch,
                    at + k * theirs.size() * pitch);
      Real* const to = columns.data() + their_levels.first * part.size() * pitch;
      if (r == rank) {
        std::copy_n(at, levels.size() * theirs.size() * pitch, to);
      } else {
        there.send(r, at, levels.size() * theirs.size() * pitch);
        there.receive(r, to, their_levels.size() * part.size() * pitch);
      }
    });
    there.run();
    solve_whole(columns.data(), part);
    pieces([&](int r, const Share& theirs, const Share& their_levels, Real* at) {
      Real* const from = columns.data() + their_levels.first * part.size() * pitch;
      if (r == rank) {
        std::copy_n(from, levels.size() * theirs.size() * pitch, at);
      } else {
        back.send(r, from, their_levels.size() * part.size() * pitch);
        back.receive(r, at, levels.size() * theirs.size() * pitch);
      }
    });
    back.run();
    pieces([&](int, const Share& theirs, const Share&, Real* at) {
      for (std::int64_t k = 0; k < levels.size(); ++k)
        std::copy_n(at + k * theirs.size() * pitch, theirs.size() * pitch,
                    field + k * modes() + theirs.first * pitch);
    });
  }

  Transport& transport;
  int rank, ranks;
  std::unique_ptr<PlaneTransform<Real>> transform;
  std::int64_t all_levels;
  Share levels;
  std::int64_t pitch, height;
  SlabMethod method;
  std::vector<Real> lambda_x, lambda_y;
  Round<Real> heads, reduced, ends, there, back;
  Rows<Real> own;         // of this rank's levels, or of all
  ReducedRows<Real> rows; // of this rank's columns
};

template <class Real>
SlabPoisson<Real>::SlabPoisson(const PoissonProblem& problem, Transport& transport,
                               std::unique_ptr<PlaneTransform<Real>> transform, SlabMethod method)
    : parts_(std::make_unique<Parts>(problem, transport,
                                     transform ? std::move(transform)
                                               : detail::default_transform<Real>(problem, Memory::host),
                                     method)) {}

template <class Real> SlabPoisson<Real>::~SlabPoisson() = default;
template <class Real> SlabPoisson<Real>::SlabPoisson(SlabPoisson&&) noexcept = default;
template <class Real> SlabPoisson<Real>& SlabPoisson<Real>::operator=(SlabPoisson&&) noexcept = default;

template <class Real> std::int64_t SlabPoisson<Real>::first_level() const {
  return parts_->levels.first;
}
template <class Real> std::int64_t SlabPoisson<Real>::last_level() const {
  return parts_->levels.last;
}
template <class Real> std::int64_t SlabPoisson<Real>::row_pitch() const {
  return parts_->pitch;
}
template <class Real> std::int64_t SlabPoisson<Real>::rows() const {
  return parts_->height;
}
template <class Real> std::int64_t SlabPoisson<Real>::plane_pitch() const {
  return parts_->modes();
}
template <class Real> SlabMethod SlabPoisson<Real>::method() const {
  return parts_->method;
}

template <class Real> void SlabPoisson<Real>::solve(Real* field) {
  Parts& p = *parts_;
  Stream stream;
  p.transform->forward(field, p.levels.size(), p.modes(), stream);
  if (p.method == SlabMethod::partitioned)
    p.solve_partitioned(field);
  else
    p.solve_transposed(field);
  p.transform->inverse(field, p.levels.size(), p.modes(), stream);
}

template <class Real> std::int64_t SlabPoisson<Real>::sent_bytes() const {
  const Parts& p = *parts_;
  const auto bytes = static_cast<std::int64_t>(sizeof(Real));
  if (p.method == SlabMethod::transposed) {
    const Share part(p.height, p.rank, p.ranks);
    const std::int64_t there = p.levels.size() * (p.height - part.size()) * p.pitch;
    const std::int64_t back = (p.all_levels - p.levels.size()) * part.size() * p.pitch;
    return (there + back) * bytes;
  }
  const std::int64_t mine = Share(p.modes(), p.rank, p.ranks).size();
  const std::int64_t head = p.rank > 0 ? p.modes() : 0;
  return (head + (p.modes() - mine) + 2 * (p.ranks - 1) * mine) * bytes;
}

template class SlabPoisson<double>;
template class SlabPoisson<float>;

} // namespace heddle
