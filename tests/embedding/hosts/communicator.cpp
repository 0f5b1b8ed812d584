// SPDX-License-Identifier: Apache-2.0
// A host starts MPI and splits its ranks: two ensembles compute waves of their own with our halo exchange,
// each within its communicator, while the host's own messages go on.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numbers>
#include <string>

#include "heddle/core/error.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/halo/halo_exchange.hpp"
#include "heddle/mpi/communicator.hpp"
#include "wave_sweeps.hpp"

namespace {

/// Largest error of the mode with so many waves in a periodic square after 101 time levels, on this rank.
double wave_error(heddle::Transport& transport, int waves) {
  constexpr std::int64_t n = 48;
  const heddle::BlockGrid grid({{0, 0, 0}, {n, n, 1}}, {2, 2, 1}, {true, true, false}, transport.ranks());
  heddle::Field<double> u(grid, {.name = "u", .rank = transport.rank()});
  heddle::Field<double> v(grid, {.name = "v", .rank = transport.rank()});
  const double courant = 0.3, k = 2 * std::numbers::pi * waves / n;
  const double angle = std::acos(1 - 4 * courant * std::pow(std::sin(k / 2), 2));
  const auto mode = [&](auto x, auto y) {
    return std::sin(k * static_cast<double>(x)) * std::sin(k * static_cast<double>(y));
  };
  u.fill([&](auto x, auto y, auto, int) { return std::cos(angle) * mode(x, y); });
  v.fill([&](auto x, auto y, auto, int) { return mode(x, y); });
  const wave::StepParameters parameters{.courant = courant};
  wave::Step<double> to_v(u, v, parameters), to_u(v, u, parameters);
  heddle::HaloExchange ghosts_of_u(to_v.before(), transport), ghosts_of_v(to_u.before(), transport);
  heddle::TaskGraph loop;
  loop.add(ghosts_of_u);
  loop.add(to_v);
  loop.add(ghosts_of_v);
  loop.add(to_u);
  loop.run(50); // u: time level 101
  double error = 0;
  for (int block = 0; block < u.blocks(); ++block) {
    const auto view = u.view(block);
    const auto [x_begin, y_begin, z_begin] = u.box(block).lower;
    for (std::int64_t y = 0; y < view.extent(1); ++y)
      for (std::int64_t x = 0; x < view.extent(0); ++x) {
        const double exact = std::cos(101 * angle) * mode(x + x_begin, y + y_begin);
        error = std::max(error, std::abs(view(x, y, 0, 0) - exact));
      }
  }
  return error;
}

bool refused(MPI_Comm communicator, const std::string& text) {
  try {
    static_cast<void>(heddle::mpi::transport(communicator));
  } catch (const heddle::Error& error) {
    return std::string(error.what()).find(text) != std::string::npos;
  }
  return false;
}

int run() {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm ensemble = MPI_COMM_NULL;
  const int member = rank % 2; // the ranks of a communicator are not neighbours in the host's
  MPI_Comm_split(MPI_COMM_WORLD, member, -rank, &ensemble);
  int failures = 0;
  {
    // The host's message is under way all the time, with a tag that we use, too.
    int sent = 100 + rank;
    int received = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, ensemble, &request);
    const std::unique_ptr<heddle::Transport> transport = heddle::mpi::transport(ensemble);
    const double error = wave_error(*transport, 1 + 2 * member);
    MPI_Send(&sent, 1, MPI_INT, (transport->rank() + 1) % transport->ranks(), 0, ensemble);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    std::printf("ensemble %d, rank %d of %d: largest error %.1e\n", member, transport->rank(),
                transport->ranks(), error);
    failures += error > 1e-12;
    failures += transport->ranks() != ranks / 2;
    failures += received < 100 || received >= 100 + ranks;
  }
  failures += !refused(MPI_COMM_NULL, "this rank is not in the communicator");
  MPI_Comm_free(&ensemble);
  return failures;
}

} // namespace

int main(int argc, char** argv) {
  if (!refused(MPI_COMM_WORLD, "MPI is not initialised")) return 1;
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  const int failures = run();
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
