"""A process that has all of mindX loaded and forks a worker for each line, which is the number of a modular run.

It says the worker's process id, and when it has ended how: 0 by itself, another number by a signal or an error.
"""

from __future__ import annotations

import os
import sys
import traceback


def main() -> None:
    """Fork for each line until the input ends."""
    import django

    django.setup()
    from agents.modular import working
    from mindx_web import wiring

    wiring.connect()
    for line in sys.stdin:
        child = os.fork()
        if not child:
            try:
                working.work(int(line))
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        _say(str(child))
        _, status = os.waitpid(child, 0)
        _say(str(status))


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
