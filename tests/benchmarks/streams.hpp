// SPDX-License-Identifier: Apache-2.0
// Bandwidth limits: the memory traffic of a lattice Boltzmann step without its arithmetic.
#ifndef HEDDLE_BENCHMARKS_STREAMS_HPP
#define HEDDLE_BENCHMARKS_STREAMS_HPP

#include <cstdint>

namespace streams {

/// In place: 19 arrays of `count` elements, `stride` apart, each multiplied by `factor`. What an in-place
/// step can reach (Wittmann et al. 2018, "update-19").
void update19(float* f, std::int64_t stride, std::int64_t count, float factor);
void update19(double* f, std::int64_t stride, std::int64_t count, double factor);

/// The same elements by way of the neighbour table of a list of 18 rows, as an odd AA step over that list
/// touches them (heddle/device/run.hpp): each element once, multiplied by `factor`. `count`: cells, from the
/// first one on.
void update19_list(float* f, const std::uint32_t* neighbour, std::int64_t neighbour_stride,
                   const std::uint32_t* run, std::int64_t count, float factor);
void update19_list(double* f, const std::uint32_t* neighbour, std::int64_t neighbour_stride,
                   const std::uint32_t* run, std::int64_t count, double factor);

/// From 19 arrays to 19 others, past the caches: what a two-array step can reach ("copy-19-nt").
void copy19(float* to, const float* from, std::int64_t stride, std::int64_t count);
void copy19(double* to, const double* from, std::int64_t stride, std::int64_t count);

/// The same in place on a CUDA device, 16 bytes a thread; `stream` is a cudaStream_t.
void update19_cuda(float* f, std::int64_t stride, std::int64_t count, float factor, void* stream);
void update19_cuda(double* f, std::int64_t stride, std::int64_t count, double factor, void* stream);

/// Fills `count` elements with reproducible values in [-0.01, 0.01); 16-bit elements with halves of 2^15
/// times that.
void disturb_cuda(double* f, std::int64_t count, void* stream);
void disturb_cuda(float* f, std::int64_t count, void* stream);
void disturb_cuda(std::uint16_t* f, std::int64_t count, void* stream);

/// In place: own = own + factor * (other - right), `count` elements each. What a relaxation can reach that
/// reads its neighbours from another array.
void relax(float* own, const float* other, const float* right, std::int64_t count, float factor);
void relax(double* own, const double* other, const double* right, std::int64_t count, double factor);

/// The same on a CUDA device, 16 bytes a thread.
void relax_cuda(float* own, const float* other, const float* right, std::int64_t count, float factor,
                void* stream);
void relax_cuda(double* own, const double* other, const double* right, std::int64_t count, double factor,
                void* stream);

} // namespace streams

#endif
