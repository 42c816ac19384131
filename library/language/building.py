"""`python -m library.language.building GRAPH WEIGHTS [TRAINED]`: build a model's graph, write it and end.

Its large constants are written beside it, to the file of `constants_of`.

A program of its own, which `store` starts: the package onnx and the weights take 300 MB, which a web server or a worker
would keep for as long as it lives. It needs no Django.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from library.errors import LibraryError
from library.language import weights
from library.language.entailment import trained

if TYPE_CHECKING:
    from library.language.graph import BuiltGraph

# The exit code when standard error holds one sentence that says why not, in place of a traceback.
SAID_WHY = 3


def main(arguments: list[str]) -> int:
    """Write the graph to the first path, from the weights and, for the entailment model, what training added."""
    path, *sources = map(Path, arguments)
    try:
        built = _built(constants_of(path).name, *sources)
        _write_whole(constants_of(path), built.constants)
        _write_whole(path, built.graph)
    except ImportError as error:
        said = f"Building a model needs the package onnx: {error}"
    except OSError as error:
        said = f"{path.name} cannot be written below the data folder: {error}"
    except LibraryError as error:
        said = str(error)
    else:
        return 0
    sys.stderr.write(f"{said}\n")
    return SAID_WHY


def constants_of(path: Path) -> Path:
    """Where the large constants of the graph at `path` lie."""
    return path.with_suffix(".constants")


def _built(file: str, safetensors: Path, trained_folder: Path | None = None) -> BuiltGraph:
    read = weights.read_weights(safetensors)
    if trained_folder is None:
        from library.language import graph

        return graph.build(read, file)
    from library.language.entailment import network

    return network.build(trained.merged(read, trained.read_arrays(trained_folder)), file)


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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
