"""Where the built graph lies, and how it gets there once though several processes may start at the same moment."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from django.conf import settings

from library.errors import EmbeddingUnavailable
from library.language import weights

# Counts up when `graph` builds another graph, so that the old file is no longer taken.
GRAPH_VERSION = 1


def graph_path() -> Path:
    """Return the path of the ONNX graph, which is built first when it is not there yet."""
    path = expected_path()
    if not path.exists():
        try:
            build_once(path, _sentence_model)
        except OSError as error:
            raise EmbeddingUnavailable(f"The sentence model cannot be built below the data folder: {error}") from error
    return path


def expected_path() -> Path:
    """Return where the graph of these weights and this code belongs; another version has another name."""
    return Path(settings.DATA_DIR) / "models" / f"all-MiniLM-L6-v2-{weights.SHA256[:12]}-{GRAPH_VERSION}.onnx"


def _sentence_model() -> bytes:
    # Needed once in the life of a data folder, so the import (half a second) does not burden every start.
    try:
        from library.language import graph
    except ImportError as error:
        raise EmbeddingUnavailable(f"Building the sentence model needs the package onnx: {error}") from error
    return graph.build(weights.read_weights(weights.model_folder() / "model.safetensors"))


def build_once(path: Path, build: Callable[[], bytes]) -> None:
    """Build under a lock, so that processes starting together do the work once; it appears whole or not at all.

    Raises OSError, and what `build` raises.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (path.parent / "build.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            _write_whole(path, build())


def _write_whole(path: Path, content: bytes) -> None:
    """Write so that a crash at any moment leaves either no file or the whole file under its name."""
    descriptor, unfinished = tempfile.mkstemp(dir=path.parent, prefix=".building-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(unfinished).replace(path)
    except BaseException:
        Path(unfinished).unlink(missing_ok=True)
        raise
