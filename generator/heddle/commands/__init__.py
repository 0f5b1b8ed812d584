# SPDX-License-Identifier: Apache-2.0
"""What the commands `heddle check` and `heddle lift` do. Only the command line imports this package."""
