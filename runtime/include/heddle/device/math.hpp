// SPDX-License-Identifier: MIT-0
// Elementary functions with the same bits on every target: CPUs, with any vectors, and GPUs.
//
// Generated from heddle.ir.mathematics, which says how they work and where their numbers come
// from; `heddle check` proves that this text is what stands there. Compile without contraction of
// products and sums (-ffp-contract=off, -fmad=false) and without -ffast-math. There are no
// branches, so that compilers make vectors of a loop that calls them.
#ifndef HEDDLE_DEVICE_MATH_HPP
#define HEDDLE_DEVICE_MATH_HPP

#include <cmath>
#include <cstdint>

#include "heddle/device/bits.hpp"
#include "heddle/device/qualifiers.hpp"

namespace heddle::math {

/// The cube root.
HEDDLE_HOST_DEVICE HEDDLE_ALWAYS_INLINE double cbrt(double x) {
  const double size = std::abs(x);

  // |x| = 2^k m with 1 <= m < 2; subnormal numbers are made normal first.
  const bool is_subnormal = size < 2.2250738585072014e-308;
  const std::uint64_t word =
      heddle::bits_as<std::uint64_t>(is_subnormal ? size * 1.8014398509481984e+16 : size);
  const double m = heddle::bits_as<double>((word & 0xfffffffffffffU) + 0x3ff0000000000000U);
  const double biased = heddle::bits_as<double>((word >> 52U) + 0x4330000000000000U);
  const double k = biased - (is_subnormal ? 4503599627371573.0 : 4503599627371519.0);

  // k = 3 q + j with j = -1, 0 or 1, and a = 2^j m.
  const double near = std::fma(k, 0.3333333333333333, 6755399441056767.0);
  const double q = near - 6755399441056767.0;
  const double j = std::fma(q, -3.0, k);
  const bool is_less = j < 0.0;
  const bool is_more = 0.0 < j;
  const double a = is_less ? m * 0.5 : is_more ? m * 2.0 : m;
  const double factor = is_less ? 1.2599210498948732 : is_more ? 0.7937005259840998 : 1.0;

  // w next to a^(-1/3), then Halley's iteration: its error becomes the cube.
  const double p4 = std::fma(-0.017019400758182084, m, 0.1560746390634335);
  const double p3 = std::fma(p4, m, -0.5978828520666365);
  const double p2 = std::fma(p3, m, 1.2438015702207523);
  const double p1 = std::fma(p2, m, -1.566041197211741);
  const double p = std::fma(p1, m, 1.7810614945049619);
  const double guess = p * factor;
  const double e = std::fma(-(a * guess), guess * guess, 1.0);
  const double w = std::fma(guess, e * std::fma(e, 0.2222222222222222, 0.3333333333333333), guess);

  // a w^2 is the cube root; what its cube lacks corrects it.
  const double w_square = w * w;
  const double t = a * w_square;
  const double t_square = t * t;
  const double t_square_low = std::fma(t, t, -t_square);
  const double lacking = std::fma(-t_square_low, t, std::fma(-t_square, t, a));
  const double root = std::fma(lacking * w_square, 0.3333333333333333, t);
  const double value = root * heddle::bits_as<double>(heddle::bits_as<std::uint64_t>(near) << 52U);
  return 0.0 < size && size < HUGE_VAL
      ? heddle::bits_as<double>(heddle::bits_as<std::uint64_t>(value) +
                                (heddle::bits_as<std::uint64_t>(x) & 9223372036854775808U))
      : x;
}

/// The cube root.
HEDDLE_HOST_DEVICE HEDDLE_ALWAYS_INLINE float cbrt(float x) {
  const float size = std::abs(x);

  // |x| = 2^k m with 1 <= m < 2; subnormal numbers are made normal first.
  const bool is_subnormal = size < 1.1754944e-38F;
  const std::uint32_t word =
      heddle::bits_as<std::uint32_t>(is_subnormal ? size * 16777216.0F : size);
  const float m = heddle::bits_as<float>((word & 0x7fffffU) + 0x3f800000U);
  const float biased = heddle::bits_as<float>((word >> 23U) + 0x4b000000U);
  const float k = biased - (is_subnormal ? 8388759.0F : 8388735.0F);

  // k = 3 q + j with j = -1, 0 or 1, and a = 2^j m.
  const float near = std::fma(k, 0.33333334F, 12583039.0F);
  const float q = near - 12583039.0F;
  const float j = std::fma(q, -3.0F, k);
  const bool is_less = j < 0.0F;
  const bool is_more = 0.0F < j;
  const float a = is_less ? m * 0.5F : is_more ? m * 2.0F : m;
  const float factor = is_less ? 1.2599211F : is_more ? 0.7937005F : 1.0F;

  // w next to a^(-1/3), then Halley's iteration: its error becomes the cube.
  const float p2 = std::fma(-0.049935725F, m, 0.31775218F);
  const float p1 = std::fma(p2, m, -0.80995375F);
  const float p = std::fma(p1, m, 1.5418843F);
  const float guess = p * factor;
  const float e = std::fma(-(a * guess), guess * guess, 1.0F);
  const float w = std::fma(guess, e * std::fma(e, 0.22222222F, 0.33333334F), guess);

  // a w^2 is the cube root; what its cube lacks corrects it.
  const float w_square = w * w;
  const float t = a * w_square;
  const float t_square = t * t;
  const float t_square_low = std::fma(t, t, -t_square);
  const float lacking = std::fma(-t_square_low, t, std::fma(-t_square, t, a));
  const float root = std::fma(lacking * w_square, 0.33333334F, t);
  const float value = root * heddle::bits_as<float>(heddle::bits_as<std::uint32_t>(near) << 23U);
  return 0.0F < size && size < HUGE_VALF
      ? heddle::bits_as<float>(heddle::bits_as<std::uint32_t>(value) +
                               (heddle::bits_as<std::uint32_t>(x) & 2147483648U))
      : x;
}

/// The cosine.
HEDDLE_HOST_DEVICE HEDDLE_ALWAYS_INLINE double cos(double x) {
  const double size = std::abs(x);

  // x = M 2^E, and the place in 2 / pi where what counts begins.
  const std::uint64_t word = heddle::bits_as<std::uint64_t>(size);
  const std::uint64_t place = (word >> 52U) - 1022U;
  const std::uint64_t m = (word & 0xfffffffffffffU) + 4503599627370496U;
  const bool is_8_on = (place & 512U) != 0U;
  const std::uint64_t w8_0 = is_8_on ? 0x46bea5d768909d3U : 325U;
  const std::uint64_t w8_1 = is_8_on ? 0x38e04d68befc8273U : 0xf306dc9c882a53f8U;
  const std::uint64_t w8_2 = is_8_on ? 0x23ac7306a673e939U : 0x4eafa3ea69bb81b6U;
  const std::uint64_t w8_3 = is_8_on ? 0x8bf177bf250763fU : 0xc52b3278872083fcU;
  const std::uint64_t w8_4 = is_8_on ? 0xf12fffbc0b301fdeU : 0xa2c757bd778ac36eU;
  const std::uint64_t w8_5 = is_8_on ? 0x5e2316b414da3edaU : 0x48dc74849ba5c00cU;
  const std::uint64_t w8_6 = is_8_on ? 0x6cfd9e4f96136e9eU : 0x925dd413a32439fcU;
  const std::uint64_t w8_7 = is_8_on ? 0x8c7ecd3cbfd45aeaU : 0x3bd63962534e7dd1U;
  const std::uint64_t w8_8 = is_8_on ? 0x4f758fd7cbe2f67aU : 0x46bea5d768909d3U;
  const std::uint64_t w8_9 = is_8_on ? 0xe73ef14a525d4d7U : 0x38e04d68befc8273U;
  const std::uint64_t w8_10 = is_8_on ? 0xf6bf623f1aba10acU : 0x23ac7306a673e939U;
  const bool is_4_on = (place & 256U) != 0U;
  const std::uint64_t w4_0 = is_4_on ? w8_4 : w8_0;
  const std::uint64_t w4_1 = is_4_on ? w8_5 : w8_1;
  const std::uint64_t w4_2 = is_4_on ? w8_6 : w8_2;
  const std::uint64_t w4_3 = is_4_on ? w8_7 : w8_3;
  const std::uint64_t w4_4 = is_4_on ? w8_8 : w8_4;
  const std::uint64_t w4_5 = is_4_on ? w8_9 : w8_5;
  const std::uint64_t w4_6 = is_4_on ? w8_10 : w8_6;
  const bool is_2_on = (place & 128U) != 0U;
  const std::uint64_t w2_0 = is_2_on ? w4_2 : w4_0;
  const std::uint64_t w2_1 = is_2_on ? w4_3 : w4_1;
  const std::uint64_t w2_2 = is_2_on ? w4_4 : w4_2;
  const std::uint64_t w2_3 = is_2_on ? w4_5 : w4_3;
  const std::uint64_t w2_4 = is_2_on ? w4_6 : w4_4;
  const bool is_1_on = (place & 64U) != 0U;
  const std::uint64_t w1_0 = is_1_on ? w2_1 : w2_0;
  const std::uint64_t w1_1 = is_1_on ? w2_2 : w2_1;
  const std::uint64_t w1_2 = is_1_on ? w2_3 : w2_2;
  const std::uint64_t w1_3 = is_1_on ? w2_4 : w2_3;
  const std::uint64_t shift = place & 63U;
  const std::uint64_t back = 63U - shift;
  const bool is_16_on = (place & 1024U) != 0U;
  const std::uint64_t first =
      is_16_on ? 0x4f758fd7cbe2f67aU : (w1_0 << shift) + ((w1_1 >> back) >> 1U);
  const std::uint64_t second =
      is_16_on ? 0xe73ef14a525d4d7U : (w1_1 << shift) + ((w1_2 >> back) >> 1U);
  const std::uint64_t third =
      is_16_on ? 0xf6bf623f1aba10acU : (w1_2 << shift) + ((w1_3 >> back) >> 1U);

  // The product, modulo four turns: all of it but its last word.
  const std::uint64_t m_high = m >> 32U;
  const std::uint64_t m_low = m & 0xffffffffU;
  const std::uint64_t second_high = second >> 32U;
  const std::uint64_t second_low = second & 0xffffffffU;
  const std::uint64_t third_high = third >> 32U;
  const std::uint64_t third_low = third & 0xffffffffU;
  const std::uint64_t low_low = m_low * second_low;
  const std::uint64_t cross = m_low * second_high + (low_low >> 32U);
  const std::uint64_t middle = m_high * second_low + (cross & 0xffffffffU);
  const std::uint64_t over = m_high * second_high + (cross >> 32U) + (middle >> 32U);
  const std::uint64_t lower = (middle << 32U) + (low_low & 0xffffffffU);
  const std::uint64_t tail =
      m_high * third_high + (((m_high * third_low) >> 32U) + ((m_low * third_high) >> 32U));
  const std::uint64_t bottom = lower + tail;
  const std::uint64_t carried = bottom < lower ? over + 1U : over;
  const std::uint64_t top = m * first + carried;

  // Turns to the nearest quarter, and what is left, in units of a quarter's last bit.
  const std::uint64_t quarters = (top + 2305843009213693952U) >> 62U;
  const std::uint64_t left = (top << 2U) + (bottom >> 62U);
  const std::uint64_t below = bottom << 2U;
  const double upper =
      heddle::bits_as<double>(((left + 9223372036854775808U) >> 32U) + 0x4330000000000000U) -
      4503601774854144.0;
  const double next_one =
      heddle::bits_as<double>((left & 0xffffffffU) + 0x4330000000000000U) - 4503599627370496.0;
  const double last =
      heddle::bits_as<double>((below & 0xffffffffU) + 0x4330000000000000U) - 4503599627370496.0;
  const double high = std::fma(upper, 4294967296.0, next_one);
  const double error = std::fma(upper, 4294967296.0, -high) + next_one;
  const double high_low = std::fma(
      std::fma(last, 2.3283064365386963e-10,
               heddle::bits_as<double>((below >> 32U) + 0x4330000000000000U) - 4503599627370496.0),
      2.3283064365386963e-10, error);

  // The same as an angle.
  const double angle = high * 8.515303950216386e-20;
  const double angle_low = std::fma(
      high_low, 8.515303950216386e-20,
      std::fma(high, 3.319411800407449e-36, std::fma(high, 8.515303950216386e-20, -angle)));

  // What is small needs no reduction.
  const bool is_small = size < 0.785;
  const double r = is_small ? size : angle;
  const double r_low = is_small ? 0.0 : angle_low;
  const std::uint64_t turns = (is_small ? 0U : quarters) + 1U;
  const double z = r * r;
  const double half_square = 0.5 * z;

  // sin(r) = r + r^3 s
  const double s4 = std::fma(1.5901238546980817e-10, z, -2.505084387090972e-08);
  const double s3 = std::fma(s4, z, 2.755731431823375e-06);
  const double s2 = std::fma(s3, z, -0.0001984126983193838);
  const double s1 = std::fma(s2, z, 0.008333333333325713);
  const double s = std::fma(s1, z, -0.1666666666666665);
  const double of_low = std::fma(-half_square, r_low, r_low);
  const double sine = r + std::fma(r * z, s, of_low);

  // cos(r) = 1 - r^2 / 2 + r^4 c
  const double c4 = std::fma(-1.135966167320952e-11, z, 2.087572353345975e-09);
  const double c3 = std::fma(c4, z, -2.7557314354187497e-07);
  const double c2 = std::fma(c3, z, 2.4801587289488395e-05);
  const double c1 = std::fma(c2, z, -0.0013888888888874133);
  const double c = std::fma(c1, z, 0.0416666666666666);
  const double most = 1.0 - half_square;
  const double rest = std::fma(z * z, c, 1.0 - most - half_square);
  const double cosine = most + std::fma(-r, r_low, rest);

  // Each second quarter takes the other one, and half a turn changes the sign.
  const double value = (turns & 1U) != 0U ? cosine : sine;
  const double signed_value =
      heddle::bits_as<double>(heddle::bits_as<std::uint64_t>(value) + (((turns & 2U) << 62U) + 0U));
  return size < HUGE_VAL ? signed_value : heddle::bits_as<double>(0x7ff8000000000000U);
}

/// The cosine.
HEDDLE_HOST_DEVICE HEDDLE_ALWAYS_INLINE float cos(float x) {
  const float size = std::abs(x);

  // x = M 2^E, and the place in 2 / pi where what counts begins.
  const std::uint32_t word = heddle::bits_as<std::uint32_t>(size);
  const std::uint32_t place = (word >> 23U) - 126U;
  const std::uint32_t m = (word & 0x7fffffU) + 8388608U;
  const bool is_2_on = (place & 64U) != 0U;
  const std::uint32_t w2_0 = is_2_on ? 0x91054a7fU : 40U;
  const std::uint32_t w2_1 = is_2_on ? 0x9d5f47dU : 0xbe60db93U;
  const std::uint32_t w2_2 = is_2_on ? 0x4d377036U : 0x91054a7fU;
  const std::uint32_t w2_3 = is_2_on ? 0xd8a5664fU : 0x9d5f47dU;
  const std::uint32_t w2_4 = is_2_on ? 0x10e4107fU : 0x4d377036U;
  const bool is_1_on = (place & 32U) != 0U;
  const std::uint32_t w1_0 = is_1_on ? w2_1 : w2_0;
  const std::uint32_t w1_1 = is_1_on ? w2_2 : w2_1;
  const std::uint32_t w1_2 = is_1_on ? w2_3 : w2_2;
  const std::uint32_t w1_3 = is_1_on ? w2_4 : w2_3;
  const std::uint32_t shift = place & 31U;
  const std::uint32_t back = 31U - shift;
  const bool is_4_on = (place & 128U) != 0U;
  const std::uint32_t first = is_4_on ? 0x4d377036U : (w1_0 << shift) + ((w1_1 >> back) >> 1U);
  const std::uint32_t second = is_4_on ? 0xd8a5664fU : (w1_1 << shift) + ((w1_2 >> back) >> 1U);
  const std::uint32_t third = is_4_on ? 0x10e4107fU : (w1_2 << shift) + ((w1_3 >> back) >> 1U);

  // The product, modulo four turns: all of it but its last word.
  const std::uint32_t m_high = m >> 16U;
  const std::uint32_t m_low = m & 65535U;
  const std::uint32_t second_high = second >> 16U;
  const std::uint32_t second_low = second & 65535U;
  const std::uint32_t third_high = third >> 16U;
  const std::uint32_t third_low = third & 65535U;
  const std::uint32_t low_low = m_low * second_low;
  const std::uint32_t cross = m_low * second_high + (low_low >> 16U);
  const std::uint32_t middle = m_high * second_low + (cross & 65535U);
  const std::uint32_t over = m_high * second_high + (cross >> 16U) + (middle >> 16U);
  const std::uint32_t lower = (middle << 16U) + (low_low & 65535U);
  const std::uint32_t tail =
      m_high * third_high + (((m_high * third_low) >> 16U) + ((m_low * third_high) >> 16U));
  const std::uint32_t bottom = lower + tail;
  const std::uint32_t carried = bottom < lower ? over + 1U : over;
  const std::uint32_t top = m * first + carried;

  // Turns to the nearest quarter, and what is left, in units of a quarter's last bit.
  const std::uint32_t quarters = (top + 536870912U) >> 30U;
  const std::uint32_t left = (top << 2U) + (bottom >> 30U);
  const std::uint32_t below = bottom << 2U;
  const float upper =
      heddle::bits_as<float>(((left + 2147483648U) >> 16U) + 0x4b000000U) - 8421376.0F;
  const float next_one = heddle::bits_as<float>((left & 65535U) + 0x4b000000U) - 8388608.0F;
  const float last = heddle::bits_as<float>((below & 65535U) + 0x4b000000U) - 8388608.0F;
  const float high = std::fma(upper, 65536.0F, next_one);
  const float error = std::fma(upper, 65536.0F, -high) + next_one;
  const float high_low =
      std::fma(std::fma(last, 1.5258789e-05F,
                        heddle::bits_as<float>((below >> 16U) + 0x4b000000U) - 8388608.0F),
               1.5258789e-05F, error);

  // The same as an angle.
  const float angle = high * 3.6572953e-10F;
  const float angle_low =
      std::fma(high_low, 3.6572953e-10F,
               std::fma(high, -1.0177351e-17F, std::fma(high, 3.6572953e-10F, -angle)));

  // What is small needs no reduction.
  const bool is_small = size < 0.785F;
  const float r = is_small ? size : angle;
  const float r_low = is_small ? 0.0F : angle_low;
  const std::uint32_t turns = (is_small ? 0U : quarters) + 1U;
  const float z = r * r;
  const float half_square = 0.5F * z;

  // sin(r) = r + r^3 s
  const float s1 = std::fma(-0.00019517296F, z, 0.008332178F);
  const float s = std::fma(s1, z, -0.16666655F);
  const float of_low = std::fma(-half_square, r_low, r_low);
  const float sine = r + std::fma(r * z, s, of_low);

  // cos(r) = 1 - r^2 / 2 + r^4 c
  const float c1 = std::fma(2.4438415e-05F, z, -0.0013887368F);
  const float c = std::fma(c1, z, 0.041666646F);
  const float most = 1.0F - half_square;
  const float rest = std::fma(z * z, c, 1.0F - most - half_square);
  const float cosine = most + std::fma(-r, r_low, rest);

  // Each second quarter takes the other one, and half a turn changes the sign.
  const float value = (turns & 1U) != 0U ? cosine : sine;
  const float signed_value =
      heddle::bits_as<float>(heddle::bits_as<std::uint32_t>(value) + (((turns & 2U) << 30U) + 0U));
  return size < HUGE_VALF ? signed_value : heddle::bits_as<float>(0x7fc00000U);
}

/// e^x.
HEDDLE_HOST_DEVICE HEDDLE_ALWAYS_INLINE double exp(double x) {
  // n, in the last bits of a number; results without a normal exponent are scaled twice.
  const bool is_small = x < -650.0;
  const double offset = is_small ? 6755399441056895.0 : 6755399441056766.0;
  const std::int64_t unlimited = static_cast<std::int64_t>(
      heddle::bits_as<std::uint64_t>(std::fma(x, 1.4426950408889634, offset)));
  constexpr std::int64_t most = 4843621399236970494;
  const std::int64_t limited = unlimited < most ? unlimited : most;
  const std::uint64_t word = static_cast<std::uint64_t>(limited);
  const double n = heddle::bits_as<double>(word) - offset;

  // x = n ln(2) + r: the first product is exact.
  const double x_reduced = std::fma(n, -0.6931471805601177, x);
  const double r = std::fma(n, 1.7239444525614835e-13, x_reduced);

  // e^r = 1 + r p
  const double p9 = std::fma(2.5000315205753763e-08, r, 2.763025045606736e-07);
  const double p8 = std::fma(p9, r, 2.7557585558961194e-06);
  const double p7 = std::fma(p8, r, 2.480149309325772e-05);
  const double p6 = std::fma(p7, r, 0.00019841269507497135);
  const double p5 = std::fma(p6, r, 0.0013888888943635437);
  const double p4 = std::fma(p5, r, 0.008333333333494045);
  const double p3 = std::fma(p4, r, 0.041666666666530135);
  const double p2 = std::fma(p3, r, 0.16666666666666413);
  const double p1 = std::fma(p2, r, 0.5000000000000011);
  const double p = std::fma(p1, r, 1.0);

  // 2^n (1 + r p)
  const double power = heddle::bits_as<double>(word << 52U);
  return x < -746.0 ? 0.0
                    : std::fma(power * r, p, power) * (is_small ? 2.938735877055719e-39 : 2.0);
}

/// e^x.
HEDDLE_HOST_DEVICE HEDDLE_ALWAYS_INLINE float exp(float x) {
  // n, in the last bits of a number; results without a normal exponent are scaled twice.
  const bool is_small = x < -60.0F;
  const float offset = is_small ? 12583103.0F : 12583038.0F;
  const std::int32_t unlimited =
      static_cast<std::int32_t>(heddle::bits_as<std::uint32_t>(std::fma(x, 1.442695F, offset)));
  constexpr std::int32_t most = 1262485758;
  const std::int32_t limited = unlimited < most ? unlimited : most;
  const std::uint32_t word = static_cast<std::uint32_t>(limited);
  const float n = heddle::bits_as<float>(word) - offset;

  // x = n ln(2) + r: the first product is exact.
  const float x_reduced = std::fma(n, -0.69314575F, x);
  const float r = std::fma(n, -1.4286068e-06F, x_reduced);

  // e^r = 1 + r p
  const float p4 = std::fma(0.0013814839F, r, 0.0083687175F);
  const float p3 = std::fma(p4, r, 0.041668385F);
  const float p2 = std::fma(p3, r, 0.16666521F);
  const float p1 = std::fma(p2, r, 0.49999994F);
  const float p = std::fma(p1, r, 1.0F);

  // 2^n (1 + r p)
  const float power = heddle::bits_as<float>(word << 23U);
  return x < -104.0F ? 0.0F : std::fma(power * r, p, power) * (is_small ? 5.421011e-20F : 2.0F);
}

/// 2^x.
HEDDLE_HOST_DEVICE HEDDLE_ALWAYS_INLINE double exp2(double x) {
  // n, in the last bits of a number; results without a normal exponent are scaled twice.
  const bool is_small = x < -900.0;
  const double offset = is_small ? 6755399441056895.0 : 6755399441056766.0;
  const std::int64_t unlimited =
      static_cast<std::int64_t>(heddle::bits_as<std::uint64_t>(x + offset));
  constexpr std::int64_t most = 4843621399236970494;
  const std::int64_t limited = unlimited < most ? unlimited : most;
  const std::uint64_t word = static_cast<std::uint64_t>(limited);
  const double n = heddle::bits_as<double>(word) - offset;
  const double f = x - n;

  // 2^f = 1 + f p
  const double p9 = std::fma(4.434760986322813e-10, f, 7.073784469695716e-09);
  const double p8 = std::fma(p9, f, 1.0178199679416883e-07);
  const double p7 = std::fma(p8, f, 1.3215435275657337e-06);
  const double p6 = std::fma(p7, f, 1.5252733492756098e-05);
  const double p5 = std::fma(p6, f, 0.00015403530457124205);
  const double p4 = std::fma(p5, f, 0.0013333558146775145);
  const double p3 = std::fma(p4, f, 0.009618129107594112);
  const double p2 = std::fma(p3, f, 0.05550410866482008);
  const double p1 = std::fma(p2, f, 0.2402265069591013);
  const double p = std::fma(p1, f, 0.6931471805599453);

  // 2^n (1 + r p)
  const double power = heddle::bits_as<double>(word << 52U);
  return x < -1076.0 ? 0.0
                     : std::fma(power * f, p, power) * (is_small ? 2.938735877055719e-39 : 2.0);
}

/// 2^x.
HEDDLE_HOST_DEVICE HEDDLE_ALWAYS_INLINE float exp2(float x) {
  // n, in the last bits of a number; results without a normal exponent are scaled twice.
  const bool is_small = x < -90.0F;
  const float offset = is_small ? 12583103.0F : 12583038.0F;
  const std::int32_t unlimited =
      static_cast<std::int32_t>(heddle::bits_as<std::uint32_t>(x + offset));
  constexpr std::int32_t most = 1262485758;
  const std::int32_t limited = unlimited < most ? unlimited : most;
  const std::uint32_t word = static_cast<std::uint32_t>(limited);
  const float n = heddle::bits_as<float>(word) - offset;
  const float f = x - n;

  // 2^f = 1 + f p
  const float p4 = std::fma(0.00015353352F, f, 0.0013398877F);
  const float p3 = std::fma(p4, f, 0.009618437F);
  const float p2 = std::fma(p3, f, 0.055503324F);
  const float p1 = std::fma(p2, f, 0.24022648F);
  const float p = std::fma(p1, f, 0.6931472F);

  // 2^n (1 + r p)
  const float power = heddle::bits_as<float>(word << 23U);
  return x < -151.0F ? 0.0F : std::fma(power * f, p, power) * (is_small ? 5.421011e-20F : 2.0F);
}

/// The natural logarithm.
HEDDLE_HOST_DEVICE HEDDLE_ALWAYS_INLINE double log(double x) {
  // x = 2^k m with sqrt(1/2) <= m < sqrt(2); subnormal numbers are made normal first.
  const bool is_subnormal = x < 2.2250738585072014e-308;
  const double normal = x * (is_subnormal ? 1.8014398509481984e+16 : 1.0);
  const std::uint64_t shifted = heddle::bits_as<std::uint64_t>(normal) + 0x95f619980c433U;
  const double m = heddle::bits_as<double>((shifted & 0xfffffffffffffU) + 0x3fe6a09e667f3bcdU);
  const double biased = heddle::bits_as<double>((shifted >> 52U) + 0x4330000000000000U);
  const double k = biased - (is_subnormal ? 4503599627371573.0 : 4503599627371519.0);

  // log(m) = f - f^2/2 + s (f^2/2 + s^2 p), f = m - 1, s = f / (2 + f), in two parts.
  const double f = m - 1.0;
  const double s = f / (2.0 + f);
  const double z = s * s;
  const double p5 = std::fma(0.14752370760884856, z, 0.15318724308690307);
  const double p4 = std::fma(p5, z, 0.18183365905837154);
  const double p3 = std::fma(p4, z, 0.22222202789963905);
  const double p2 = std::fma(p3, z, 0.28571428695882584);
  const double p1 = std::fma(p2, z, 0.3999999999966062);
  const double p = std::fma(p1, z, 0.6666666666666687);
  const double half_square = 0.5 * f * f;
  const double log_m = f - half_square;
  const double log_m_low = std::fma(s, std::fma(z, p, half_square), f - log_m - half_square);

  // k ln(2) + log(m): the first product is exact, the sum is kept in two parts.
  const double k_ln2 = k * 0.6931471805601177;
  const double high = k_ln2 + log_m;
  const double low = k_ln2 - high + log_m + std::fma(k, -1.7239444525614835e-13, log_m_low);
  const double usual = high + low;
  return x > 0.0 ? (x == HUGE_VAL ? HUGE_VAL : usual)
      : x == 0.0 ? -HUGE_VAL
                 : heddle::bits_as<double>(0x7ff8000000000000U);
}

/// The natural logarithm.
HEDDLE_HOST_DEVICE HEDDLE_ALWAYS_INLINE float log(float x) {
  // x = 2^k m with sqrt(1/2) <= m < sqrt(2); subnormal numbers are made normal first.
  const bool is_subnormal = x < 1.1754944e-38F;
  const float normal = x * (is_subnormal ? 33554432.0F : 1.0F);
  const std::uint32_t shifted = heddle::bits_as<std::uint32_t>(normal) + 0x4afb0dU;
  const float m = heddle::bits_as<float>((shifted & 0x7fffffU) + 0x3f3504f3U);
  const float biased = heddle::bits_as<float>((shifted >> 23U) + 0x4b000000U);
  const float k = biased - (is_subnormal ? 8388760.0F : 8388735.0F);

  // log(m) = f - f^2/2 + s (f^2/2 + s^2 p), f = m - 1, s = f / (2 + f), in two parts.
  const float f = m - 1.0F;
  const float s = f / (2.0F + f);
  const float z = s * s;
  const float p1 = std::fma(0.29871836F, z, 0.3997754F);
  const float p = std::fma(p1, z, 0.66666776F);
  const float half_square = 0.5F * f * f;
  const float log_m = f - half_square;
  const float log_m_low = std::fma(s, std::fma(z, p, half_square), f - log_m - half_square);

  // k ln(2) + log(m): the first product is exact, the sum is kept in two parts.
  const float k_ln2 = k * 0.69314575F;
  const float high = k_ln2 + log_m;
  const float low = k_ln2 - high + log_m + std::fma(k, 1.4286068e-06F, log_m_low);
  const float usual = high + low;
  return x > 0.0F ? (x == HUGE_VALF ? HUGE_VALF : usual)
      : x == 0.0F ? -HUGE_VALF
                  : heddle::bits_as<float>(0x7fc00000U);
}

/// The logarithm to base 2.
HEDDLE_HOST_DEVICE HEDDLE_ALWAYS_INLINE double log2(double x) {
  // x = 2^k m with sqrt(1/2) <= m < sqrt(2); subnormal numbers are made normal first.
  const bool is_subnormal = x < 2.2250738585072014e-308;
  const double normal = x * (is_subnormal ? 1.8014398509481984e+16 : 1.0);
  const std::uint64_t shifted = heddle::bits_as<std::uint64_t>(normal) + 0x95f619980c433U;
  const double m = heddle::bits_as<double>((shifted & 0xfffffffffffffU) + 0x3fe6a09e667f3bcdU);
  const double biased = heddle::bits_as<double>((shifted >> 52U) + 0x4330000000000000U);
  const double k = biased - (is_subnormal ? 4503599627371573.0 : 4503599627371519.0);

  // log(m) = f - f^2/2 + s (f^2/2 + s^2 p), f = m - 1, s = f / (2 + f), in two parts.
  const double f = m - 1.0;
  const double s = f / (2.0 + f);
  const double z = s * s;
  const double p5 = std::fma(0.14752370760884856, z, 0.15318724308690307);
  const double p4 = std::fma(p5, z, 0.18183365905837154);
  const double p3 = std::fma(p4, z, 0.22222202789963905);
  const double p2 = std::fma(p3, z, 0.28571428695882584);
  const double p1 = std::fma(p2, z, 0.3999999999966062);
  const double p = std::fma(p1, z, 0.6666666666666687);
  const double half_square = 0.5 * f * f;
  const double log_m = f - half_square;
  const double log_m_low = std::fma(s, std::fma(z, p, half_square), f - log_m - half_square);

  // k + log(m) / ln(2), in two parts.
  const double scaled = log_m * 1.4426950408889634;
  const double scaled_low = std::fma(log_m, 1.4426950408889634, -scaled);
  const double correction =
      std::fma(log_m_low, 1.4426950408889634, std::fma(log_m, 2.0355273740931033e-17, scaled_low));
  const double high = k + scaled;
  const double low = k - high + scaled + correction;
  const double usual = high + low;
  return x > 0.0 ? (x == HUGE_VAL ? HUGE_VAL : usual)
      : x == 0.0 ? -HUGE_VAL
                 : heddle::bits_as<double>(0x7ff8000000000000U);
}

/// The logarithm to base 2.
HEDDLE_HOST_DEVICE HEDDLE_ALWAYS_INLINE float log2(float x) {
  // x = 2^k m with sqrt(1/2) <= m < sqrt(2); subnormal numbers are made normal first.
  const bool is_subnormal = x < 1.1754944e-38F;
  const float normal = x * (is_subnormal ? 33554432.0F : 1.0F);
  const std::uint32_t shifted = heddle::bits_as<std::uint32_t>(normal) + 0x4afb0dU;
  const float m = heddle::bits_as<float>((shifted & 0x7fffffU) + 0x3f3504f3U);
  const float biased = heddle::bits_as<float>((shifted >> 23U) + 0x4b000000U);
  const float k = biased - (is_subnormal ? 8388760.0F : 8388735.0F);

  // log(m) = f - f^2/2 + s (f^2/2 + s^2 p), f = m - 1, s = f / (2 + f), in two parts.
  const float f = m - 1.0F;
  const float s = f / (2.0F + f);
  const float z = s * s;
  const float p1 = std::fma(0.29871836F, z, 0.3997754F);
  const float p = std::fma(p1, z, 0.66666776F);
  const float half_square = 0.5F * f * f;
  const float log_m = f - half_square;
  const float log_m_low = std::fma(s, std::fma(z, p, half_square), f - log_m - half_square);

  // k + log(m) / ln(2), in two parts.
  const float scaled = log_m * 1.442695F;
  const float scaled_low = std::fma(log_m, 1.442695F, -scaled);
  const float correction =
      std::fma(log_m_low, 1.442695F, std::fma(log_m, 1.925963e-08F, scaled_low));
  const float high = k + scaled;
  const float low = k - high + scaled + correction;
  const float usual = high + low;
  return x > 0.0F ? (x == HUGE_VALF ? HUGE_VALF : usual)
      : x == 0.0F ? -HUGE_VALF
                  : heddle::bits_as<float>(0x7fc00000U);
}

/// x^y.
HEDDLE_HOST_DEVICE HEDDLE_ALWAYS_INLINE double pow(double x, double y) {
  const double size = std::abs(x);

  // x = 2^k m with sqrt(1/2) <= m < sqrt(2); subnormal numbers are made normal first.
  const bool is_subnormal = size < 2.2250738585072014e-308;
  const double normal = size * (is_subnormal ? 1.8014398509481984e+16 : 1.0);
  const std::uint64_t shifted = heddle::bits_as<std::uint64_t>(normal) + 0x95f619980c433U;
  const double m = heddle::bits_as<double>((shifted & 0xfffffffffffffU) + 0x3fe6a09e667f3bcdU);
  const double biased = heddle::bits_as<double>((shifted >> 52U) + 0x4330000000000000U);
  const double k = biased - (is_subnormal ? 4503599627371573.0 : 4503599627371519.0);

  // s = (m - 1) / (m + 1) in two parts.
  const double f = m - 1.0;
  const double d = m + 1.0;
  const double d_low = m - (d - 1.0);
  const double inverse = 1.0 / d;
  const double s = f * inverse;
  const double s_low = std::fma(-s, d_low, std::fma(-s, d, f)) * inverse;

  // log2(m) = s (c1 + s^2 (c3 + s^2 t)), sums and products in two parts.
  const double z = s * s;
  const double t0_1 = std::fma(0.41219858309762103, z, 0.5770780163556039);
  const double t2_1 = std::fma(0.2623077699722706, z, 0.3205989013906406);
  const double t4_1 = std::fma(0.19131653318540995, z, 0.2219811244278657);
  const double t_x2 = z * z;
  const double t0_2 = std::fma(t2_1, t_x2, t0_1);
  const double t4_2 = std::fma(0.1898579196612879, t_x2, t4_1);
  const double t_x4 = t_x2 * t_x2;
  const double t = std::fma(t4_2, t_x4, t0_2);
  const double c = std::fma(z, t, 0.9617966939259756);
  const double c_low = std::fma(z, t, 0.9617966939259756 - c) + 5.0577616648125907e-17;
  const double u = z * c;
  const double u_low = std::fma(std::fma(s, s, -z), c, std::fma(z, c_low, std::fma(z, c, -u)));
  const double v = 2.8853900817779268 + u;
  const double v_low = 2.8853900817779268 - v + u + (u_low + 4.0710547481862066e-17);
  const double log_m = s * v;
  const double log_m_low =
      std::fma(s_low, std::fma(2.0, u, v), std::fma(s, v_low, std::fma(s, v, -log_m)));
  const double log = k + log_m;
  const double log_low = k - log + log_m + log_m_low;

  // y log2(|x|) in two parts; a larger y gives 0, 1 or infinity, too.
  const std::int64_t y_word =
      static_cast<std::int64_t>(heddle::bits_as<std::uint64_t>(std::abs(y)));
  const std::int64_t y_limit = y_word < 4899916394579099648 ? y_word : 4899916394579099648;
  const double y_limited = heddle::bits_as<double>(
      heddle::bits_as<std::uint64_t>(heddle::bits_as<double>(static_cast<std::uint64_t>(y_limit))) +
      (heddle::bits_as<std::uint64_t>(y) & 9223372036854775808U));
  const double exponent = y_limited * log;
  const double exponent_low = std::fma(y_limited, log_low, std::fma(y_limited, log, -exponent));

  // n, in the last bits of a number; results without a normal exponent are scaled twice.
  const bool is_small = exponent < -900.0;
  const double offset = is_small ? 6755399441056895.0 : 6755399441056766.0;
  const std::int64_t unlimited =
      static_cast<std::int64_t>(heddle::bits_as<std::uint64_t>(exponent + offset));
  constexpr std::int64_t most = 4843621399236970494;
  const std::int64_t limited = unlimited < most ? unlimited : most;
  const std::uint64_t word = static_cast<std::uint64_t>(limited);
  const double n = heddle::bits_as<double>(word) - offset;
  const double rest = exponent - n + exponent_low;

  // 2^f = 1 + f p
  const double p0_1 = std::fma(0.2402265069591013, rest, 0.6931471805599453);
  const double p2_1 = std::fma(0.009618129107594112, rest, 0.05550410866482008);
  const double p4_1 = std::fma(0.00015403530457124205, rest, 0.0013333558146775145);
  const double p6_1 = std::fma(1.3215435275657337e-06, rest, 1.5252733492756098e-05);
  const double p8_1 = std::fma(7.073784469695716e-09, rest, 1.0178199679416883e-07);
  const double p_x2 = rest * rest;
  const double p0_2 = std::fma(p2_1, p_x2, p0_1);
  const double p4_2 = std::fma(p6_1, p_x2, p4_1);
  const double p8_2 = std::fma(4.434760986322813e-10, p_x2, p8_1);
  const double p_x4 = p_x2 * p_x2;
  const double p0_4 = std::fma(p4_2, p_x4, p0_2);
  const double p_x8 = p_x4 * p_x4;
  const double p = std::fma(p8_2, p_x8, p0_4);

  // 2^n (1 + r p)
  const double power = heddle::bits_as<double>(word << 52U);
  const double usual = exponent < -1076.0
      ? 0.0
      : std::fma(power * rest, p, power) * (is_small ? 2.938735877055719e-39 : 2.0);

  // Powers of 0 and of infinity.
  const bool is_falling = y < 0.0;
  const double of_zero = is_falling ? HUGE_VAL : 0.0;
  const double of_infinity = is_falling ? 0.0 : HUGE_VAL;
  const double of_positive = size == 0.0 ? of_zero : usual;
  const double of_size = size == HUGE_VAL ? of_infinity : of_positive;

  // A negative x keeps its sign where y is odd, and has no power where y is no whole
  // number.
  const bool is_whole = std::floor(y) == y;
  const double half = 0.5 * y;
  const std::uint64_t sign = heddle::bits_as<std::uint64_t>(x) & 9223372036854775808U;
  const std::uint64_t sign_of_whole = std::floor(half) == half ? 0U : sign;
  const std::uint64_t sign_kept = is_whole ? sign_of_whole : 0U;
  const double with_sign =
      heddle::bits_as<double>(heddle::bits_as<std::uint64_t>(of_size) + sign_kept);
  const double of_finite = is_whole ? with_sign : heddle::bits_as<double>(0x7ff8000000000000U);
  const double of_negative = size == HUGE_VAL ? with_sign : of_finite;
  const double of_number = x < 0.0 ? of_negative : with_sign;

  // NaN stays, but x^0 and 1^y are 1.
  const double sum_of_sizes = size + std::abs(y);
  const double of_any =
      sum_of_sizes == sum_of_sizes ? of_number : heddle::bits_as<double>(0x7ff8000000000000U);
  const double to_zero = y == 0.0 ? 1.0 : of_any;
  return x == 1.0 ? 1.0 : to_zero;
}

/// x^y.
HEDDLE_HOST_DEVICE HEDDLE_ALWAYS_INLINE float pow(float x, float y) {
  const float size = std::abs(x);

  // x = 2^k m with sqrt(1/2) <= m < sqrt(2); subnormal numbers are made normal first.
  const bool is_subnormal = size < 1.1754944e-38F;
  const float normal = size * (is_subnormal ? 33554432.0F : 1.0F);
  const std::uint32_t shifted = heddle::bits_as<std::uint32_t>(normal) + 0x4afb0dU;
  const float m = heddle::bits_as<float>((shifted & 0x7fffffU) + 0x3f3504f3U);
  const float biased = heddle::bits_as<float>((shifted >> 23U) + 0x4b000000U);
  const float k = biased - (is_subnormal ? 8388760.0F : 8388735.0F);

  // s = (m - 1) / (m + 1) in two parts.
  const float f = m - 1.0F;
  const float d = m + 1.0F;
  const float d_low = m - (d - 1.0F);
  const float inverse = 1.0F / d;
  const float s = f * inverse;
  const float s_low = std::fma(-s, d_low, std::fma(-s, d, f)) * inverse;

  // log2(m) = s (c1 + s^2 (c3 + s^2 t)), sums and products in two parts.
  const float z = s * s;
  const float t0_1 = std::fma(0.41184804F, z, 0.5770802F);
  const float t_x2 = z * z;
  const float t = std::fma(0.3378599F, t_x2, t0_1);
  const float c = std::fma(z, t, 0.9617967F);
  const float c_low = std::fma(z, t, 0.9617967F - c) + -7.028462e-09F;
  const float u = z * c;
  const float u_low = std::fma(std::fma(s, s, -z), c, std::fma(z, c_low, std::fma(z, c, -u)));
  const float v = 2.88539F + u;
  const float v_low = 2.88539F - v + u + (u_low + 3.851926e-08F);
  const float log_m = s * v;
  const float log_m_low =
      std::fma(s_low, std::fma(2.0F, u, v), std::fma(s, v_low, std::fma(s, v, -log_m)));
  const float log = k + log_m;
  const float log_low = k - log + log_m + log_m_low;

  // y log2(|x|) in two parts; a larger y gives 0, 1 or infinity, too.
  const std::int32_t y_word =
      static_cast<std::int32_t>(heddle::bits_as<std::uint32_t>(std::abs(y)));
  const std::int32_t y_limit = y_word < 1367343104 ? y_word : 1367343104;
  const float y_limited = heddle::bits_as<float>(
      heddle::bits_as<std::uint32_t>(heddle::bits_as<float>(static_cast<std::uint32_t>(y_limit))) +
      (heddle::bits_as<std::uint32_t>(y) & 2147483648U));
  const float exponent = y_limited * log;
  const float exponent_low = std::fma(y_limited, log_low, std::fma(y_limited, log, -exponent));

  // n, in the last bits of a number; results without a normal exponent are scaled twice.
  const bool is_small = exponent < -90.0F;
  const float offset = is_small ? 12583103.0F : 12583038.0F;
  const std::int32_t unlimited =
      static_cast<std::int32_t>(heddle::bits_as<std::uint32_t>(exponent + offset));
  constexpr std::int32_t most = 1262485758;
  const std::int32_t limited = unlimited < most ? unlimited : most;
  const std::uint32_t word = static_cast<std::uint32_t>(limited);
  const float n = heddle::bits_as<float>(word) - offset;
  const float rest = exponent - n + exponent_low;

  // 2^f = 1 + f p
  const float p0_1 = std::fma(0.24022648F, rest, 0.6931472F);
  const float p2_1 = std::fma(0.009618437F, rest, 0.055503324F);
  const float p4_1 = std::fma(0.00015353352F, rest, 0.0013398877F);
  const float p_x2 = rest * rest;
  const float p0_2 = std::fma(p2_1, p_x2, p0_1);
  const float p_x4 = p_x2 * p_x2;
  const float p = std::fma(p4_1, p_x4, p0_2);

  // 2^n (1 + r p)
  const float power = heddle::bits_as<float>(word << 23U);
  const float usual = exponent < -151.0F
      ? 0.0F
      : std::fma(power * rest, p, power) * (is_small ? 5.421011e-20F : 2.0F);

  // Powers of 0 and of infinity.
  const bool is_falling = y < 0.0F;
  const float of_zero = is_falling ? HUGE_VALF : 0.0F;
  const float of_infinity = is_falling ? 0.0F : HUGE_VALF;
  const float of_positive = size == 0.0F ? of_zero : usual;
  const float of_size = size == HUGE_VALF ? of_infinity : of_positive;

  // A negative x keeps its sign where y is odd, and has no power where y is no whole
  // number.
  const bool is_whole = std::floor(y) == y;
  const float half = 0.5F * y;
  const std::uint32_t sign = heddle::bits_as<std::uint32_t>(x) & 2147483648U;
  const std::uint32_t sign_of_whole = std::floor(half) == half ? 0U : sign;
  const std::uint32_t sign_kept = is_whole ? sign_of_whole : 0U;
  const float with_sign =
      heddle::bits_as<float>(heddle::bits_as<std::uint32_t>(of_size) + sign_kept);
  const float of_finite = is_whole ? with_sign : heddle::bits_as<float>(0x7fc00000U);
  const float of_negative = size == HUGE_VALF ? with_sign : of_finite;
  const float of_number = x < 0.0F ? of_negative : with_sign;

  // NaN stays, but x^0 and 1^y are 1.
  const float sum_of_sizes = size + std::abs(y);
  const float of_any =
      sum_of_sizes == sum_of_sizes ? of_number : heddle::bits_as<float>(0x7fc00000U);
  const float to_zero = y == 0.0F ? 1.0F : of_any;
  return x == 1.0F ? 1.0F : to_zero;
}

/// The sine.
HEDDLE_HOST_DEVICE HEDDLE_ALWAYS_INLINE double sin(double x) {
  const double size = std::abs(x);

  // x = M 2^E, and the place in 2 / pi where what counts begins.
  const std::uint64_t word = heddle::bits_as<std::uint64_t>(size);
  const std::uint64_t place = (word >> 52U) - 1022U;
  const std::uint64_t m = (word & 0xfffffffffffffU) + 4503599627370496U;
  const bool is_8_on = (place & 512U) != 0U;
  const std::uint64_t w8_0 = is_8_on ? 0x46bea5d768909d3U : 325U;
  const std::uint64_t w8_1 = is_8_on ? 0x38e04d68befc8273U : 0xf306dc9c882a53f8U;
  const std::uint64_t w8_2 = is_8_on ? 0x23ac7306a673e939U : 0x4eafa3ea69bb81b6U;
  const std::uint64_t w8_3 = is_8_on ? 0x8bf177bf250763fU : 0xc52b3278872083fcU;
  const std::uint64_t w8_4 = is_8_on ? 0xf12fffbc0b301fdeU : 0xa2c757bd778ac36eU;
  const std::uint64_t w8_5 = is_8_on ? 0x5e2316b414da3edaU : 0x48dc74849ba5c00cU;
  const std::uint64_t w8_6 = is_8_on ? 0x6cfd9e4f96136e9eU : 0x925dd413a32439fcU;
  const std::uint64_t w8_7 = is_8_on ? 0x8c7ecd3cbfd45aeaU : 0x3bd63962534e7dd1U;
  const std::uint64_t w8_8 = is_8_on ? 0x4f758fd7cbe2f67aU : 0x46bea5d768909d3U;
  const std::uint64_t w8_9 = is_8_on ? 0xe73ef14a525d4d7U : 0x38e04d68befc8273U;
  const std::uint64_t w8_10 = is_8_on ? 0xf6bf623f1aba10acU : 0x23ac7306a673e939U;
  const bool is_4_on = (place & 256U) != 0U;
  const std::uint64_t w4_0 = is_4_on ? w8_4 : w8_0;
  const std::uint64_t w4_1 = is_4_on ? w8_5 : w8_1;
  const std::uint64_t w4_2 = is_4_on ? w8_6 : w8_2;
  const std::uint64_t w4_3 = is_4_on ? w8_7 : w8_3;
  const std::uint64_t w4_4 = is_4_on ? w8_8 : w8_4;
  const std::uint64_t w4_5 = is_4_on ? w8_9 : w8_5;
  const std::uint64_t w4_6 = is_4_on ? w8_10 : w8_6;
  const bool is_2_on = (place & 128U) != 0U;
  const std::uint64_t w2_0 = is_2_on ? w4_2 : w4_0;
  const std::uint64_t w2_1 = is_2_on ? w4_3 : w4_1;
  const std::uint64_t w2_2 = is_2_on ? w4_4 : w4_2;
  const std::uint64_t w2_3 = is_2_on ? w4_5 : w4_3;
  const std::uint64_t w2_4 = is_2_on ? w4_6 : w4_4;
  const bool is_1_on = (place & 64U) != 0U;
  const std::uint64_t w1_0 = is_1_on ? w2_1 : w2_0;
  const std::uint64_t w1_1 = is_1_on ? w2_2 : w2_1;
  const std::uint64_t w1_2 = is_1_on ? w2_3 : w2_2;
  const std::uint64_t w1_3 = is_1_on ? w2_4 : w2_3;
  const std::uint64_t shift = place & 63U;
  const std::uint64_t back = 63U - shift;
  const bool is_16_on = (place & 1024U) != 0U;
  const std::uint64_t first =
      is_16_on ? 0x4f758fd7cbe2f67aU : (w1_0 << shift) + ((w1_1 >> back) >> 1U);
  const std::uint64_t second =
      is_16_on ? 0xe73ef14a525d4d7U : (w1_1 << shift) + ((w1_2 >> back) >> 1U);
  const std::uint64_t third =
      is_16_on ? 0xf6bf623f1aba10acU : (w1_2 << shift) + ((w1_3 >> back) >> 1U);

  // The product, modulo four turns: all of it but its last word.
  const std::uint64_t m_high = m >> 32U;
  const std::uint64_t m_low = m & 0xffffffffU;
  const std::uint64_t second_high = second >> 32U;
  const std::uint64_t second_low = second & 0xffffffffU;
  const std::uint64_t third_high = third >> 32U;
  const std::uint64_t third_low = third & 0xffffffffU;
  const std::uint64_t low_low = m_low * second_low;
  const std::uint64_t cross = m_low * second_high + (low_low >> 32U);
  const std::uint64_t middle = m_high * second_low + (cross & 0xffffffffU);
  const std::uint64_t over = m_high * second_high + (cross >> 32U) + (middle >> 32U);
  const std::uint64_t lower = (middle << 32U) + (low_low & 0xffffffffU);
  const std::uint64_t tail =
      m_high * third_high + (((m_high * third_low) >> 32U) + ((m_low * third_high) >> 32U));
  const std::uint64_t bottom = lower + tail;
  const std::uint64_t carried = bottom < lower ? over + 1U : over;
  const std::uint64_t top = m * first + carried;

  // Turns to the nearest quarter, and what is left, in units of a quarter's last bit.
  const std::uint64_t quarters = (top + 2305843009213693952U) >> 62U;
  const std::uint64_t left = (top << 2U) + (bottom >> 62U);
  const std::uint64_t below = bottom << 2U;
  const double upper =
      heddle::bits_as<double>(((left + 9223372036854775808U) >> 32U) + 0x4330000000000000U) -
      4503601774854144.0;
  const double next_one =
      heddle::bits_as<double>((left & 0xffffffffU) + 0x4330000000000000U) - 4503599627370496.0;
  const double last =
      heddle::bits_as<double>((below & 0xffffffffU) + 0x4330000000000000U) - 4503599627370496.0;
  const double high = std::fma(upper, 4294967296.0, next_one);
  const double error = std::fma(upper, 4294967296.0, -high) + next_one;
  const double high_low = std::fma(
      std::fma(last, 2.3283064365386963e-10,
               heddle::bits_as<double>((below >> 32U) + 0x4330000000000000U) - 4503599627370496.0),
      2.3283064365386963e-10, error);

  // The same as an angle.
  const double angle = high * 8.515303950216386e-20;
  const double angle_low = std::fma(
      high_low, 8.515303950216386e-20,
      std::fma(high, 3.319411800407449e-36, std::fma(high, 8.515303950216386e-20, -angle)));

  // What is small needs no reduction.
  const bool is_small = size < 0.785;
  const double r = is_small ? size : angle;
  const double r_low = is_small ? 0.0 : angle_low;
  const std::uint64_t turns = is_small ? 0U : quarters;
  const double z = r * r;
  const double half_square = 0.5 * z;

  // sin(r) = r + r^3 s
  const double s4 = std::fma(1.5901238546980817e-10, z, -2.505084387090972e-08);
  const double s3 = std::fma(s4, z, 2.755731431823375e-06);
  const double s2 = std::fma(s3, z, -0.0001984126983193838);
  const double s1 = std::fma(s2, z, 0.008333333333325713);
  const double s = std::fma(s1, z, -0.1666666666666665);
  const double of_low = std::fma(-half_square, r_low, r_low);
  const double sine = r + std::fma(r * z, s, of_low);

  // cos(r) = 1 - r^2 / 2 + r^4 c
  const double c4 = std::fma(-1.135966167320952e-11, z, 2.087572353345975e-09);
  const double c3 = std::fma(c4, z, -2.7557314354187497e-07);
  const double c2 = std::fma(c3, z, 2.4801587289488395e-05);
  const double c1 = std::fma(c2, z, -0.0013888888888874133);
  const double c = std::fma(c1, z, 0.0416666666666666);
  const double most = 1.0 - half_square;
  const double rest = std::fma(z * z, c, 1.0 - most - half_square);
  const double cosine = most + std::fma(-r, r_low, rest);

  // Each second quarter takes the other one, and half a turn changes the sign.
  const double value = (turns & 1U) != 0U ? cosine : sine;
  const double signed_value = heddle::bits_as<double>(
      heddle::bits_as<std::uint64_t>(value) +
      (((turns & 2U) << 62U) + (heddle::bits_as<std::uint64_t>(x) & 9223372036854775808U)));
  return size < HUGE_VAL ? signed_value : heddle::bits_as<double>(0x7ff8000000000000U);
}

/// The sine.
HEDDLE_HOST_DEVICE HEDDLE_ALWAYS_INLINE float sin(float x) {
  const float size = std::abs(x);

  // x = M 2^E, and the place in 2 / pi where what counts begins.
  const std::uint32_t word = heddle::bits_as<std::uint32_t>(size);
  const std::uint32_t place = (word >> 23U) - 126U;
  const std::uint32_t m = (word & 0x7fffffU) + 8388608U;
  const bool is_2_on = (place & 64U) != 0U;
  const std::uint32_t w2_0 = is_2_on ? 0x91054a7fU : 40U;
  const std::uint32_t w2_1 = is_2_on ? 0x9d5f47dU : 0xbe60db93U;
  const std::uint32_t w2_2 = is_2_on ? 0x4d377036U : 0x91054a7fU;
  const std::uint32_t w2_3 = is_2_on ? 0xd8a5664fU : 0x9d5f47dU;
  const std::uint32_t w2_4 = is_2_on ? 0x10e4107fU : 0x4d377036U;
  const bool is_1_on = (place & 32U) != 0U;
  const std::uint32_t w1_0 = is_1_on ? w2_1 : w2_0;
  const std::uint32_t w1_1 = is_1_on ? w2_2 : w2_1;
  const std::uint32_t w1_2 = is_1_on ? w2_3 : w2_2;
  const std::uint32_t w1_3 = is_1_on ? w2_4 : w2_3;
  const std::uint32_t shift = place & 31U;
  const std::uint32_t back = 31U - shift;
  const bool is_4_on = (place & 128U) != 0U;
  const std::uint32_t first = is_4_on ? 0x4d377036U : (w1_0 << shift) + ((w1_1 >> back) >> 1U);
  const std::uint32_t second = is_4_on ? 0xd8a5664fU : (w1_1 << shift) + ((w1_2 >> back) >> 1U);
  const std::uint32_t third = is_4_on ? 0x10e4107fU : (w1_2 << shift) + ((w1_3 >> back) >> 1U);

  // The product, modulo four turns: all of it but its last word.
  const std::uint32_t m_high = m >> 16U;
  const std::uint32_t m_low = m & 65535U;
  const std::uint32_t second_high = second >> 16U;
  const std::uint32_t second_low = second & 65535U;
  const std::uint32_t third_high = third >> 16U;
  const std::uint32_t third_low = third & 65535U;
  const std::uint32_t low_low = m_low * second_low;
  const std::uint32_t cross = m_low * second_high + (low_low >> 16U);
  const std::uint32_t middle = m_high * second_low + (cross & 65535U);
  const std::uint32_t over = m_high * second_high + (cross >> 16U) + (middle >> 16U);
  const std::uint32_t lower = (middle << 16U) + (low_low & 65535U);
  const std::uint32_t tail =
      m_high * third_high + (((m_high * third_low) >> 16U) + ((m_low * third_high) >> 16U));
  const std::uint32_t bottom = lower + tail;
  const std::uint32_t carried = bottom < lower ? over + 1U : over;
  const std::uint32_t top = m * first + carried;

  // Turns to the nearest quarter, and what is left, in units of a quarter's last bit.
  const std::uint32_t quarters = (top + 536870912U) >> 30U;
  const std::uint32_t left = (top << 2U) + (bottom >> 30U);
  const std::uint32_t below = bottom << 2U;
  const float upper =
      heddle::bits_as<float>(((left + 2147483648U) >> 16U) + 0x4b000000U) - 8421376.0F;
  const float next_one = heddle::bits_as<float>((left & 65535U) + 0x4b000000U) - 8388608.0F;
  const float last = heddle::bits_as<float>((below & 65535U) + 0x4b000000U) - 8388608.0F;
  const float high = std::fma(upper, 65536.0F, next_one);
  const float error = std::fma(upper, 65536.0F, -high) + next_one;
  const float high_low =
      std::fma(std::fma(last, 1.5258789e-05F,
                        heddle::bits_as<float>((below >> 16U) + 0x4b000000U) - 8388608.0F),
               1.5258789e-05F, error);

  // The same as an angle.
  const float angle = high * 3.6572953e-10F;
  const float angle_low =
      std::fma(high_low, 3.6572953e-10F,
               std::fma(high, -1.0177351e-17F, std::fma(high, 3.6572953e-10F, -angle)));

  // What is small needs no reduction.
  const bool is_small = size < 0.785F;
  const float r = is_small ? size : angle;
  const float r_low = is_small ? 0.0F : angle_low;
  const std::uint32_t turns = is_small ? 0U : quarters;
  const float z = r * r;
  const float half_square = 0.5F * z;

  // sin(r) = r + r^3 s
  const float s1 = std::fma(-0.00019517296F, z, 0.008332178F);
  const float s = std::fma(s1, z, -0.16666655F);
  const float of_low = std::fma(-half_square, r_low, r_low);
  const float sine = r + std::fma(r * z, s, of_low);

  // cos(r) = 1 - r^2 / 2 + r^4 c
  const float c1 = std::fma(2.4438415e-05F, z, -0.0013887368F);
  const float c = std::fma(c1, z, 0.041666646F);
  const float most = 1.0F - half_square;
  const float rest = std::fma(z * z, c, 1.0F - most - half_square);
  const float cosine = most + std::fma(-r, r_low, rest);

  // Each second quarter takes the other one, and half a turn changes the sign.
  const float value = (turns & 1U) != 0U ? cosine : sine;
  const float signed_value = heddle::bits_as<float>(
      heddle::bits_as<std::uint32_t>(value) +
      (((turns & 2U) << 30U) + (heddle::bits_as<std::uint32_t>(x) & 2147483648U)));
  return size < HUGE_VALF ? signed_value : heddle::bits_as<float>(0x7fc00000U);
}

/// The hyperbolic tangent.
HEDDLE_HOST_DEVICE HEDDLE_ALWAYS_INLINE double tanh(double x) {
  const double size = std::abs(x);

  // Next to 0: |x| + |x|^3 t.
  const double z = size * size;
  const double t9 = std::fma(-1.9883127706022246e-05, z, 8.397658312365065e-05);
  const double t8 = std::fma(t9, z, -0.00023386707131469353);
  const double t7 = std::fma(t8, z, 0.0005886467641351868);
  const double t6 = std::fma(t7, z, -0.0014555953150975022);
  const double t5 = std::fma(t6, z, 0.00359210079719287);
  const double t4 = std::fma(t5, z, -0.008863233544293869);
  const double t3 = std::fma(t4, z, 0.021869488449101138);
  const double t2 = std::fma(t3, z, -0.053968253966221555);
  const double t1 = std::fma(t2, z, 0.13333333333331399);
  const double t = std::fma(t1, z, -0.3333333333333333);
  const double small = std::fma(size * z, t, size);

  // Elsewhere, by e^(2 |x|) = 2^n (1 + r p); what is larger than the limit gives 1.
  const double limited = 20.0 < size ? 20.0 : size;
  const double double_size = limited + limited;
  const double near = std::fma(double_size, 1.4426950408889634, 6755399441056767.0);
  const double n = near - 6755399441056767.0;
  const double r =
      std::fma(n, 1.7239444525614835e-13, std::fma(n, -0.6931471805601177, double_size));
  const double p9 = std::fma(2.5000315205753763e-08, r, 2.763025045606736e-07);
  const double p8 = std::fma(p9, r, 2.7557585558961194e-06);
  const double p7 = std::fma(p8, r, 2.480149309325772e-05);
  const double p6 = std::fma(p7, r, 0.00019841269507497135);
  const double p5 = std::fma(p6, r, 0.0013888888943635437);
  const double p4 = std::fma(p5, r, 0.008333333333494045);
  const double p3 = std::fma(p4, r, 0.041666666666530135);
  const double p2 = std::fma(p3, r, 0.16666666666666413);
  const double p1 = std::fma(p2, r, 0.5000000000000011);
  const double p = std::fma(p1, r, 1.0);
  const double power = heddle::bits_as<double>(heddle::bits_as<std::uint64_t>(near) << 52U);
  const double exp = std::fma(power * r, p, power);

  // d = e^(2 |x|) + 1 and the quotient in two parts: next to 0.55 their errors count most.
  const double d = exp + 1.0;
  const double d_low = 1.0 - (d - exp);
  const double q = 2.0 / d;
  const double lacking = std::fma(-q, d_low, std::fma(-q, d, 2.0));
  const double difference = 1.0 - q;
  const double rest_low = std::fma(-0.5 * q, lacking, 1.0 - difference - q);
  const double large = difference + rest_low;
  const double value = size < 0.55 ? small : large;
  return heddle::bits_as<double>(heddle::bits_as<std::uint64_t>(value) +
                                 (heddle::bits_as<std::uint64_t>(x) & 9223372036854775808U));
}

/// The hyperbolic tangent.
HEDDLE_HOST_DEVICE HEDDLE_ALWAYS_INLINE float tanh(float x) {
  const float size = std::abs(x);

  // Next to 0: |x| + |x|^3 t.
  const float z = size * size;
  const float t3 = std::fma(-0.0063894927F, z, 0.021161748F);
  const float t2 = std::fma(t3, z, -0.05387707F);
  const float t1 = std::fma(t2, z, 0.13332863F);
  const float t = std::fma(t1, z, -0.33333328F);
  const float small = std::fma(size * z, t, size);

  // Elsewhere, by e^(2 |x|) = 2^n (1 + r p); what is larger than the limit gives 1.
  const float limited = 10.0F < size ? 10.0F : size;
  const float double_size = limited + limited;
  const float near = std::fma(double_size, 1.442695F, 12583039.0F);
  const float n = near - 12583039.0F;
  const float r = std::fma(n, -1.4286068e-06F, std::fma(n, -0.69314575F, double_size));
  const float p4 = std::fma(0.0013814839F, r, 0.0083687175F);
  const float p3 = std::fma(p4, r, 0.041668385F);
  const float p2 = std::fma(p3, r, 0.16666521F);
  const float p1 = std::fma(p2, r, 0.49999994F);
  const float p = std::fma(p1, r, 1.0F);
  const float power = heddle::bits_as<float>(heddle::bits_as<std::uint32_t>(near) << 23U);
  const float exp = std::fma(power * r, p, power);

  // d = e^(2 |x|) + 1 and the quotient in two parts: next to 0.55 their errors count most.
  const float d = exp + 1.0F;
  const float d_low = 1.0F - (d - exp);
  const float q = 2.0F / d;
  const float lacking = std::fma(-q, d_low, std::fma(-q, d, 2.0F));
  const float difference = 1.0F - q;
  const float rest_low = std::fma(-0.5F * q, lacking, 1.0F - difference - q);
  const float large = difference + rest_low;
  const float value = size < 0.55F ? small : large;
  return heddle::bits_as<float>(heddle::bits_as<std::uint32_t>(value) +
                                (heddle::bits_as<std::uint32_t>(x) & 2147483648U));
}

}  // namespace heddle::math

#endif
