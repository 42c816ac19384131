"""Where the built graph lies, and how it gets there once though several processes may start at the same moment."""

from __future__ import annotations

import fcntl
import logging
import subprocess
import sys
from pathlib import Path

from django.conf import settings

from library.errors import EmbeddingUnavailable
from library.language import weights
from library.language.building import SAID_WHY, constants_of

logger = logging.getLogger(__name__)

# Counts up when `graph` builds another graph, so that the old file is no longer taken.
GRAPH_VERSION = 1


def graph_path() -> Path:
    """Return the path of the ONNX graph, which is built first when it is not there yet."""
    path = expected_path()
    if not is_built(path):
        try:
            build_once(path, weights.model_folder() / "model.safetensors")
        except OSError as error:
            raise EmbeddingUnavailable(f"The sentence model cannot be built below the data folder: {error}") from error
    return path


def expected_path() -> Path:
    """Return where the graph of these weights and this code belongs; another version has another name."""
    return Path(settings.DATA_DIR) / "models" / f"all-MiniLM-L6-v2-{weights.SHA256[:12]}-{GRAPH_VERSION}.onnx"


def is_built(path: Path) -> bool:
    """Whether this graph is there with its constants; an earlier mindX wrote graphs that hold them."""
    return path.exists() and constants_of(path).exists()


def build_once(path: Path, *sources: Path) -> None:
    """Have `building` make the graph of these sources, under a lock: processes starting together do the work once.

    It appears whole or not at all. Raises OSError, and EmbeddingUnavailable with what `building` said.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (path.parent / "build.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_built(path):
            _build(path, sources)


def _build(path: Path, sources: tuple[Path, ...]) -> None:
    line = [sys.executable, "-m", "library.language.building", *map(str, (path, *sources))]
    done = subprocess.run(
        line, cwd=settings.BASE_DIR, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode == 0:
        return
    said = done.stderr.strip()
    if done.returncode == SAID_WHY:
        raise EmbeddingUnavailable(said)
    logger.error("Building %s ended with exit code %d: %s", path.name, done.returncode, said)
    raise EmbeddingUnavailable(f"The process that builds {path.name} ended with exit code {done.returncode}.")
