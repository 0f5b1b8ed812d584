// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstring>

#include "heddle/core/error.hpp"
#include "poisson_case.hpp"

namespace {

using heddle::Boundary;

void add_solve(const char* what, const heddle::PoissonDirection& x, const heddle::PoissonDirection& y,
               heddle::TransformBackEnd back_end) {
  const std::string name = std::string("poisson/256x256x128/f64/") + what + "/" + heddle::to_string(back_end);
  bench::add_poisson(name, 11, [=] {
    const heddle::PoissonProblem problem{
        x, y, heddle::uniform_column(128, 1, Boundary::neumann, Boundary::neumann)};
    return bench::poisson_times<double>(
        problem, heddle::Memory::host, back_end,
        [](heddle::Stream&, const auto& work) {
          const auto start = std::chrono::steady_clock::now();
          work();
          return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        },
        [](bench::PoissonRun<double>& run, heddle::Stream&) {
          std::memcpy(run.copy(), run.field(), run.bytes());
        });
  });
}

} // namespace

void bench::add_poisson_host() {
  using heddle::TransformBackEnd;
  constexpr Boundary P = Boundary::periodic, D = Boundary::dirichlet, N = Boundary::neumann;
  std::vector<TransformBackEnd> back_ends = {TransformBackEnd::generated};
  try {
    static_cast<void>(
        heddle::make_plane_transform<double>({heddle::TransformKind::dft, 4, heddle::TransformKind::dft, 4},
                                             heddle::Memory::host, TransformBackEnd::fftw));
    back_ends.push_back(TransformBackEnd::fftw);
  } catch (const heddle::Error&) {
    // only our own
  }
  for (const TransformBackEnd back_end : back_ends) {
    add_solve("periodic", {256, 1, P, P}, {256, 1, P, P}, back_end);
    add_solve("walls", {256, 1, N, N}, {256, 1, N, N}, back_end);
    add_solve("channel", {256, 1, D, N}, {256, 1, P, P}, back_end);
  }
}
