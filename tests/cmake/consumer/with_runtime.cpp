// SPDX-License-Identifier: Apache-2.0
// Links the runtime library: that its headers, its flags and what it links came along.
#include <heddle/grid/box.hpp>

#include <cstdio>

int main() {
  const heddle::Box box{{0, 0, 0}, {2, 3, 4}};
  std::printf("runtime %lld\n", static_cast<long long>(box.volume()));
  return 0;
}
