# SPDX-License-Identifier: Apache-2.0
"""The pinned requirements are those of pyproject.toml, each with hashes; none says where pip gets them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "generator/pyproject.toml").read_text())["project"]
OWN = PROJECT["dependencies"]
GROUPS = {
    "generator": OWN,
    "test": OWN + PROJECT["optional-dependencies"]["test"],
    "jax": PROJECT["optional-dependencies"]["jax"],
    "cuda": PROJECT["optional-dependencies"]["cuda"],
    "oldest": [requirement.replace(">=", "==") for requirement in OWN],
}
PIN = re.compile(r"^([a-z0-9-]+)==(\S+) \\((?:\n    --hash=sha256:[0-9a-f]{64}(?: \\)?)+)$", re.MULTILINE)


def text(group: str) -> str:
    return (ROOT / f".ci/requirements/{group}.txt").read_text()


def versions(group: str) -> dict[str, str]:
    return {name: version for name, version, _ in PIN.findall(text(group))}


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_is_pinned(group: str) -> None:
    pinned = versions(group)
    for line in GROUPS[group]:
        asked = Requirement(line)
        assert asked.specifier.contains(Version(pinned[asked.name])), f"run .ci/pin_requirements.sh: {line}"


@pytest.mark.parametrize("group", GROUPS)
def test_a_file_of_pins_has_nothing_but_pins_with_hashes(group: str) -> None:
    rest = [line for line in PIN.sub("", text(group)).splitlines() if line]
    assert [line for line in rest if not line.startswith("# ")] == []
    assert "://" not in text(group)


def test_one_environment_can_have_both() -> None:
    assert versions("generator").items() <= versions("test").items()
    test, jax = versions("test"), versions("jax")
    assert all(jax[name] == test[name] for name in jax.keys() & test.keys())


def test_every_group_has_its_file() -> None:
    assert {file.stem for file in (ROOT / ".ci/requirements").iterdir()} == set(GROUPS)
