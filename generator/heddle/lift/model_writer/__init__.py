# SPDX-License-Identifier: Apache-2.0
"""A recovered kernel as the text of a model that a person can read (`model_text`), and where its rounding
differs from the source (`rounding`)."""
