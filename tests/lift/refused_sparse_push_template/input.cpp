// SPDX-License-Identifier: Apache-2.0
// Streaming of a sparse list: populations are pushed to the neighbour that a table names.
template <typename T, int Q>
void push(const T* __restrict__ src, T* __restrict__ dst, const int* __restrict__ nbr, int n) {
  for (int i = 0; i < n; ++i)
    for (int q = 0; q < Q; ++q) dst[nbr[q * n + i]] = src[q * n + i];
}
template void push<float, 3>(const float*, float*, const int*, int);
