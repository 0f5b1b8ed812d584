// SPDX-License-Identifier: Apache-2.0
// A tile that is larger than the block, loaded by all threads in turns.
constexpr int B = 16, R = 2, W = B + 2 * R;
__global__ void fourth_order(const float* __restrict__ u, float* __restrict__ v, int nx, int ny) {
  __shared__ float tile[W * W];
  const int first = (blockIdx.y * B) * nx + blockIdx.x * B;
  for (int t = threadIdx.y * B + threadIdx.x; t < W * W; t += B * B) tile[t] = u[first + (t / W) * nx + t % W];
  __syncthreads();
  const int i = blockIdx.x * B + threadIdx.x + R;
  const int j = blockIdx.y * B + threadIdx.y + R;
  const int c = (threadIdx.y + R) * W + threadIdx.x + R;
  if (i < nx - R && j < ny - R) {
    float sum = 0.0f;
    for (int r = 1; r <= R; ++r) sum += tile[c - r] + tile[c + r] + tile[c - r * W] + tile[c + r * W];
    v[j * nx + i] = sum - 8.0f * tile[c];
  }
}
