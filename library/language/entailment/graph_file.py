"""Where the graph of the entailment model lies; it is built when it is missing."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from library.errors import EmbeddingUnavailable, EntailmentUnavailable
from library.language import store, weights
from library.language.entailment import trained

# Counts up when `network` builds another graph, so that the old file is no longer taken.
GRAPH_VERSION = 1


def graph_path() -> Path:
    """Return the path of the ONNX graph, which is built first where it is missing. Raises EntailmentUnavailable."""
    path = expected_path()
    if not store.is_built(path):
        try:
            store.build_once(path, weights.model_folder() / "model.safetensors", trained.FOLDER)
        except OSError as error:
            raise EntailmentUnavailable(
                f"The entailment model cannot be built below the data folder: {error}"
            ) from error
        except EmbeddingUnavailable as error:  # as that of the sentence model, on whose weights it stands
            raise EntailmentUnavailable(str(error)) from error
    return path


def expected_path() -> Path:
    """Return where the graph of these weights and this code belongs; another version has another name."""
    return Path(settings.DATA_DIR) / "models" / f"entailment-{trained.read_card().version}-{GRAPH_VERSION}.onnx"
