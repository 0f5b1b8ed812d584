// SPDX-License-Identifier: Apache-2.0
// Red-black relaxation with a thread a cell; a template parameter is the colour.
template <int Colour>
__global__ void sor(float* __restrict__ p, const float* __restrict__ rhs, const unsigned char* __restrict__ solid, int nx,
                    int ny, float omega) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i <= 0 || j <= 0 || i >= nx - 1 || j >= ny - 1) return;
  if ((i + j) % 2 != Colour) return;
  int c = i + j * nx;
  if (solid[c]) return;
  float gs = 0.25f * (p[c - 1] + p[c + 1] + p[c - nx] + p[c + nx] - rhs[c]);
  p[c] = p[c] + omega * (gs - p[c]);
}
template __global__ void sor<0>(float*, const float*, const unsigned char*, int, int, float);
