// SPDX-License-Identifier: Apache-2.0
#include "bicgstab_device.hpp"

#include <bit>
#include <cmath>
#include <cstddef>

#include <cuda_runtime.h>

#include "heddle/device/shared.hpp"

namespace {

__device__ __forceinline__ bool usable(double divisor) {
  return isfinite(divisor) && divisor != 0.0;
}

__device__ __forceinline__ double norm(double squared, const StopRule& rule) {
  return rule.single ? static_cast<double>(sqrtf(static_cast<float>(squared))) : sqrt(squared);
}

/// The sum over the threads of a block, by a halving tree. length: a power of 2, from blockDim.x up, below
/// twice that.
template <unsigned length> __device__ double block_sum(double value, double* tree) {
  const unsigned thread = threadIdx.x;
  tree[thread] = value;
  if (thread + blockDim.x < length) tree[thread + blockDim.x] = 0.0;
  __syncthreads();
  for (unsigned half = length / 2; half > 0; half /= 2) {
    if (thread < half) tree[thread] += tree[thread + half];
    __syncthreads();
  }
  const double sum = tree[0];
  __syncthreads();
  return sum;
}

/// Row `row` of A v, both of the cell that begins at `matrix` and `v`.
__device__ __forceinline__ double row_product(const DeviceSystems& g, const double* matrix, const double* v,
                                              int row) {
  double sum = 0.0;
  for (int e = g.start[row]; e < g.start[row + 1]; ++e)
    sum += matrix[e] * v[g.column[e]];
  return sum;
}

__device__ __forceinline__ double inverse_diagonal(const DeviceSystems& g, const double* matrix, int row) {
  const double a = matrix[g.diagonal[row]];
  return a != 0.0 ? 1.0 / a : 1.0;
}

template <unsigned length>
__global__ void __launch_bounds__(length)
    block_cells_kernel(DeviceSystems g, std::int64_t first_group, std::int64_t first_cell,
                       int cells_per_block, StopRule rule) {
  __shared__ double tree[length];
  const int thread = static_cast<int>(threadIdx.x);
  const int row = thread % g.rows;
  const std::int64_t cell = first_cell + std::int64_t{blockIdx.x} * cells_per_block + thread / g.rows;
  const std::int64_t at = cell * g.rows;
  const std::int64_t size = g.cells * g.rows;
  const double* const matrix = g.matrix + cell * g.entries;
  double* const x = g.solution + at;
  double* const r = g.work + at;
  double* const r0 = r + size;
  double* const p = r0 + size;
  double* const n = p + size;
  double* const y = n + size;
  double* const s = y + size;
  double* const z = s + size;
  double* const t = z + size;
  double* const u = t + size;
  const double d = inverse_diagonal(g, matrix, row);

  r[row] = g.right_side[at + row];
  r0[row] = r[row];
  p[row] = 0.0;
  n[row] = 0.0;
  x[row] = 0.0;
  double rho = 1.0;
  double alpha = 1.0;
  double omega = 1.0;
  int iterations = 0;
  Ended ended = Ended::converged;
  double e = norm(block_sum<length>(r[row] * r[row], tree), rule);
  const double enough = fmax(rule.absolute, rule.relative * e);
  while (e > enough) {
    if (iterations == rule.most) {
      ended = Ended::too_many;
      break;
    }
    ended = Ended::breakdown; // until the iteration is whole
    const double rho_before = rho;
    rho = block_sum<length>(r[row] * r0[row], tree);
    if (!usable(rho) || !usable(omega)) break;
    const double beta = rho / rho_before * (alpha / omega);
    p[row] = r[row] + beta * (p[row] - omega * n[row]);
    y[row] = d * p[row];
    __syncthreads();
    n[row] = row_product(g, matrix, y, row);
    const double along = block_sum<length>(r0[row] * n[row], tree);
    if (!usable(along)) break;
    alpha = rho / along;
    s[row] = r[row] - alpha * n[row];
    z[row] = d * s[row];
    __syncthreads();
    t[row] = row_product(g, matrix, z, row);
    u[row] = d * t[row];
    const double curvature = block_sum<length>(u[row] * u[row], tree);
    const double zu = block_sum<length>(z[row] * u[row], tree);
    omega = curvature != 0.0 ? zu / curvature : 0.0;
    if (!isfinite(alpha) || !isfinite(omega)) break;
    x[row] += alpha * y[row] + omega * z[row];
    r[row] = s[row] - omega * t[row];
    ++iterations;
    ended = Ended::converged;
    e = norm(block_sum<length>(r[row] * r[row], tree), rule);
  }
  if (!isfinite(e)) ended = Ended::breakdown;
  if (thread == 0) {
    g.iterations[first_group + blockIdx.x] = iterations;
    g.ended[first_group + blockIdx.x] = ended;
  }
}

template <class... Parameters, class... Arguments>
cudaError_t launch(std::int64_t blocks, int threads, void* stream, void (*kernel)(Parameters...),
                   Arguments... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.stream = static_cast<cudaStream_t>(stream);
  return cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...);
}

cudaError_t launch_block_cells(const DeviceSystems& g, std::int64_t first_group, std::int64_t first_cell,
                               std::int64_t groups, int cells_per_block, const StopRule& rule, void* stream) {
  const int threads = cells_per_block * g.rows;
  const auto with = [&](auto kernel) {
    return launch(groups, threads, stream, kernel, g, first_group, first_cell, cells_per_block, rule);
  };
  switch (std::bit_ceil(static_cast<unsigned>(threads))) {
  case 2:
    return with(block_cells_kernel<2>); // a system of a test
  case 128:
    return with(block_cells_kernel<128>);
  case 256:
    return with(block_cells_kernel<256>);
  case 512:
    return with(block_cells_kernel<512>);
  case 1024:
    return with(block_cells_kernel<1024>);
  default:
    return cudaErrorInvalidValue;
  }
}

// Multi-cells: what the study does in a launch each.

enum Vector { r_, r0_, p_, n_, y_, s_, z_, t_, u_, d_ };

struct Part { // of the systems, as one vector
  DeviceSystems g;
  std::int64_t first;
  std::int64_t size;

  __device__ double* vector(int number) const {
    return g.work + number * (g.cells * g.rows) + first * g.rows;
  }
  [[nodiscard]] std::int64_t blocks() const { return (size + study_block - 1) / study_block; }
};

__device__ __forceinline__ std::int64_t element() {
  return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}

__global__ void begin_kernel(Part part) {
  const std::int64_t i = element();
  if (i >= part.size) return;
  const auto row = static_cast<int>(i % part.g.rows);
  const std::int64_t cell = part.first + i / part.g.rows;
  const double b = part.g.right_side[part.first * part.g.rows + i];
  part.vector(r_)[i] = b;
  part.vector(r0_)[i] = b;
  part.vector(p_)[i] = 0.0;
  part.vector(n_)[i] = 0.0;
  part.vector(d_)[i] = inverse_diagonal(part.g, part.g.matrix + cell * part.g.entries, row);
  part.g.solution[part.first * part.g.rows + i] = 0.0;
}

__global__ void direction_kernel(Part part, double beta, double omega) {
  const std::int64_t i = element();
  if (i >= part.size) return;
  double* const p = part.vector(p_);
  p[i] = part.vector(r_)[i] + beta * (p[i] - omega * part.vector(n_)[i]);
  part.vector(y_)[i] = part.vector(d_)[i] * p[i];
}

__global__ void multiply_kernel(Part part, int from, int to) {
  const std::int64_t i = element();
  if (i >= part.size) return;
  const std::int64_t cell = i / part.g.rows; // within the part
  part.vector(to)[i] = row_product(part.g, part.g.matrix + (part.first + cell) * part.g.entries,
                                   part.vector(from) + cell * part.g.rows, static_cast<int>(i % part.g.rows));
}

__global__ void half_step_kernel(Part part, double alpha) {
  const std::int64_t i = element();
  if (i >= part.size) return;
  const double s = part.vector(r_)[i] - alpha * part.vector(n_)[i];
  part.vector(s_)[i] = s;
  part.vector(z_)[i] = part.vector(d_)[i] * s;
}

__global__ void precondition_kernel(Part part) {
  const std::int64_t i = element();
  if (i < part.size) part.vector(u_)[i] = part.vector(d_)[i] * part.vector(t_)[i];
}

__global__ void update_kernel(Part part, double alpha, double omega) {
  const std::int64_t i = element();
  if (i >= part.size) return;
  part.g.solution[part.first * part.g.rows + i] += alpha * part.vector(y_)[i] + omega * part.vector(z_)[i];
  part.vector(r_)[i] = part.vector(s_)[i] - omega * part.vector(t_)[i];
}

__global__ void dot_kernel(Part part, int a, int b) {
  __shared__ double tree[study_block];
  const std::int64_t i = element();
  const double sum =
      block_sum<study_block>(i < part.size ? part.vector(a)[i] * part.vector(b)[i] : 0.0, tree);
  if (threadIdx.x == 0) part.g.partial[blockIdx.x] = sum;
}

// A warp per cell.

constexpr int warps = 4; // of a block
constexpr int rows_of_lane = (lane_rows + 31) / 32;
constexpr int words_of_lane = (entries_of_lane + 3) / 4;
constexpr int most_pieces = lane_rows + 32;

__device__ __forceinline__ double warp_sum(double value) {
  for (int other = 16; other > 0; other /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, other);
  return value;
}

/// Rows lane, lane + 32, lane + 64 of vectors of a cell; 0 beyond the last.
struct Slice {
  double v[rows_of_lane];
};

__device__ __forceinline__ double dot(const Slice& a, const Slice& b) {
  double sum = 0.0;
  HEDDLE_UNROLL
  for (int s = 0; s < rows_of_lane; ++s)
    sum += a.v[s] * b.v[s];
  return warp_sum(sum);
}

__global__ void __launch_bounds__(warps * 32)
    warp_per_cell_kernel(DeviceSystems g, DeviceLanes lanes, StopRule rule) {
  __shared__ double vectors[warps][lane_rows];
  __shared__ double pieces[warps][most_pieces];
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t cell = std::int64_t{blockIdx.x} * warps + threadIdx.x / 32;
  if (cell >= g.cells) return;
  double* const vector = vectors[threadIdx.x / 32];
  double* const piece = pieces[threadIdx.x / 32];

  std::uint32_t columns[words_of_lane];
  HEDDLE_UNROLL
  for (int w = 0; w < words_of_lane; ++w)
    columns[w] = lanes.columns[w * 32 + lane];
  const int first = lanes.first[lane];
  const double* const matrix = g.matrix + cell * (entries_of_lane * 32);
  double a[entries_of_lane];
  HEDDLE_UNROLL
  for (int e = 0; e < entries_of_lane; ++e)
    a[e] = matrix[e * 32 + lane];
  int begin[rows_of_lane];
  int end[rows_of_lane];
  Slice d{};
  Slice r{};
  HEDDLE_UNROLL
  for (int s = 0; s < rows_of_lane; ++s) {
    const int row = lane + 32 * s;
    const bool mine = row < lane_rows;
    begin[s] = mine ? lanes.row_pieces[row] : 0;
    end[s] = mine ? lanes.row_pieces[row + 1] : 0;
    const double entry = mine ? matrix[lanes.diagonal[row]] : 0.0;
    d.v[s] = entry != 0.0 ? 1.0 / entry : 1.0;
    r.v[s] = mine ? g.right_side[cell * lane_rows + row] : 0.0;
  }
  const auto multiply = [&](const Slice& in, Slice& out) {
    HEDDLE_UNROLL
    for (int s = 0; s < rows_of_lane; ++s)
      if (lane + 32 * s < lane_rows) vector[lane + 32 * s] = in.v[s];
    __syncwarp();
    int slot = first;
    double sum = 0.0;
    HEDDLE_UNROLL
    for (int e = 0; e < entries_of_lane; ++e) {
      const std::uint32_t code = columns[e / 4] >> (8 * (e % 4));
      sum += a[e] * vector[code & 127u];
      if ((code & 128u) != 0u) {
        piece[slot++] = sum;
        sum = 0.0;
      }
    }
    __syncwarp();
    HEDDLE_UNROLL
    for (int s = 0; s < rows_of_lane; ++s) {
      double total = 0.0;
      for (int q = begin[s]; q < end[s]; ++q)
        total += piece[q];
      out.v[s] = total;
    }
  };

  const Slice r0 = r;
  Slice x{};
  Slice p{};
  Slice n{};
  double rho = 1.0;
  double alpha = 1.0;
  double omega = 1.0;
  int iterations = 0;
  Ended ended = Ended::converged;
  double rr = dot(r, r);
  double e = norm(rr, rule);
  const double enough = fmax(rule.absolute, rule.relative * e);
  while (e > enough) {
    if (iterations == rule.most) {
      ended = Ended::too_many;
      break;
    }
    ended = Ended::breakdown; // until the iteration is whole
    const double rho_before = rho;
    rho = iterations == 0 ? rr : dot(r, r0);
    if (!usable(rho) || !usable(omega)) break;
    const double beta = rho / rho_before * (alpha / omega);
    Slice y;
    HEDDLE_UNROLL
    for (int s = 0; s < rows_of_lane; ++s) {
      p.v[s] = r.v[s] + beta * (p.v[s] - omega * n.v[s]);
      y.v[s] = d.v[s] * p.v[s];
    }
    multiply(y, n);
    const double along = dot(r0, n);
    if (!usable(along)) break;
    alpha = rho / along;
    Slice z;
    Slice t;
    Slice u;
    HEDDLE_UNROLL
    for (int s = 0; s < rows_of_lane; ++s) {
      r.v[s] -= alpha * n.v[s]; // s of the method
      z.v[s] = d.v[s] * r.v[s];
    }
    multiply(z, t);
    HEDDLE_UNROLL
    for (int s = 0; s < rows_of_lane; ++s)
      u.v[s] = d.v[s] * t.v[s];
    const double curvature = dot(u, u);
    const double zu = dot(z, u);
    omega = curvature != 0.0 ? zu / curvature : 0.0;
    if (!isfinite(alpha) || !isfinite(omega)) break;
    HEDDLE_UNROLL
    for (int s = 0; s < rows_of_lane; ++s) {
      x.v[s] += alpha * y.v[s] + omega * z.v[s];
      r.v[s] -= omega * t.v[s];
    }
    ++iterations;
    ended = Ended::converged;
    rr = dot(r, r);
    e = norm(rr, rule);
  }
  if (!isfinite(e)) ended = Ended::breakdown;
  HEDDLE_UNROLL
  for (int s = 0; s < rows_of_lane; ++s)
    if (lane + 32 * s < lane_rows) g.solution[cell * lane_rows + lane + 32 * s] = x.v[s];
  if (lane == 0) {
    g.iterations[cell] = iterations;
    g.ended[cell] = ended;
  }
}

} // namespace

int block_cells(const DeviceSystems& systems, int cells_per_block, const StopRule& rule, void* stream) {
  if (cells_per_block < 1 || cells_per_block * systems.rows > study_block) return cudaErrorInvalidValue;
  const std::int64_t groups = systems.cells / cells_per_block;
  const auto rest = static_cast<int>(systems.cells % cells_per_block);
  if (groups > 0)
    if (const int error = launch_block_cells(systems, 0, 0, groups, cells_per_block, rule, stream);
        error != cudaSuccess)
      return error;
  if (rest == 0) return cudaSuccess;
  return launch_block_cells(systems, groups, systems.cells - rest, 1, rest, rule, stream);
}

GroupResult multi_cells(const DeviceSystems& systems, std::int64_t first, std::int64_t cells,
                        const StopRule& rule, void* stream) {
  const Part part{systems, first, cells * systems.rows};
  std::vector<double> sums(static_cast<std::size_t>(part.blocks()));
  bool failed = false;
  const auto run = [&](auto kernel, auto... arguments) {
    failed |= launch(part.blocks(), study_block, stream, kernel, part, arguments...) != cudaSuccess;
  };
  const auto dot = [&](int a, int b) {
    run(dot_kernel, a, b);
    failed |= cudaMemcpyAsync(sums.data(), systems.partial, sums.size() * sizeof(double),
                              cudaMemcpyDeviceToHost, static_cast<cudaStream_t>(stream)) != cudaSuccess;
    failed |= cudaStreamSynchronize(static_cast<cudaStream_t>(stream)) != cudaSuccess;
    double sum = 0;
    for (const double one : sums)
      sum += one;
    return failed ? std::nan("") : sum; // ends the loop
  };
  const auto host_norm = [&](double squared) {
    return rule.single ? static_cast<double>(std::sqrt(static_cast<float>(squared))) : std::sqrt(squared);
  };
  const auto divisible = [](double divisor) { return std::isfinite(divisor) && divisor != 0; };
  run(begin_kernel);
  double rho = 1, alpha = 1, omega = 1;
  GroupResult result;
  double e = host_norm(dot(r_, r_));
  const double enough = std::fmax(rule.absolute, rule.relative * e);
  while (e > enough) {
    if (result.iterations == rule.most) return {result.iterations, Ended::too_many};
    const GroupResult broken{result.iterations, Ended::breakdown};
    const double rho_before = rho;
    rho = dot(r_, r0_);
    if (!divisible(rho) || !divisible(omega)) return broken;
    run(direction_kernel, rho / rho_before * (alpha / omega), omega);
    run(multiply_kernel, y_, n_);
    const double along = dot(r0_, n_);
    if (!divisible(along)) return broken;
    alpha = rho / along;
    run(half_step_kernel, alpha);
    run(multiply_kernel, z_, t_);
    run(precondition_kernel);
    const double curvature = dot(u_, u_);
    const double zu = dot(z_, u_);
    omega = curvature != 0 ? zu / curvature : 0;
    if (!std::isfinite(alpha) || !std::isfinite(omega)) return broken;
    run(update_kernel, alpha, omega);
    ++result.iterations;
    e = host_norm(dot(r_, r_));
  }
  if (!std::isfinite(e)) result.ended = Ended::breakdown;
  return result;
}

Lanes::Lanes(const SparseRows& pattern) {
  columns.assign(static_cast<std::size_t>(words_of_lane * 32), 0);
  row_pieces.push_back(0);
  std::int32_t row = 0;
  std::int32_t piece = 0;
  for (std::int32_t e = 0; e < pattern.entries(); ++e) {
    const std::int32_t lane = e / entries_of_lane;
    const std::int32_t at = e % entries_of_lane;
    if (at == 0) first.push_back(piece);
    const bool row_ends = e + 1 == pattern.start[static_cast<std::size_t>(row + 1)];
    const bool ends = row_ends || at + 1 == entries_of_lane;
    const auto code =
        static_cast<std::uint32_t>(pattern.column[static_cast<std::size_t>(e)]) | (ends ? 128u : 0u);
    columns[static_cast<std::size_t>(at / 4 * 32 + lane)] |= code << (8 * (at % 4));
    if (ends) ++piece;
    if (row_ends) {
      row_pieces.push_back(piece);
      ++row;
    }
  }
  first.resize(32, piece);
}

std::vector<double> Lanes::reorder(const LinearSystems& systems) {
  const std::int64_t entries = systems.pattern.entries();
  std::vector<double> values(static_cast<std::size_t>(systems.cells * entries_of_lane * 32));
  for (std::int64_t cell = 0; cell < systems.cells; ++cell)
    for (std::int64_t e = 0; e < entries; ++e)
      values[static_cast<std::size_t>((cell * entries_of_lane + e % entries_of_lane) * 32 +
                                      e / entries_of_lane)] =
          systems.matrix[static_cast<std::size_t>(cell * entries + e)];
  return values;
}

int warp_per_cell(const DeviceSystems& systems, const DeviceLanes& lanes, const StopRule& rule,
                  void* stream) {
  if (systems.rows != lane_rows || systems.entries != lane_entries) return cudaErrorInvalidValue;
  return launch((systems.cells + warps - 1) / warps, warps * 32, stream, warp_per_cell_kernel, systems, lanes,
                rule);
}
