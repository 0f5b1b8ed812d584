# SPDX-License-Identifier: Apache-2.0
"""Results on disk: written line by line, read with care; schedules as JSON and as text; the order of
searches; sizes. Without a compiler."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path
from typing import Any

import heddle
import pytest
from heddle import CacheLines, Interleaved, KernelError, Rows, Schedule, Strips, Threads
from heddle.__main__ import main
from heddle.explorer import sizes
from heddle.explorer.exploration import Exploration, load_results, merge
from heddle.explorer.progress import Progress
from heddle.explorer.results import FILE, append, best, from_line, read, t4, to_line
from heddle.explorer.schedules import tried
from heddle.explorer.search import SEARCHES, Point, search
from heddle.explorer.variants import lattice_boltzmann
from heddle.ir.schedule_text import as_text, from_json, to_json
from searched import SOURCE, result, stencil


def test_a_result_survives_its_line() -> None:
    one = result(
        schedule=Schedule(fma=True, cpu=CacheLines(4, nontemporal=True)), error=None, calls={"exp": 2}
    )
    assert from_line("here", to_line(one)) == one


def test_lines_of_the_first_format_mean_whole_rows() -> None:
    line = json.loads(to_line(result(schedule=Schedule(fma=True)))) | {"format": 1}
    assert from_line("here", json.dumps(line)).schedule == Schedule(Rows(), Threads(), fma=True)


def test_a_torn_line_counts_as_none(tmp_path: Path) -> None:
    append(tmp_path, result(key="a"), "text")
    append(tmp_path, result(key="b"))
    path = tmp_path / FILE
    path.write_text(path.read_text()[:-40])
    assert [r.key for r in read(tmp_path)] == ["a"]
    append(tmp_path, result(key="c"))
    append(tmp_path, result(key="a", precision="f32"))
    assert [(r.key, r.precision) for r in read(tmp_path)] == [("a", "f32"), ("c", "f64")]
    assert (tmp_path / "sources" / SOURCE).read_text() == "text"
    assert load_results([tmp_path]).texts == {SOURCE: "text"}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"state": "fast"}, "'fast' is no state"),
        ({"target": "moon"}, "'moon' is no target"),
        ({"seconds": [1, -1]}, "sizes and times are positive"),
        ({"extent": []}, "sizes and times are positive"),
        ({"extent": [1.5]}, "'extent' is [1.5]"),
        ({"machine": 3}, "'machine' is 3"),
        ({"calls": {"exp": "many"}}, "'calls' is {'exp': 'many'}"),
        ({"lines": -1}, "'lines' is -1"),
        ({"own": 1}, "'own' is 1"),
        ({"more": 1}, "'more' is unknown"),
        ({"module": "../../escaped"}, "'module' is '../../escaped'"),
        ({"step": "step/../../up"}, "'step' is 'step/../../up'"),
        ({"step": "step\n"}, r"'step' is 'step\n'"),
        ({"module": ""}, "'module' is ''"),
        ({"source": "../../../evil.txt"}, "'source' is '../../../evil.txt'"),
        ({"source": "0123456789abcdef.txt\n"}, r"'source' is '0123456789abcdef.txt\n'"),
        ({"format": 99}, "it is no result of format 2"),
    ],
)
def test_lines_that_are_no_results(change: dict[str, Any], says: str) -> None:
    line = json.dumps(json.loads(to_line(result())) | change)
    with pytest.raises(KernelError) as caught:
        from_line("results.jsonl:7", line)
    assert f"results.jsonl:7: this line is no result: {says}" in str(caught.value)


@pytest.mark.parametrize(
    "hostile",
    [
        "__import__('os')",
        {"cpu": {"kind": "os"}},
        {"cpu": {"kind": "Rows", "system": "ls"}},
        {"cpu": "Rows()"},
        {"fma": 3},
        {"cpu": {"kind": "Strips", "size": -1}},
        ["fma"],
    ],
)
def test_schedules_are_not_trusted(hostile: Any) -> None:
    with pytest.raises(KernelError, match="schedule"):
        from_json("schedules.json", hostile)


def test_schedules_as_json_and_as_text() -> None:
    own = Schedule(specialise=("open", 63), math="reproducible")
    several = [*tried(own, False, 64), *tried(own, True, 64), Schedule(gpu=Interleaved(4, block=(64, 1, 1)))]
    assert several[0] is own
    assert len(set(tried(own, False, 64))) == len(list(tried(own, False, 64)))
    for schedule in several:
        assert from_json("here", json.loads(json.dumps(to_json(schedule)))) == schedule
        assert eval(as_text(schedule), vars(heddle)) == schedule
    assert as_text(Schedule(cpu=Strips(16, prefetch=64))) == "Schedule(cpu=Strips(16, prefetch=64))"


def test_the_fastest_counts() -> None:
    slow, fast = result(seconds=(3e-6,)), result(seconds=(1e-6,), rounds_alike=False)
    wrong = result(state="correctness", seconds=())
    assert best([slow, fast, wrong]) == [fast]
    assert best([slow, fast, wrong], only_alike=True) == [slow]
    found = Exploration((slow, fast, wrong)).schedules()["machines"]["here"]["cpu"]["heat"][""]["step"]["f64"]
    assert found[0]["nanoseconds_per_cell"] == pytest.approx(30)
    assert fast.fraction == 1
    assert result().nanoseconds_per_cell == pytest.approx(20)  # the median, of 100 cells
    assert result().fraction == pytest.approx(0.5)
    assert math.isinf(wrong.time)
    assert t4([wrong])["results"][0]["correctness"] == 0


def points() -> tuple[list[Point], list[float]]:
    """A space in which options have effects of their own, and the true times."""
    found, times = [], []
    for variant, factor in (("pull", 1.0), ("AA", 0.7)):
        for fma in (False, True):
            for part, effect in (
                (Rows(), 1.0),
                (CacheLines(4), 0.6),
                (CacheLines(8), 0.65),
                (Strips(16), 1.4),
            ):
                found.append(
                    Point(
                        (variant, "step", "f64"), Schedule(part, fma=fma), 2.0 if variant == "pull" else 1.5
                    )
                )
                times.append(factor * effect * (0.9 if fma else 1.0))
    return found, times


def tries(name: str, seed: int = 0, samples: int = 8) -> list[tuple[int, int]]:
    """What a search asks for, with the true times as answers."""
    candidates, times = points()
    order, asked = search(name, candidates, samples, seed), []
    while batch := order.batch(3):
        for number, count in batch:
            asked.append((number, count))
            order.tell(number, times[number])
    return asked


def test_searches_try_all_once() -> None:
    everything = list(range(16))
    assert tries("exhaustive") == [(number, 8) for number in everything]
    for name in ("random", "model"):
        assert sorted(tries(name)) == [(number, 8) for number in everything]
    assert tries("random", 1) == tries("random", 1) != tries("random", 2)


@pytest.mark.parametrize("name", SEARCHES)
def test_one_is_given_before_all_others(name: str) -> None:
    candidates, times = points()
    order = search(name, candidates, 3, 0, first=5)
    asked = []
    while batch := order.batch(1):
        ((number, _),) = batch
        asked.append(number)
        order.tell(number, times[number])
    assert asked[0] == 5
    assert sorted(asked) == list(range(16))


def test_halving_spends_samples_on_the_better_half() -> None:
    asked = tries("halving")
    assert [count for _, count in asked] == [3] * 16 + [6] * 8 + [8] * 4
    _, times = points()
    for group in (range(8), range(8, 16)):
        fastest = min(group, key=lambda number: times[number])
        assert (fastest, 8) in asked


def test_the_model_finds_the_fastest_soon() -> None:
    candidates, times = points()
    fastest = times.index(min(times))
    assert [number for number, _ in tries("model")].index(
        fastest
    ) < 5  # by the cost line alone it would be the sixth
    wrong = search("model", candidates, 8, 0)
    wrong.tell(0, math.inf)
    assert wrong.batch(1)[0][0] != 0


def test_sizes() -> None:
    assert sizes.extent("64x32", 16, 2, False) == (64, 32)
    small, large = (math.prod(sizes.extent(size, 16, 3, False)) * 16 for size in ("cache", "memory"))
    assert small < large <= 1.1 * 2**30
    assert sizes.extent("memory", 16, 3, False)[0] % 16 == 0


@pytest.mark.parametrize(
    ("words", "text", "says"),
    [
        ([], "", "give a model, or --merge with folders."),
        (["model.py", "--merge", "here"], "", "give a model, or --merge with folders."),
        (["model.py", "--set", "alpha"], "values = {}", "--set alpha gives no number."),
        (["model.py"], "accuracy = 3", "`accuracy` no function"),
        (["model.py"], "values = 3", "`values` is no dictionary"),
        (["model.py"], "variants = {'a': 3}", "the variant 'a' is no Module."),
    ],
)
def test_what_the_command_refuses(
    words: list[str],
    text: str,
    says: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("model.py").write_text(f"{text}\nfrom searched import stencil\nheat = stencil()\n")
    assert main(["explore", *words]) == 1
    assert says in capsys.readouterr().err


def test_progress() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal, plain = Terminal(), io.StringIO()
    for file in (terminal, plain):
        progress = Progress(file=file)
        progress.total = 2
        progress.say("compiling 2")
        progress.add(result())
        progress.add(result(state="compile", why="no", seconds=()))
        progress.end(Exploration(()))
    assert "[####################] 2/2" not in plain.getvalue()
    assert "[##########----------] 1/2, best 20 ns/cell" in terminal.getvalue()
    assert plain.getvalue().startswith(
        "1/2 step f64 Schedule(cpu=Rows()): 20 ns/cell, 50% of the stream\n2/2 step f64"
    )
    assert "compile: no\n" in plain.getvalue()


MODULE = stencil()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"model": None}, "give a model, or variants."),
        ({"variants": {"a": MODULE}}, "give a model, or variants."),
        ({"model": None, "variants": {}}, "there are no variants."),
        ({"model": None, "variants": {"a": 3}}, "the variant 'a' is no Module."),
        ({"target": "reference"}, "'reference' cannot be timed."),
        ({"samples": 0}, "samples=0 is not positive."),
        ({"budget": -1}, "budget=-1 is not positive."),
        ({"sizes": ["12"]}, "'12' is no size of 2 dimensions."),
        ({"sizes": ["big"]}, "'big' is no size of 2 dimensions."),
        ({"sizes": [(0, 4)]}, "'0x4' is no size of 2 dimensions."),
        ({"kernels": ["stop"]}, "'stop' is no kernel that runs from Python."),
        ({"values": {"alhpa": 1}}, "no kernel takes 'alhpa'."),
        ({"search": "lucky", "sizes": ["8x8"]}, "'lucky' is no search."),
        ({"precisions": ["f31"]}, "'f31' is not a precision."),
        ({"schedules": [Schedule(colours=8)]}, "no candidate is legal: 'step' has colours=8"),
    ],
)
def test_what_is_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(KernelError) as caught:
        heddle.explore(**{"model": MODULE, "quiet": True} | options)
    assert says in str(caught.value)
    assert "Hint" in str(caught.value)


def test_folders_without_results(tmp_path: Path) -> None:
    with pytest.raises(KernelError, match=r"there is no results\.jsonl"):
        merge([tmp_path], tmp_path / "out")
    with pytest.raises(KernelError, match="no candidate was timed"):
        Exploration(()).best()
    (tmp_path / FILE).write_text("{}\n{}\n")
    with pytest.raises(KernelError, match=r"results\.jsonl:1: this line is no result"):
        merge([tmp_path], tmp_path / "out")


def test_no_file_lies_outside_the_folder(tmp_path: Path) -> None:
    """What another machine sent is not trusted; the error names file and line."""
    line = json.loads(to_line(result())) | {"module": "../../escaped", "source": "../../../evil.txt"}
    (tmp_path / "sent/sources").mkdir(parents=True)
    (tmp_path / "sent/sources/evil.txt").write_text("evil")
    (tmp_path / "sent" / FILE).write_text(f"{to_line(result())}\n{json.dumps(line)}\n")
    with pytest.raises(KernelError, match=r"results\.jsonl:2: this line is no result: 'module' is '\.\./"):
        merge([tmp_path / "sent"], tmp_path / "a/b/out")
    assert [path.name for path in tmp_path.iterdir()] == ["sent"]


def test_variants_of_lattice_boltzmann() -> None:
    found = lattice_boltzmann("D2Q9", ("BGK", "TRT"), ("pull", "AA", "eso-pull"), ("f64",))
    assert list(found)[:3] == ["BGK, pull", "TRT, pull", "BGK, AA"]
    assert list(found["TRT, eso-pull"].kernels) == ["step_even", "step_odd"]
    assert found["BGK, pull"].precisions == ("f64",)
    with pytest.raises(
        KernelError, match=r"'BKG' is no operator that has a name here.\n  Hint: one of: BGK, TRT"
    ):
        lattice_boltzmann("D2Q9", ("BKG",))
