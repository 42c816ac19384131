"""Networks as they run here: on few processors, without keeping what one long batch needed."""

from __future__ import annotations

import os
from pathlib import Path

import onnxruntime


def open_session(path: Path) -> onnxruntime.InferenceSession:
    """Load the graph of a file; onnxruntime raises classes of its own for one that it cannot read."""
    options = onnxruntime.SessionOptions()
    options.enable_cpu_mem_arena = False  # it would keep what one long batch needed for the life of the process
    options.intra_op_num_threads = min(4, len(os.sched_getaffinity(0)))
    # A thread that waits busily for its part of one sentence takes as much processor time as the sentence.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
