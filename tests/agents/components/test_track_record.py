"""The track record of rules in use: read with them, and followed when it moves by a tenth."""

from __future__ import annotations

import pytest

from agents.components import rules
from library.components import services
from library.models import ComponentVersion
from people.models import User
from tests.library.vectors import install

GREET = "RULE greet\nIF your task is to greet {name}\nTHEN: create the folder {name}\n"


@pytest.mark.django_db
def test_the_record_of_a_rule_follows_its_counts_and_is_read_again_only_when_it_moves(
    operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch)
    services.publish("rule", "greet", GREET, by=operator, status="active")

    def record() -> float:
        return next(known.record for known in rules.known_rules() if known.name == "greet")

    version = ComponentVersion.objects.filter(component__name="greet")
    assert record() == 0.5
    version.update(successes=3)
    assert record() == 0.8
    before = rules._last
    version.update(successes=4, failures=1)
    assert record() == 0.7
    version.update(successes=5, failures=1)
    assert (record(), rules._last is before) == (0.7, False)
    again = rules._last
    version.update(successes=6, failures=1)
    assert record() == 0.7
    assert rules._last is again
