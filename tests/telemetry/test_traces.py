"""A goal's way is one trace across web and workers, without anybody's words in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.management import call_command
from django.db import transaction
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from agents.bdi.plans.document import IntentSpec
from agents.cycle import cycle
from agents.execution import shadow as shadow_run
from agents.execution.steps import StepOutcome
from agents.goals import goals
from agents.models import Goal
from agents.record import telemetry
from agents.states import GoalState
from mindx_web.operations import tracing
from people.models import User
from review.deciding import decisions
from tests.library.vectors import install

SECRET_TEXT = "write a note named tracing_project saying hello"


@pytest.fixture(autouse=True)
def _word_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence model is the library's business; here it would only cost seconds."""
    install(monkeypatch)


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    """What was sent, with the ids that real processes make."""
    exporter = InMemorySpanExporter()
    provider = tracing.provider_of(SimpleSpanProcessor(exporter))
    telemetry.use(provider.get_tracer("test"))
    yield exporter
    telemetry.use(None)


@pytest.fixture
def with_content(spans: InMemorySpanExporter) -> None:
    telemetry.use(tracing.provider_of(SimpleSpanProcessor(spans)).get_tracer("test"), content=True)


def named(spans: InMemorySpanExporter) -> dict[str, Any]:
    return {span.name: span for span in spans.get_finished_spans()}


def taken_to_the_end(by: User, reviewer: User) -> Goal:
    """A goal by the rules, as its web requests and its workers do it."""
    call_command("load_starters", verbosity=0)
    goal = goals.submit(by=by, text=SECRET_TEXT)
    cycle.work(goal.pk)
    shadow_run.one()
    plan = goal.intent_plans.get()
    decisions.approve(plan, by=reviewer, digest=plan.digest)
    cycle.work(goal.pk)
    goal.refresh_from_db()
    return goal


@pytest.mark.django_db(transaction=True)
def test_the_whole_way_of_a_goal_is_one_trace(
    spans: InMemorySpanExporter, owner: User, reviewer: User, valkey: object
) -> None:
    goal = taken_to_the_end(owner, reviewer)
    assert goal.state == GoalState.ACHIEVED, goal.reason
    found = named(spans)
    steps = [name for name in found if name.startswith("execute_tool ")]
    assert {"invoke_agent mindx", "perceive", "plan", "shadow", "review", "claim", "result"} <= set(found)
    assert steps
    assert {span.context.trace_id for span in spans.get_finished_spans()} == {telemetry.root_of(goal.pk).trace_id}
    root = found["invoke_agent mindx"]
    assert root.parent is None
    assert root.context.span_id == telemetry.root_of(goal.pk).span_id
    finished: Any = spans.get_finished_spans()
    below_root = {span.name for span in finished if span.parent and span.parent.span_id == root.context.span_id}
    assert {"claim", "shadow", "review"} <= below_root
    by_id = {span.context.span_id: span for span in spans.get_finished_spans()}
    tried = found[steps[-1]]
    assert by_id[tried.parent.span_id].name in {"claim", "shadow"}
    assert tried.attributes["gen_ai.operation.name"] == "execute_tool"
    assert tried.attributes["mindx.outcome"] == "succeeded"
    everything = str([dict(span.attributes or {}) for span in spans.get_finished_spans()])
    assert "tracing_project" not in everything
    assert found["review"].attributes["mindx.verdict"] == "approve"
    plan = goal.intent_plans.get()
    assert found["review"].start_time == int(plan.queued_at.timestamp() * 1_000_000_000), "it shows the wait"


@pytest.mark.django_db(transaction=True)
def test_texts_go_along_only_where_an_operator_asked(
    spans: InMemorySpanExporter, with_content: None, owner: User
) -> None:
    goals.submit(by=owner, text=SECRET_TEXT)
    assert named(spans)["invoke_agent mindx"].attributes["mindx.goal.text"] == SECRET_TEXT


@pytest.mark.django_db(transaction=True)
def test_a_goal_that_was_rolled_back_leaves_no_trace(spans: InMemorySpanExporter, owner: User) -> None:
    with transaction.atomic():
        goals.submit(by=owner, text=SECRET_TEXT)
        transaction.set_rollback(True)
    assert spans.get_finished_spans() == ()


def spec(**params: Any) -> IntentSpec:
    empty: dict[str, Any] = {"parameters": (), "limits": {}, "depends_on": (), "condition": None, "hosts": ()}
    words: dict[str, Any] = {
        "justification": "why",
        "effect": "workspace",
        "rule": "",
        "sentence": "say",
        "phase": "main",
    }
    return IntentSpec(position=3, tool="simple_coder", command="write", params=params, **empty, **words)


def run_with(outcome: Any, spans: InMemorySpanExporter) -> Any:
    def body(spec: IntentSpec) -> Any:
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    run: Callable[..., Any] = telemetry.step(body)
    with telemetry.working_on(goal=7, plan=9):
        if isinstance(outcome, Exception):
            with pytest.raises(type(outcome)):
                run(spec(path="secret.txt"))
        else:
            run(spec(path="secret.txt"))
    return named(spans)["execute_tool simple_coder.write"]


def test_a_failed_step_and_a_failed_sandbox_are_told_apart_and_say_no_words(spans: InMemorySpanExporter) -> None:
    from agents.bdi.recovery.recovery import Failure, FailureClass

    failed = run_with(StepOutcome(failure=Failure(FailureClass.NETWORK_ERROR, "secret.txt is away")), spans)
    assert failed.status.status_code is StatusCode.ERROR
    assert failed.attributes["error.type"] == "NETWORK_ERROR"
    assert failed.attributes["mindx.outcome"] == "failed"
    assert failed.attributes["mindx.plan.id"] == 9
    spans.clear()
    broken = run_with(RuntimeError("secret.txt"), spans)
    assert broken.attributes["error.type"] == "RuntimeError"
    assert "mindx.outcome" not in broken.attributes
    assert "secret" not in failed.to_json() + broken.to_json()


def test_one_worker_goes_from_goal_to_goal_without_mixing_them(spans: InMemorySpanExporter) -> None:
    with telemetry.span("one", 1), telemetry.span("other", 2):
        pass
    found = named(spans)
    assert found["one"].context.trace_id == telemetry.root_of(1).trace_id
    assert found["other"].context.trace_id == telemetry.root_of(2).trace_id
    assert found["other"].parent.span_id == telemetry.root_of(2).span_id


def test_without_an_endpoint_nothing_is_sent_and_nothing_is_loaded(settings: Any) -> None:
    settings.TRACE_ENDPOINT_IS_SET = False
    tracing.start()
    assert tracing._provider is None
    with telemetry.span("quiet", 1) as opened:
        assert not opened.is_recording()


def test_another_installation_has_another_trace_for_the_same_number(settings: Any) -> None:
    ours = telemetry.root_of(1)
    settings.SECRET_KEY = "the key of another installation, also long enough"
    assert telemetry.root_of(1).trace_id != ours.trace_id
