// SPDX-License-Identifier: Apache-2.0
#include "on_device.hpp"

void time_on_device(const Draw&, std::int64_t, const std::vector<std::int64_t>&) {}
