"""`python -m mindx_web.processes.models PULSE`: the model server of a worker's machine, as a program of its own.

Executed and not only forked: of all that a worker imports it needs next to nothing, and a fork comes to hold a copy of
that as it counts references. PULSE is the descriptor of the `Pulse` by which it says that it is alive.
"""

from __future__ import annotations

import logging.config
import os
import sys
import threading
from pathlib import Path

from django.conf import settings

from library.language import embeddings, model_server
from mindx_web.processes.life import Pulse, show_name

NAME = "mindx-models"


def execute(pulse: Pulse) -> None:
    """Become this program, which serves at the address that MODEL_SERVER is set to here."""
    os.set_inheritable(pulse.number, True)
    ours = {"MINDX_DATA": str(settings.DATA_DIR), "MINDX_MODEL_SERVER": settings.MODEL_SERVER}
    environment = {"DJANGO_SETTINGS_MODULE": "mindx_web.settings", **os.environ, **ours}
    os.execve(sys.executable, [sys.executable, "-m", __name__, str(pulse.number)], environment)  # noqa: S606  # no shell


def main(pulse: Pulse) -> None:
    """Serve until SIGTERM."""
    show_name(NAME)
    logging.config.dictConfig(settings.LOGGING)
    pulse.beat_for_ever()
    # Loaded before anybody asks: the first page would wait for it otherwise.
    threading.Thread(target=embeddings.warm_up, name="warm up", daemon=True).start()
    model_server.serve(Path(settings.MODEL_SERVER))


if __name__ == "__main__":
    main(Pulse(int(sys.argv[1])))
