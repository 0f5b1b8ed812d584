# SPDX-License-Identifier: Apache-2.0
# What ctest reads before it runs the tests. OpenMP threads that wait sleep: ranks of one process have threads
# of their own, far more than there are cores, and those that spin take the cores of those that work.
set(ENV{OMP_WAIT_POLICY} passive)
