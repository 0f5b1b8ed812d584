# SPDX-License-Identifier: Apache-2.0
"""CLOUDSC, the cloud scheme of the Integrated Forecasting System (IFS) of ECMWF."""

from heddle.atmosphere.microphysics.cloudsc.scheme import CLOUDSC

__all__ = ["CLOUDSC"]
