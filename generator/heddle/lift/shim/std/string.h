// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SHIM_STRING_H
#define HEDDLE_SHIM_STRING_H
#pragma GCC system_header

#include <stddef.h>

extern "C" {
void* memcpy(void* to, const void* from, size_t bytes);
void* memmove(void* to, const void* from, size_t bytes);
void* memset(void* to, int byte, size_t bytes);
}

#endif
