"""A game under way that something happens to, and what must come of it on every desk."""

import time
from contextlib import contextmanager

from tests.live.command import Bot
from tests.live.conftest import open_game

STUCK, STOPPED = 6, 5

SENTENCES = 4
"""Most lines of output: the error, the summary, where its report is and where its recording."""

REACTION_S = 0.3  # time after which no click may follow a trouble


@contextmanager
def game(desk, size, *options, at=(300, 200)):
    """Let the bot play slowly, on a board that can be solved without a guess."""
    running = open_game(desk, "sgt-mines", size, at=at)
    words = ("play", "--screen", "real", "--pace", "0.05", "--quiet", *options)
    with Bot(running, *words) as bot:
        bot.wait_clicks(8)
        yield bot


def check_won(bot):
    code, output = bot.wait(120)
    assert code == 0, output
    assert "1 won" in output


def check_stopped(bot, trouble, code=STUCK, reaction_s=REACTION_S):
    """Make trouble: the bot must stop and say why in a few lines. Return them."""
    trouble(bot)
    moment = time.monotonic()
    ended_with, output = bot.wait(150)  # on a busy machine words are read for a minute
    assert ended_with == code, output
    assert bot.clicks_after(moment + reaction_s) == 0
    assert len(output.strip().splitlines()) <= SENTENCES
    assert "Traceback" not in output
    return output
