// SPDX-License-Identifier: Apache-2.0
// Refused: the index of the last cell does not fit into int.
void clear(float a[2048][2048][2048]) {
  for (int k = 0; k < 2048; ++k)
    for (int j = 0; j < 2048; ++j)
      for (int i = 0; i < 2048; ++i) (&a[0][0][0])[i + 2048 * (j + 2048 * k)] = 0.0f;
}
