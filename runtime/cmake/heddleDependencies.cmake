# SPDX-License-Identifier: Apache-2.0
# What the installed static libraries link.
find_dependency(Threads)
find_dependency(OpenMP COMPONENTS CXX)
