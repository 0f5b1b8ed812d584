// SPDX-License-Identifier: Apache-2.0
// Compiled only for the precompiled headers that libraries share (runtime/CMakeLists.txt).
