// SPDX-License-Identifier: MIT-0
// A kernel says where it rounds. Compilers that reorder or fuse its operations, or take NaN for
// impossible, give other bits on each target: g++ and clang++ need -ffp-contract=off, nvcc
// -fmad=false. What a macro tells ends here; none tells of contraction, of nvcc's --use_fast_math,
// or of parts of clang++'s -ffast-math.
#ifndef HEDDLE_DEVICE_ROUNDING_HPP
#define HEDDLE_DEVICE_ROUNDING_HPP

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || \
    defined(__NO_SIGNED_ZEROS__) || __FINITE_MATH_ONLY__
#error "Heddle: -ffast-math, -Ofast or a part of them changes bits; compile with -ffp-contract=off"
#endif

#endif
