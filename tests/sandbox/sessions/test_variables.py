"""Environment variables: kept from one program to the next, and never those that decide what runs."""

from __future__ import annotations

import pytest

from sandbox.contract import SessionState
from tests.sandbox.conftest import Hands, OpenHands

SHOW = "import os\nprint(os.environ.get('A'))"


def test_a_variable_is_there_for_every_program_until_it_is_forgotten(hands: Hands, open_hands: OpenHands) -> None:
    assert hands.python(SHOW).data["stdout"] == "None\n"
    assert hands.do("set_env", name="A", value="ä b\nc").ok
    assert hands.python(SHOW).data["stdout"] == hands.python(SHOW).data["stdout"] == "ä b\nc\n"
    state = SessionState.from_json(hands.session.state.to_json())
    assert open_hands(state=state).python(SHOW).data["stdout"] == "ä b\nc\n"
    assert hands.do("unset_env", name="A").ok
    assert hands.do("unset_env", name="A").ok
    assert hands.python(SHOW).data["stdout"] == "None\n"


@pytest.mark.parametrize(
    "name", ["PATH", "HOME", "TMPDIR", "VIRTUAL_ENV", "LD_PRELOAD", "LD_X", "PYTHONPATH", "PYTHONHOME", "BASH_ENV"]
)
def test_variables_that_decide_what_runs_are_refused_with_the_reason(hands: Hands, name: str) -> None:
    for command, value in (("set_env", {"value": "x"}), ("unset_env", {})):
        refused = hands.do(command, name=name, **value)
        assert refused.error_class == "PERMISSION_ERROR"
        assert "which programs and libraries run" in refused.reason
    assert hands.session.state.env == {}


@pytest.mark.parametrize("name", ["", "1A", "A B", "A=B", "Ä", "A\n", "A" * 65, "A\0"])
def test_what_is_no_name_is_refused(hands: Hands, name: str) -> None:
    assert hands.do("set_env", name=name, value="x").error_class == "INVALID_PARAMETERS"


def test_values_and_their_number_are_bounded(hands: Hands) -> None:
    for value in ("x" * 8193, "nul \0", "\ud800"):
        assert hands.do("set_env", name="A", value=value).error_class == "INVALID_PARAMETERS"
    for number in range(100):
        assert hands.do("set_env", name=f"A{number}", value="x" * 8192).ok
    assert "at most 100" in hands.do("set_env", name="A100", value="x").reason
    assert hands.do("set_env", name="A99", value="y").ok
    assert hands.python("import os\nprint(len(os.environ['A0']), os.environ['A99'])").data["stdout"] == "8192 y\n"
