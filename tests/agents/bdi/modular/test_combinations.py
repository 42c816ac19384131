"""Every combination with five scripted models comes to an end, and never to an exception."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Sequence
from itertools import combinations as pairs_of
from itertools import product

import pytest

from agents.bdi.modular import combinations, modules
from agents.bdi.modular.combinations import CombinationRefused
from agents.bdi.modular.state import MODULE_TYPES, Chosen
from tests.agents.bdi.modular import scripted
from tests.deep import DEEP

ENDS = {"achieved", "limit", "person", "refused"}
DONE = scripted.said("done", "submit", answer="moon")


def _came_to(given: dict[str, Chosen], model: str) -> str:
    try:
        setting = combinations.checked(given)
    except CombinationRefused as refused:
        return "refused" if "does not fit" in str(refused) else f"refused without a pair: {refused}"
    state = scripted.run(setting, model)
    return state.outcome


def _every_combination() -> list[dict[str, Chosen]]:
    """All there are with their default settings, those that are refused among them."""
    kinds = [[Chosen(one.name) for one in modules.of_type(kind)] for kind in MODULE_TYPES]
    return [dict(zip(MODULE_TYPES, some, strict=True)) for some in product(*kinds)]


def _some_combinations() -> list[dict[str, Chosen]]:
    """A seventh of them all, in the usual run. Seven has no divisor in common with the sizes of the kinds."""
    return _every_combination()[None if DEEP else 4 :: 1 if DEEP else 7]


def _pairs(given: Sequence[dict[str, Chosen]]) -> set[tuple[tuple[str, str], ...]]:
    """The modules that stand side by side in combinations that run."""
    found: set[tuple[tuple[str, str], ...]] = set()
    for one in given:
        with contextlib.suppress(CombinationRefused):
            checked = combinations.checked(one)
            found.update(pairs_of([(kind, checked[kind].name) for kind in MODULE_TYPES], 2))
    return found


def test_any_two_modules_that_go_together_do_so_in_what_is_tried() -> None:
    assert _pairs(_some_combinations()) == _pairs(_every_combination())


@pytest.mark.parametrize("model", scripted.MODELS)
def test_every_combination_comes_to_an_end(model: str) -> None:
    table: dict[str, Counter[str]] = {}
    tried = _every_combination() if model == "good" else _some_combinations()
    for given in tried:
        came_to = _came_to(given, model)
        pair = f"{given['generator'].name} + {given['discriminator'].name}"
        table.setdefault(pair, Counter())[came_to] += 1
    print(f"\n{model}")  # noqa: T201  # the table is there to be read
    for pair, counted in sorted(table.items()):
        print(f"  {pair:45} {', '.join(f'{end} {count}' for end, count in sorted(counted.items()))}")  # noqa: T201
    assert {end for counted in table.values() for end in counted} <= ENDS
    reached = sum(counted["achieved"] for counted in table.values())
    # Only the good model submits an answer; toolkits without files still let it.
    assert (reached > 100) == (model == "good")


def test_each_module_has_a_schema_and_its_defaults_fit_it() -> None:
    for one in modules.every().values():
        assert one.type in MODULE_TYPES
        assert one.read_settings({}) == {setting.name: setting.default for setting in one.settings}
        with pytest.raises(ValueError, match="has no setting"):
            one.read_settings({"wizard": 1})


def test_an_answer_of_ten_megabytes_is_cut_and_the_run_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(scripted.MODELS, "good", lambda turn: scripted.said("x" * 10_000_000) if turn == 0 else DONE)
    names = {"prompter": "plain", "generator": "model", "discriminator": "first", "actor": "plain", "toolkit": "notes"}
    state = scripted.run(combinations.checked({kind: Chosen(name) for kind, name in names.items()}), "good")
    assert state.outcome == "achieved"
    assert max(len(node.message.content) for node in state.nodes.values()) < 101_000
