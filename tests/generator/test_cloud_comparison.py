# SPDX-License-Identifier: Apache-2.0
"""examples/clouds/compare.py: means of runs beside bands."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/clouds"
HEAD = "quantity,height_m,units,value,least,most,source\n"


@pytest.fixture
def compare(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(EXAMPLE))
    return importlib.import_module("compare")


def run(folder: Path, *rows: str) -> Path:
    """A folder with a comparison.csv."""
    folder.mkdir()
    (folder / "comparison.csv").write_text(HEAD + "".join(f"{row}\n" for row in rows))
    return folder


def test_means_and_bands(compare: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = '"theta_l, hours 5 to 6",1020,K,{},300,301,"a paper"'
    cover = '"cover",,%,{},8,17,"another"'
    folders = [run(tmp_path / str(n), table.format(300.6 + 0.1 * n), cover.format(18 + n)) for n in range(3)]
    assert compare.main([str(folder) for folder in folders]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2] == "| theta_l, hours 5 to 6 at 1020 m | 300.7 K | 300.6 to 300.8 | 300 to 301 | inside |"
    assert lines[3] == "| cover | 19 % | 18 to 20 | 8 to 17 | **outside** |"
    assert lines[5] == "a paper: 1 of 1 inside, 1 in the inner half of the band."
    assert lines[6] == "another: 0 of 1 inside, 0 in the inner half of the band."


def test_a_run_without_a_value(
    compare: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cover, base = '"cover",,%,{},8,17,"a"', '"base",,m,{},500,560,"a"'
    folders = [
        run(tmp_path / "one", cover.format(10), base.format("")),
        run(tmp_path / "two", cover.format(""), base.format("")),
    ]
    assert compare.main([str(folder) for folder in folders]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2] == "| cover | 10 % | 10 to 10, 1 of 2 runs without a value | 8 to 17 | **outside** |"
    assert lines[3] == "| base | none | none, 2 of 2 runs without a value | 500 to 560 | **outside** |"
    assert lines[5] == "a: 0 of 2 inside, 0 in the inner half of the band."


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (['"cover",,%,10,8,17,"a"', '"more",,%,10,8,17,"a"'], "longer"),
        (['"cover",,%,10,8,18,"a"'], "'cover' stands where another run has another value"),
        (['"cover",,%,much,8,17,"a"'], "could not convert"),
    ],
)
def test_runs_that_do_not_fit(
    compare: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str], second: list[str], message: str
) -> None:
    folders = [run(tmp_path / "one", '"cover",,%,10,8,17,"a"'), run(tmp_path / "two", *second)]
    assert compare.main([str(folder) for folder in folders]) == 1
    assert message in capsys.readouterr().err


def test_a_folder_without_results(
    compare: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compare.main([str(tmp_path / "none")]) == 1
    assert "comparison.csv" in capsys.readouterr().err
