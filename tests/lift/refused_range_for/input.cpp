// SPDX-License-Identifier: Apache-2.0
// Refused: a loop over the elements of a vector.
#include <vector>
void clear(std::vector<double>& a) {
  for (double& x : a) x = 0.0;
}
