"""``minebot completion``: print a script that completes what a shell's user types."""

from __future__ import annotations

from dataclasses import dataclass

from bot.usage.declaring import Options, argument

SHELLS = ("bash", "zsh", "fish", "tcsh", "powershell")


@dataclass(frozen=True, kw_only=True)
class Completion(Options):
    """Print a script that lets a shell complete the commands, options and files of minebot.

      bash        minebot completion bash > ~/.local/share/bash-completion/completions/minebot
      zsh         minebot completion zsh > DIR/_minebot, for a folder DIR of $fpath
      fish        minebot completion fish > ~/.config/fish/completions/minebot.fish
      tcsh        minebot completion tcsh > ~/.minebot.tcsh; ~/.tcshrc: source ~/.minebot.tcsh
      powershell  minebot completion powershell >> $PROFILE

    Open a new shell afterwards.
    """

    shell: str = argument(", ".join(SHELLS), "SHELL", choices=SHELLS)
