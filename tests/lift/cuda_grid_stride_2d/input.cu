// SPDX-License-Identifier: Apache-2.0
// Loops with the stride of the grid along two axes, loads past the cache for constants, and constants on the device.
__constant__ float weight;
__global__ void blur(const float* __restrict__ a, float* __restrict__ b, int nx, int ny) {
  const int step_x = blockDim.x * gridDim.x;
  for (int j = blockIdx.y * blockDim.y + threadIdx.y + 1; j < ny - 1; j += blockDim.y * gridDim.y)
    for (int i = threadIdx.x + blockIdx.x * blockDim.x + 1; i < nx - 1; i += step_x)
      b[i + j * nx] = weight * (__ldg(&a[i - 1 + j * nx]) + __ldg(a + i + 1 + j * nx));
}
