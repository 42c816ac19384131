"""What operators tune: saved versions of which the newest counts, checked, told, taken back, and never lost."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db.models import Model
from django.http import QueryDict
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from agents.bdi.recovery import recovery_settings
from agents.bdi.recovery.failures import FailureClass
from agents.bdi.recovery.strategies import ABORT, WAYS
from agents.forms import tuning as tuning_form
from agents.models import (
    BacklogRules,
    EntailmentThresholds,
    FailureRule,
    ParameterRule,
    ParameterSettings,
    PathMapping,
    RecoveryPolicy,
    RecoverySetting,
)
from agents.record.errors import NotPossibleNow, NotYours, TuningRefused
from agents.recovery import failure_log, recovery_learning
from agents.toolkit.registry import REGISTRY
from agents.tuning import versions
from agents.tuning.kinds import Field, Kind
from agents.understanding import in_force
from people.models import User
from review.models import AuditEntry
from tests.cast import person

MAPPING = {"said": "figures", "path": "data/figures.csv", "in_use": True}
RULE = {"tool": "git_tool", "command": "commit", "parameter": "message", "default": "As ever", "in_use": True}
POLICY = {"failure_class": "NETWORK_ERROR", "pinned": "manual_fallback", "banned": ["retry_with_delay"]}
FAILURE_RULE = {"name": "quota", "text": "quota exceeded", "failure_class": "RATE_LIMIT_ERROR", "enabled": True}
TABLES = (
    *(ParameterSettings, PathMapping, ParameterRule, RecoverySetting, RecoveryPolicy, FailureRule, BacklogRules),
    EntailmentThresholds,
)
ONE_ROW = ("parameter_settings", "stop_rules", "entailment_thresholds")


def kind(name: str) -> Kind:
    found = versions.kind_named(name)
    assert found is not None
    return found


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "values", "counts"),
    [
        ("path_mapping", MAPPING, lambda: [one.path for one in in_force.mapped()] == ["data/figures.csv"]),
        ("parameter_rule", RULE, lambda: in_force.rules()["git_tool", "commit", "message"].default == "As ever"),
        (
            "recovery_policy",
            POLICY,
            lambda: len(recovery_learning.policy_of(FailureClass.NETWORK_ERROR, "x").banned) == 1,
        ),
        ("failure_rule", FAILURE_RULE, lambda: [row.name for row in failure_log.in_force()] == ["quota"]),
    ],
)
def test_what_is_saved_counts_at_the_next_look_and_says_who_and_why(
    name: str, values: dict[str, Any], counts: Callable[[], bool], operator: User
) -> None:
    assert not versions.current(kind(name))
    saved = versions.save(kind(name), values, by=operator, note="It was asked for.")
    assert counts()
    (listed,) = versions.current(kind(name))
    assert (listed.by, listed.note, listed.version) == (operator, "It was asked for.", saved.version)
    assert versions.find(listed.kind, listed.ref) == listed
    entry = AuditEntry.objects.order_by("-pk")[0]
    assert entry.by == operator
    assert entry.event in ("parameters", "recovery")


@pytest.mark.django_db
def test_settings_hold_as_mindx_comes_until_somebody_saves(operator: User) -> None:
    (one,) = versions.current(kind("parameter_settings"))
    assert (one.version, one.values["least_runs"]) == (0, 3)
    versions.save(one.kind, {"least_runs": 5}, by=operator, over=one)
    assert in_force.switches().least_runs == 5
    assert in_force.switches().least_share == 0.8, "what is left out stays"
    delay = versions.find(kind("recovery_setting"), "retry_delay_seconds")
    assert delay is not None
    assert delay.version == 0
    changed = versions.save(delay.kind, {"value": 2}, by=operator, over=delay)
    assert recovery_learning.current_settings().retry_delay_seconds == 2.0
    back = versions.revert(changed, 0, by=operator)
    assert recovery_learning.current_settings() == recovery_settings.USUAL
    assert back.note == "mindX's default"
    assert [one.number for one in versions.history(back)[0]] == [2, 1]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "values", "field", "says"),
    [
        ("parameter_settings", {"least_share": 1.5}, "least_share", "from 0.5 to 1"),
        ("parameter_settings", {"least_runs": 2.5}, "least_runs", "whole number"),
        ("parameter_settings", {"least_runs": True}, "least_runs", "whole number"),
        ("parameter_settings", {"least_confidence": float("nan")}, "least_confidence", "a number"),
        ("parameter_settings", {"use_experience": 1}, "use_experience", "on or off"),
        ("parameter_settings", {"colour": "red"}, "colour", "no such field"),
        ("path_mapping", {**MAPPING, "path": "../outside"}, "path", "leads out of the workspace"),
        ("path_mapping", {**MAPPING, "path": "/etc/passwd"}, "path", "not inside the workspace"),
        ("path_mapping", {**MAPPING, "path": "a\u202eb"}, "path", "hidden character U+202E"),
        ("path_mapping", {**MAPPING, "said": " "}, "said", "cannot be empty"),
        ("path_mapping", {**MAPPING, "tool": "gti_tool"}, "tool", "There is no gti_tool; there are"),
        ("path_mapping", {**MAPPING, "parameter": "colour"}, "parameter", "It has no such path parameter"),
        ("parameter_rule", {**RULE, "command": "comit"}, "command", "did you mean “commit”"),
        ("parameter_rule", {**RULE, "parameter": "colour"}, "parameter", "git_tool.commit takes"),
        ("parameter_rule", {**RULE, "default": 7}, "default", "of type string"),
        ("parameter_rule", {**RULE, "default": "x" * 20_000}, "default", "at most"),
        ("recovery_setting", {"name": "jitter", "value": 2.0}, "value", "from 0 to 1"),
        ("recovery_setting", {"name": "colour", "value": 2.0}, "name", "There is no colour"),
        ("recovery_policy", {**POLICY, "tool": "nothing"}, "tool", "There is no nothing"),
        ("recovery_policy", {**POLICY, "banned": ["graceful_abort"]}, "banned", "There is no graceful_abort"),
        ("recovery_policy", {**POLICY, "banned": ["manual_fallback"]}, "pinned", "cannot be banned, too"),
        ("recovery_policy", {**POLICY, "failure_class": "ODD"}, "failure_class", "There is no ODD"),
        ("failure_rule", {**FAILURE_RULE, "text": ""}, "text", "at least one condition"),
        ("failure_rule", {**FAILURE_RULE, "text": "ab"}, "text", "three characters"),
        ("failure_rule", {**FAILURE_RULE, "command": "rnu"}, "command", "No tool has a command “rnu”"),
        ("failure_rule", {**FAILURE_RULE, "tool": "git_tool", "command": "run"}, "command", "has no command “run”"),
        ("failure_rule", {**FAILURE_RULE, "stage": "later"}, "stage", "There is no later"),
        ("failure_rule", {**FAILURE_RULE, "exit_code": 10**9}, "exit_code", "from -99999 to 99999"),
        ("entailment_thresholds", {"entailment": 0.4}, "entailment", "from 0.5 to 1"),
        ("entailment_thresholds", {"contradiction": float("nan")}, "contradiction", "a number"),
        ("entailment_thresholds", {"language_entailment": 1.01}, "language_entailment", "from 0.5 to 1"),
        ("stop_rules", {"failures_of_one": 0}, "failures_of_one", "from 1 to 20"),
        ("stop_rules", {"without_success": 2.5}, "without_success", "a whole number"),
        ("stop_rules", {"per_day": 10_001}, "per_day", "from 0 to 10000"),
        ("stop_rules", {"near_enough": 0.49}, "near_enough", "from 0.5 to 1"),
        ("stop_rules", {"near_enough": float("nan")}, "near_enough", "a number"),
    ],
)
def test_what_cannot_hold_is_refused_in_words_and_nothing_is_saved(
    name: str, values: dict[str, Any], field: str, says: str, operator: User
) -> None:
    over = versions.current(kind(name))[0] if name in ONE_ROW else None
    with pytest.raises(TuningRefused) as refused:
        versions.save(kind(name), values, by=operator, over=over)
    assert says in refused.value.errors[field]
    assert not any(table._default_manager.exists() for table in TABLES)


@pytest.mark.django_db
def test_a_pattern_language_would_be_text_here(operator: User) -> None:
    """Nothing that is tuned is a regular expression, so none can run away."""
    rule = {**FAILURE_RULE, "text": "(a+)+$"}
    versions.save(kind("failure_rule"), rule, by=operator)
    (found,) = [failure_log.rule_of(row) for row in failure_log.in_force()]
    from agents.bdi.recovery.failures import Facts

    assert found.fits(Facts(text="it says (a+)+$ here"))
    assert not found.fits(Facts(text="a" * 5_000))


@pytest.mark.django_db
def test_only_operators_tune(owner: User, reviewer: User, operator: User, admin: User) -> None:
    for somebody in (owner, reviewer, person("dev", "developer")):
        with pytest.raises(NotYours):
            versions.save(kind("path_mapping"), MAPPING, by=somebody)
    saved = versions.save(kind("path_mapping"), MAPPING, by=operator)
    changed = versions.save(saved.kind, {"in_use": False}, by=admin, over=saved)
    with pytest.raises(NotYours):
        versions.revert(changed, saved.version, by=reviewer)
    assert PathMapping.objects.count() == 2


@pytest.mark.django_db
def test_what_somebody_saved_meanwhile_is_not_lost(operator: User, admin: User) -> None:
    first = versions.save(kind("path_mapping"), MAPPING, by=operator, seen=0)
    versions.save(kind("path_mapping"), {**MAPPING, "path": "b.csv"}, by=admin, over=first, seen=first.version)
    with pytest.raises(NotPossibleNow, match="in the meantime"):
        versions.save(first.kind, {"path": "c.csv"}, by=operator, over=first, seen=first.version)
    with pytest.raises(NotPossibleNow, match="in the meantime"):
        versions.revert(first, first.version, by=operator, seen=first.version)
    assert [one.path for one in in_force.mapped()] == ["b.csv"]


@pytest.mark.django_db
def test_case_and_spaces_of_a_name_make_no_second_mapping(operator: User) -> None:
    first = versions.save(kind("path_mapping"), {**MAPPING, "said": "The  Figures"}, by=operator)
    versions.save(kind("path_mapping"), {**MAPPING, "said": "the figures", "path": "b.csv"}, by=operator)
    (one,) = versions.current(first.kind)
    assert one.values["path"] == "b.csv"
    assert len(versions.history(one)[0]) == 2
    assert [row.path for row in in_force.mapped()] == ["b.csv"]


@pytest.mark.django_db
def test_an_old_version_that_no_longer_can_hold_is_not_taken_back(operator: User) -> None:
    gone = ParameterRule.objects.create(tool="gone_tool", command="x", parameter="y", by=operator)
    ParameterRule.objects.create(tool="gone_tool", command="x", parameter="y", in_use=False, by=operator)
    one = versions.find(kind("parameter_rule"), str(gone.pk))
    assert one is not None
    with pytest.raises(TuningRefused, match="gone_tool"):
        versions.revert(one, gone.pk, by=operator)
    with pytest.raises(NotPossibleNow, match="no such version"):
        versions.revert(one, 10**9, by=operator)


@pytest.mark.django_db
def test_saving_what_counts_already_makes_no_version(operator: User) -> None:
    one = versions.save(kind("path_mapping"), MAPPING, by=operator)
    with pytest.raises(NotPossibleNow, match="already in use"):
        versions.save(one.kind, MAPPING, by=operator)
    assert PathMapping.objects.count() == 1


@pytest.mark.django_db
def test_a_long_history_is_read_page_by_page_with_its_differences(operator: User) -> None:
    one = versions.save(kind("path_mapping"), MAPPING, by=operator)
    for number in range(7):
        one = versions.save(one.kind, {"path": f"{number}.csv"}, by=operator, over=one)
    first, older = versions.history(one, most=5)
    rest, end = versions.history(one, before=older, most=5)
    assert [row.number for row in (*first, *rest)] == [8, 7, 6, 5, 4, 3, 2, 1]
    assert end is None
    assert [(change.label, change.before, change.after) for change in first[0].changes] == [("Path", "5.csv", "6.csv")]
    assert [row.counts for row in first] == [True, False, False, False, False]


def test_every_kind_says_what_it_is_and_finds_its_own_by_its_address() -> None:
    assert len({one.name for one in versions.KINDS}) == len(versions.KINDS)
    for one in versions.KINDS:
        assert one.words
        assert one.about.endswith(".")
        assert all(one.title(values) and one.summary(values) for values in one.all_usual())
        assert {*one.key} <= {field.name for field in one.fields}
        assert getattr(one.model, "append_only", False), "the application may not change a row"


_NAMES = st.sampled_from(["figures", "Figures", "the notes", "app"])
_PATHS = st.sampled_from(["a.csv", "data/a.csv", "b", "c/d/e.txt"])
_TOOLS = st.sampled_from(["", *(tool.name for tool in REGISTRY.tools)])
_PARTS = st.sampled_from(sorted({str(way) for way in WAYS} - {str(ABORT)}))
_NUMBERS = st.sampled_from(recovery_settings.NAMES).flatmap(
    lambda name: st.fixed_dictionaries(
        {"name": st.just(name), "value": st.floats(*recovery_settings.bounds_of(name), allow_nan=False)}
    )
)
_SAVES = st.one_of(
    st.tuples(
        st.just("path_mapping"),
        st.fixed_dictionaries({"said": _NAMES, "path": _PATHS, "tool": _TOOLS, "in_use": st.booleans()}),
    ),
    st.tuples(st.just("recovery_setting"), _NUMBERS),
    st.tuples(
        st.just("recovery_policy"),
        st.fixed_dictionaries(
            {
                "failure_class": st.sampled_from([one.value for one in FailureClass]),
                "tool": _TOOLS,
                "banned": st.lists(_PARTS, unique=True, max_size=3),
            }
        ),
    ),
    st.tuples(
        st.just("parameter_settings"),
        st.fixed_dictionaries({"least_runs": st.integers(1, 1000), "use_experience": st.booleans()}),
    ),
    st.tuples(
        st.just("stop_rules"),
        st.fixed_dictionaries({"per_day": st.integers(0, 10_000), "near_enough": st.floats(0.5, 1.0)}),
    ),
)


@pytest.mark.parametrize(
    "typed", ["[" * 9_000 + "]" * 9_000, '{"a": 1, "a": 2}', '"\\u0000"', "NaN"], ids=["deep", "twice", "nul", "nan"]
)
def test_json_that_cannot_be_kept_is_a_fault_of_its_field(typed: str) -> None:
    field = Field("default", "Default", "json")
    values, wrong = tuning_form.read(SimpleNamespace(fields=[field]), QueryDict(urlencode({"default": typed})), {})  # type: ignore[arg-type]  # all that is asked of a kind
    assert (values, list(wrong)) == ({"default": None}, ["default"])


class NothingIsLost(TestCase):
    """A law: whatever is saved and taken back, every version stays as it was, and the way back restores exactly."""

    @settings(max_examples=25, deadline=None)
    @given(st.lists(_SAVES, min_size=1, max_size=8), st.data())
    def test_a_history_only_grows_and_the_way_back_restores_exactly(
        self, saves: list[tuple[str, dict[str, Any]]], data: st.DataObject
    ) -> None:
        by = person("law", "operator")
        seen: dict[tuple[type[Model], int], dict[str, Any]] = {}
        for name, values in saves:
            of = kind(name)
            over = versions.current(of)[0] if name in ONE_ROW else None
            try:
                saved = versions.save(of, values, by=by, over=over)
            except NotPossibleNow:  # it counts already
                continue
            assert {**saved.values, **of.checked({**saved.values, **values}).values} == saved.values
            old = data.draw(st.sampled_from(versions.history(saved)[0]))
            if not old.counts:
                back = versions.revert(saved, old.id, by=by)
                assert back.values == old.values
                again = versions.find(of, back.ref)
                assert again is not None
                assert again.values == old.values, "it is what counts"
            for row in of.model._default_manager.all():
                was = seen.setdefault((of.model, row.pk), of.of(row))
                assert of.of(row) == was, "no version changes"
            kept = of.model._default_manager.count()
            assert kept == sum(1 for table, _ in seen if table is of.model), "no version is lost"
