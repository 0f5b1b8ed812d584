// SPDX-License-Identifier: Apache-2.0
// A sum by shuffles: within each warp, then over the warps of a block.
__global__ void residual(const float* __restrict__ p, const float* __restrict__ q, float* norm, int n) {
  __shared__ float warps[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  float square = 0.0f;
  if (i < n) {
    const float d = p[i] - q[i];
    square = d * d;
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) square += __shfl_down_sync(0xffffffffu, square, lanes);
  if (lane == 0) warps[warp] = square;
  __syncthreads();
  if (warp == 0) {
    float value = lane < blockDim.x / 32 ? warps[lane] : 0.0f;
    for (int lanes = 16; lanes > 0; lanes /= 2) value += __shfl_xor_sync(0xffffffffu, value, lanes);
    if (lane == 0) atomicAdd(norm, value);
  }
}
