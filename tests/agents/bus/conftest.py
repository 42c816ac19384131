"""What the tests of the bus share: a scripted provider, and the registry looked at anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest


class Scripted:
    """Answers as its `does` says; remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.does: Callable[[Any], Any] | None = None

    def answer(self, request: Any) -> Any:
        """Answer with what it was asked, unless told otherwise."""
        from agents.bus.providers import Answer

        self.asked.append(request)
        return self.does(request) if self.does is not None else Answer({"echo": dict(request.content)})


@pytest.fixture(autouse=True)
def _looked_at_anew() -> Iterator[None]:
    from agents.bus import in_step

    in_step.forget()
    yield
    in_step.forget()


@pytest.fixture
def connect() -> Iterator[Callable[..., Scripted]]:
    """`connect("name", "capability")`: a provider that answers in the worker, registered."""
    from agents.bus import in_step, providers
    from agents.bus.members import Offer
    from agents.bus.providers import Connected

    names: list[str] = []

    def made(name: str = "echo", capability: str = "say", *, script: Scripted | None = None, **offer: Any) -> Scripted:
        script = script or Scripted()
        names.append(name)
        providers.connect(Connected(name, f"{name} repeats what it is told", (Offer(capability, **offer),), script))
        in_step.refresh()
        return script

    yield made
    for name in names:
        providers.disconnect(name)
