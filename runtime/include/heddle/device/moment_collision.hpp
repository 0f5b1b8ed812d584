// SPDX-License-Identifier: MIT-0
// The regularised collision of a cell, given the sums over its arrived populations: relaxes them
// and stores the moments.
#ifndef HEDDLE_DEVICE_MOMENT_COLLISION_HPP
#define HEDDLE_DEVICE_MOMENT_COLLISION_HPP

#include <cmath>
#include <type_traits>

#include "heddle/device/gpu.hpp"
#include "heddle/device/moment_box.hpp"
#include "heddle/device/moment_words.hpp"

namespace heddle::detail {

/// a b + c, rounded once, on every target.
__device__ inline float fused(float a, float b, float c) {
  return std::fma(a, b, c);
}

/// 1 / a within an ulp or two.
__device__ inline float reciprocal(float a) {
#if defined(__CUDA_ARCH__)
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(a));
  return result;
#else
  return 1.0F / a;
#endif
}

/// Density less 1, momentum and a tensor of a cell, all in the unit of the stress: what is stored
/// (t_ab), or sums over populations f of f, c_a f and c_a c_b f.
struct Moments {
  float rho = 0;
  float x = 0, y = 0, z = 0;
  float xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
};

/// Collides the sums of a cell and stores its moments. keep: 1 - omega.
template <typename Flow, typename Stress>
__device__ inline void collide(const Moments& sum, float keep, Undriven,
                               typename Stored<Flow>::Four* flow,
                               typename Stored<Stress>::Four* stress,
                               typename Stored<Stress>::Two* shear) {
  constexpr float unit = Stored<Stress>::unit;
  constexpr float flow_scale = unit / Stored<Flow>::unit;
  const float third = keep * (1.0F / 3.0F) * sum.rho;
  const float omega_over_rho = (1.0F - keep) * reciprocal(unit + sum.rho);
  const float u_x = omega_over_rho * sum.x;
  const float u_y = omega_over_rho * sum.y;
  const float u_z = omega_over_rho * sum.z;
  const auto relaxed = [&](float entry, float u, float j, float diagonal) {
    return fused(keep, entry, fused(u, j, -diagonal));
  };
  store<Flow>(flow, float4{sum.rho, sum.x, sum.y, sum.z}, flow_scale);
  store<Stress>(stress,
                float4{relaxed(sum.xx, u_x, sum.x, third), relaxed(sum.yy, u_y, sum.y, third),
                       relaxed(sum.zz, u_z, sum.z, third), relaxed(sum.xy, u_x, sum.y, 0.0F)},
                1.0F);
  store<Stress>(shear, float2{relaxed(sum.xz, u_x, sum.z, 0.0F), relaxed(sum.yz, u_y, sum.z, 0.0F)},
                1.0F);
}

/// The same with a force: rho u = j + F / 2; t_ab = keep (sum_ab - rho / 3) + u_a g_b + g_a u_b +
/// what the trace has more.
template <typename Flow, typename Stress>
__device__ inline void collide(const Moments& sum, float keep, const Push& push,
                               typename Stored<Flow>::Four* flow,
                               typename Stored<Stress>::Four* stress,
                               typename Stored<Stress>::Two* shear) {
  constexpr float unit = Stored<Stress>::unit;
  constexpr float flow_scale = unit / Stored<Flow>::unit;
  const float third = keep * (1.0F / 3.0F) * sum.rho;
  const float inverse = reciprocal(unit + sum.rho);
  const float flow_x = sum.x + push.half_x;
  const float flow_y = sum.y + push.half_y;
  const float flow_z = sum.z + push.half_z;
  const float u_x = inverse * flow_x;
  const float u_y = inverse * flow_y;
  const float u_z = inverse * flow_z;
  const float half_omega = 0.5F - 0.5F * keep;
  const float g_x = fused(half_omega, flow_x, push.guo_x);
  const float g_y = fused(half_omega, flow_y, push.guo_y);
  const float g_z = fused(half_omega, flow_z, push.guo_z);
  const float moving =
      fused(u_x, sum.x - push.half_x, fused(u_y, sum.y - push.half_y, u_z * (sum.z - push.half_z)));
  const float diagonal = fused(-push.gap, sum.xx + sum.yy + sum.zz - sum.rho - moving, third);
  const auto relaxed = [&](float entry, float u_a, float g_b, float g_a, float u_b, float less) {
    return fused(keep, entry, fused(u_a, g_b, fused(g_a, u_b, -less)));
  };
  store<Flow>(flow,
              float4{sum.rho, flow_x + push.half_x, flow_y + push.half_y, flow_z + push.half_z},
              flow_scale);
  store<Stress>(stress,
                float4{relaxed(sum.xx, u_x, g_x, g_x, u_x, diagonal),
                       relaxed(sum.yy, u_y, g_y, g_y, u_y, diagonal),
                       relaxed(sum.zz, u_z, g_z, g_z, u_z, diagonal),
                       relaxed(sum.xy, u_x, g_y, g_x, u_y, 0.0F)},
                1.0F);
  store<Stress>(
      shear,
      float2{relaxed(sum.xz, u_x, g_z, g_x, u_z, 0.0F), relaxed(sum.yz, u_y, g_z, g_y, u_z, 0.0F)},
      1.0F);
}

}  // namespace heddle::detail

#endif
