// SPDX-License-Identifier: Apache-2.0
#include "cuda_timer.hpp"
#include "poisson_case.hpp"

namespace {

template <class Real>
void add_solve(const char* precision, std::int64_t n, heddle::TransformBackEnd back_end) {
  const std::string name = "poisson/" + std::to_string(n) + "x" + std::to_string(n) + "x128/" + precision +
                           "/" + heddle::to_string(back_end) + "/cuda";
  bench::add_poisson(name, 9, [=] {
    const heddle::PoissonProblem problem{
        {n, 1}, {n, 1}, heddle::uniform_column(128, 1, heddle::Boundary::neumann, heddle::Boundary::neumann)};
    return bench::poisson_times<Real>(
        problem, heddle::Memory::device, back_end,
        [](heddle::Stream& stream, const auto& work) { return bench::cuda_seconds(stream, work); },
        [](bench::PoissonRun<Real>& run, heddle::Stream& stream) {
          bench::check(cudaMemcpyAsync(run.copy(), run.field(), run.bytes(), cudaMemcpyDeviceToDevice,
                                       static_cast<cudaStream_t>(stream.native())));
        });
  });
}

} // namespace

void bench::add_poisson_cuda() {
  using heddle::TransformBackEnd;
  for (const std::int64_t n : {256, 512, 600, 1024})
    for (const TransformBackEnd back_end : {TransformBackEnd::generated, TransformBackEnd::cufft}) {
      add_solve<float>("f32", n, back_end);
      add_solve<double>("f64", n, back_end);
    }
}
