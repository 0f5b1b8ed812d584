// SPDX-License-Identifier: Apache-2.0
// The kernels that this program was built with: AIR_QUALITY_INTEGRATORS of its CMakeLists.txt.
#include <algorithm>

#include "heddle/core/error.hpp"
#include "mechanism.hpp"

#if defined(AIR_QUALITY_CVODE)
#include "cb05_cvode.hpp"
#include "heddle/chemistry_cvode/cvode.hpp"
#endif
#if defined(AIR_QUALITY_DEVICE)
#include "cb05_rodas3_device.hpp"
#endif
#if defined(AIR_QUALITY_ROS3)
#include "cb05_ros3.hpp"
#endif
#if defined(AIR_QUALITY_RODAS3)
#include "cb05_rodas3.hpp"
#endif
#if defined(AIR_QUALITY_RODAS4)
#include "cb05_rodas4.hpp"
#endif

namespace air_quality {
namespace {

struct Named {
  const char* name;
  heddle::Chemistry::Integrate integrate;
};

#if defined(AIR_QUALITY_CVODE)
heddle::Chemistry::Integrate cvode() {
  return heddle::cvode_integrator(
      {.reactions = 204,
       .entries = 735,
       .rate_constants = [](const auto&... arguments) { cb05_cvode::rate_constants(arguments...); },
       .tendency = [](const auto&... arguments) { cb05_cvode::tendency(arguments...); },
       .factorise = [](const auto&... arguments) { cb05_cvode::factorise(arguments...); },
       .solve = [](const auto&... arguments) { cb05_cvode::solve(arguments...); }});
}
#endif

const std::vector<Named>& built() {
  const auto with = [](auto kernel) {
    return [kernel](const heddle::CellBatch& b) {
      kernel(b.concentration, b.temperature, b.pressure, b.rate_input, b.step, b.outcome, b.steps,
             b.absolute_tolerance, b.interval, b.relative_tolerance);
    };
  };
  static const std::vector<Named> all{
#if defined(AIR_QUALITY_ROS3)
      {"ros3", with([](const auto&... arguments) { cb05_ros3::integrate(arguments...); })},
#endif
#if defined(AIR_QUALITY_RODAS3)
      {"rodas3", with([](const auto&... arguments) { cb05_rodas3::integrate(arguments...); })},
#endif
#if defined(AIR_QUALITY_RODAS4)
      {"rodas4", with([](const auto&... arguments) { cb05_rodas4::integrate(arguments...); })},
#endif
#if defined(AIR_QUALITY_CVODE)
      {"cvode", cvode()},
#endif
  };
  return all;
}

} // namespace

std::vector<std::string> integrators() {
  std::vector<std::string> found;
  for (const Named& entry : built())
    found.emplace_back(entry.name);
  return found;
}

heddle::Chemistry::Integrate integrator(const std::string& name) {
  for (const Named& entry : built())
    if (entry.name == name) return entry.integrate;
  throw heddle::Error(
      "integrator '" + name + "'", "this program was built without it",
      name == "cvode" ? "install SUNDIALS 6 (Debian: libsundials-dev), configure and build again"
                      : "configure with -D AIR_QUALITY_INTEGRATORS=\"rodas3;" + name + "\" and build again");
}

heddle::Chemistry::IntegrateBlock device_integrator(const std::string& name) {
  if (name != "rodas3")
    throw heddle::Error("integrator '" + name + "'", "it is not built for a device",
                        "use --integrator rodas3, or --device cpu");
#if defined(AIR_QUALITY_DEVICE)
  return [](const heddle::CellBlock& b, heddle::Stream& stream) {
    cb05_rodas3_device::integrate_cuda(b.concentration, b.temperature, b.pressure, b.rate_input, b.step,
                                       b.outcome, b.steps, b.absolute_tolerance, b.interval,
                                       b.relative_tolerance, stream.native());
  };
#else
  throw heddle::Error("--device cuda", "this program was built without CUDA",
                      "configure with -D HEDDLE_CUDA=ON and build again, or use --device cpu");
#endif
}

} // namespace air_quality
