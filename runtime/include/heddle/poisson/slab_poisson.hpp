// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_POISSON_SLAB_POISSON_HPP
#define HEDDLE_POISSON_SLAB_POISSON_HPP

#include <cstdint>
#include <memory>
#include <string>

#include "heddle/core/memory.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/poisson/plane_transform.hpp"
#include "heddle/poisson/poisson_problem.hpp"
#include "heddle/transport/transport.hpp"

namespace heddle {

/// How the columns of a problem are solved whose levels lie on several ranks.
///
/// partitioned: each rank eliminates its own levels but the highest, so that one unknown a column and rank is
/// left (Wang, ACM Trans. Math. Software 7 (1981) 170); four reals a column and rank travel. transposed: each
/// rank gets some of the columns as a whole, and all values travel twice; for so few levels a rank that the
/// first way would have little left to do. automatic: transposed below four levels a rank.
enum class SlabMethod { automatic, partitioned, transposed };

/// Solves a PoissonProblem whose levels are split among the ranks of a transport; each rank transforms its
/// own levels. The elimination has no subtraction, within a rank and between ranks (see PoissonSolver), and
/// columns that are periodic along z close from the last rank to the first. The systems that ranks share are
/// eliminated once: only right-hand sides travel.
///
/// The transposed way gives the bits of one rank for any number of ranks; the partitioned one rounds
/// differently, by some units of the last digit of the largest value, and always the same for one number of
/// ranks. One rank alone has a PoissonSolver.
template <class Real> class SlabPoisson {
public:
  /// All ranks construct the same solvers in the same order; transport must outlive this. memory: where the
  /// levels of this rank lie; from a device, what travels goes through page-locked memory of the host.
  /// transform: of problem.x and problem.y, the default where it is null. Throws Error for less levels than
  /// ranks, for a transport whose messages cannot lie on the host, and as PoissonSolver does.
  SlabPoisson(const PoissonProblem& problem, Transport& transport, Memory memory = Memory::host,
              std::unique_ptr<PlaneTransform<Real>> transform = nullptr,
              SlabMethod method = SlabMethod::automatic);
  ~SlabPoisson();
  SlabPoisson(SlabPoisson&&) noexcept;
  SlabPoisson& operator=(SlabPoisson&&) noexcept;
  SlabPoisson(const SlabPoisson&) = delete;
  SlabPoisson& operator=(const SlabPoisson&) = delete;

  /// The levels of this rank: first <= k < last.
  [[nodiscard]] std::int64_t first_level() const;
  [[nodiscard]] std::int64_t last_level() const;
  /// This rank's part of a field: planes of rows() rows of row_pitch() reals, x fastest.
  [[nodiscard]] std::int64_t row_pitch() const;
  [[nodiscard]] std::int64_t rows() const;
  [[nodiscard]] std::int64_t plane_pitch() const;
  /// Reals to allocate for it.
  [[nodiscard]] std::int64_t size() const;
  [[nodiscard]] SlabMethod method() const;

  /// Replaces the right-hand side by p, which has the problem's boundary values. All ranks call it together;
  /// with several ranks it waits for the stream before it sends. Throws Error as transports do.
  void solve(Real* field, Stream& stream);
  /// The same, done on return.
  void solve(Real* field);

  /// As those of PoissonSolver. Several ranks do it with columns that are transposed: the flow then says
  /// where neighbours have levels, the level above the faces of this rank holds those of the one above, and
  /// the field has a plane below those of this rank.
  [[nodiscard]] bool takes_flow() const;
  void project(const PeriodicFlow<Real>& flow, Real* field, Stream& stream);

  /// Bytes that this rank sends in a solve.
  [[nodiscard]] std::int64_t sent_bytes() const;
  [[nodiscard]] std::string description() const;

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

} // namespace heddle

#endif
