// SPDX-License-Identifier: Apache-2.0
// What runs a launch, once for all files of kernels.
#include <cuda_runtime.h>

#include "emulation/start.hpp"
