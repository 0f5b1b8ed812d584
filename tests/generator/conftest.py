# SPDX-License-Identifier: Apache-2.0
"""Its folder is on the path of every generator test: running.py, models.py and compiled.py are shared."""

from __future__ import annotations

import os

# Before a compiled kernel starts OpenMP: threads that wait sleep (see tests/environment.cmake).
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
# What tests load is not kept in the cache of the user.
os.environ.setdefault("HEDDLE_CACHE", "off")
