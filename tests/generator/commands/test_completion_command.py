# SPDX-License-Identifier: Apache-2.0
"""`heddle completion`, in a real shell; the help of each command, and its example."""

from __future__ import annotations

import argparse
import shlex
import subprocess
from pathlib import Path

import pytest
from heddle.__main__ import _parser, _split, main
from heddle.commands.completion import _commands

COMMANDS = _commands(_parser())


def completed(shell: str, script: str, folder: Path, *words: str) -> set[str]:
    """What the shell offers for the last word."""
    quoted = " ".join(shlex.quote(word) for word in words)
    arrays = "emulate sh\n" if shell == "zsh" else ""  # as bashcompinit calls functions
    text = (
        f"{'autoload -Uz compinit && compinit -D' if shell == 'zsh' else ''}\n{script}\n{arrays}"
        f'COMP_WORDS=({quoted})\nCOMP_CWORD={len(words) - 1}\n_heddle\nprintf "%s\\n" "${{COMPREPLY[@]}}"\n'
    )
    command = [shell, *(["-f"] if shell == "zsh" else ["--norc"]), "-c", text]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return set(done.stdout.split())


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_shell_completes(shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "complete -o default -F" in script, "names of files, where nothing else is offered"

    def offered(*words: str) -> set[str]:
        return completed(shell, script, tmp_path, "heddle", *words)

    assert offered("") >= set(COMMANDS) | {"--version"}
    assert offered("s") == {"show"}
    assert offered("show", "--sta") == {"--stage"}
    assert offered("show", "model.py", "--stage", "s") == {"symbolic", "scheduled", "source"}
    assert offered("show", "mod") == set()
    assert offered("--debug", "completion", "") == {"bash", "zsh", "-h", "--help", "--debug"}
    assert offered("new", "heat", "--kind", "") == {"cmake", "python"}
    assert offered("build", "--stage", "x") == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_has_an_example_that_it_takes(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "110")
    with pytest.raises(SystemExit):
        main([name, "--help"])
    shown = capsys.readouterr().out
    assert "\x1b" not in shown, "a pipe gets no colours"
    example = COMMANDS[name].epilog
    assert example is not None
    assert example in shown
    assert example.startswith("Example: ")
    words = shlex.split(example.removeprefix("Example: ").removeprefix('eval "$(').removesuffix(')"'))
    assert words[:2] == ["heddle", name]
    options = _parser().parse_args(_split(words[1:])[0])
    assert isinstance(options, argparse.Namespace)
    assert options.command == name
