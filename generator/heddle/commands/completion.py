# SPDX-License-Identifier: Apache-2.0
"""`heddle completion`: a script that makes a shell complete commands, options and their values."""

from __future__ import annotations

import argparse

_SCRIPT = """\
# {shell} completes `heddle`: eval "$(heddle completion {shell})"
{start}_heddle() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" command="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "${{COMP_WORDS[i]}}" in
      {names}) command="${{COMP_WORDS[i]}}"; break ;;
    esac
  done
  local offered=()
  case "$command $before" in
{values}
    *)
      case "$command" in
{options}
      esac
      ;;
  esac
  COMPREPLY=()
  for i in "${{offered[@]}}"; do
    case "$i" in
      "$word"*) COMPREPLY+=("$i") ;;
    esac
  done
}}
complete -o default -F _heddle heddle
"""
_START = {"bash": "", "zsh": "autoload -U +X bashcompinit && bashcompinit\n"}


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """The script for a shell (bash or zsh), made of the parser's commands, options and choices."""
    commands = _commands(parser)
    values: list[str] = []
    options: list[str] = []
    for name, command in commands.items():
        free: list[str] = []
        for action in command._actions:
            words = " ".join(map(str, action.choices or ()))
            if not action.option_strings:
                free += words.split()
            elif words:
                named = "|".join(f'"{name} {option}"' for option in action.option_strings)
                values.append(f"    {named}) offered=({words}) ;;")
        offered = " ".join([*free, *_options(command)])
        options.append(f"        {name}) offered=({offered}) ;;")
    first = " ".join([*commands, *_options(parser)])
    options.append(f"        *) offered=({first}) ;;")
    return _SCRIPT.format(
        shell=shell,
        start=_START[shell],
        names="|".join(commands),
        values="\n".join(values),
        options="\n".join(options),
    )


def _options(parser: argparse.ArgumentParser) -> list[str]:
    return [option for action in parser._actions for option in action.option_strings]


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The commands of a parser, by name."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}
