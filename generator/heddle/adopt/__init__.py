# SPDX-License-Identifier: Apache-2.0
"""Loops that somebody wrote by hand become models that a person can read, and from there any target.

Lifted functions (`heddle.lift`) → `model_text` (a model.py) → a Module, compared with what was lifted
(`rounding`) → the files of a target. `report` says for a tree of sources what can be lifted.
"""
