// SPDX-License-Identifier: Apache-2.0
// The toolkit's header, as far as its declarations are needed to read a file.
#pragma once
#pragma GCC system_header
#include "cuda.hpp"
