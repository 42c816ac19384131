"""Where the package index of this installation is, as pages say it."""

from __future__ import annotations

from sandbox.gate import index_address
from sandbox.gate.index_address import IndexRefused


def address() -> str:
    """The address of the index that `packages` stands for, without credentials; or why there is none that can be used.

    It is the operator's setting and read anew each time: what a reviewer sees is what a session that opens now uses.
    """
    try:
        return index_address.find().url
    except IndexRefused as refused:
        return f"unusable: {refused}"
