"""The process of one lane: `python -m benchmarks.durable.lane ENGINE`, told what to do by lines of JSON.

The place comes in the first line and not in the arguments, because it holds passwords.
"""

from __future__ import annotations

import json
import os
import sys

from benchmarks.durable.protocol import Place, lane_of


def main(key: str) -> None:
    """Answer every line with one of our own; the end of the input ends the lane."""
    # Engines print what they like. Only answers may go where the runner reads them.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    engine = lane_of(key, Place(**json.loads(sys.stdin.readline())))
    try:
        answers.write("ready\n")
        for line in sys.stdin:
            order = json.loads(line)
            if order["do"] == "prepare":
                engine.prepare(order["plans"])
            else:
                engine.run()
            answers.write("done\n")
    finally:
        engine.close()


if __name__ == "__main__":
    main(sys.argv[1])
