// SPDX-License-Identifier: Apache-2.0
// Vectors of the standard library, and a loop over their size.
#include <vector>
void scale(const std::vector<double>& a, std::vector<double>& b, double s) {
  for (std::size_t i = 0; i < a.size(); ++i) b[i] = s * a[i];
}
