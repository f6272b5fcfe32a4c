"""``minebot completion``: print a script that completes commands and options in a shell."""

from __future__ import annotations

import argparse

ABOUT = """\
Print a script that lets a shell complete the commands, options and files of minebot.

  bash        minebot completion bash > ~/.local/share/bash-completion/completions/minebot
  zsh         minebot completion zsh > DIR/_minebot, for a folder DIR of $fpath
  fish        minebot completion fish > ~/.config/fish/completions/minebot.fish
  tcsh        minebot completion tcsh > ~/.minebot.tcsh, and 'source ~/.minebot.tcsh' in ~/.tcshrc
  powershell  minebot completion powershell >> $PROFILE

Open a new shell afterwards."""


SHELLS = ("bash", "zsh", "fish", "tcsh", "powershell")


EXAMPLES = ""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options and arguments."""
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))
