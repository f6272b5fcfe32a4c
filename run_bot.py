"""Run the bot from a checkout: the same program as the installed ``minebot``."""

import sys

from bot.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
