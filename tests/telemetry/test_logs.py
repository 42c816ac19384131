"""Log lines as objects: with the ids of whose work it was, without secrets."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from agents.record import telemetry
from mindx_web.operations import logs, tracing

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def known_secrets(settings: Any) -> Iterator[None]:
    settings.DATABASE_URL = "postgres://mindx_app:pass%2Fword%22long@db/mindx"
    settings.BROKER_URL = "amqp://mindx:rabbit-password@rabbit/"
    settings.METRICS_TOKEN = "metrics-token"
    logs._secrets.cache_clear()
    yield
    logs._secrets.cache_clear()


def written(formatter: logging.Formatter, message: str, *args: object, **more: Any) -> str:
    record = logging.getLogger("mindx.test").makeRecord(
        "mindx.test", logging.WARNING, __file__, 1, message, args, more.pop("exc_info", None), extra=more
    )
    return formatter.format(record)


def test_a_line_is_one_object_with_its_sentence_and_what_was_said_besides() -> None:
    line = written(logs.Objects(), "Plan %s\nwas refused", 7, intent_plan=7, where=Path("/x"))
    assert "\n" not in line
    told = json.loads(line)
    assert told["message"] == "Plan 7\nwas refused"
    assert (told["level"], told["logger"], told["intent_plan"], told["where"]) == ("warning", "mindx.test", 7, "/x")
    assert told["at"].endswith("+00:00")


def test_a_line_says_whose_work_it_was() -> None:
    provider = tracing.provider_of(SimpleSpanProcessor(InMemorySpanExporter()))
    telemetry.use(provider.get_tracer("test"))
    try:
        with telemetry.working_on(worker="w-1", plan=2), telemetry.span("claim", 5), telemetry.working_on(intent=3):
            told = json.loads(written(logs.Objects(), "inside"))
    finally:
        telemetry.use(None)
    assert (told["goal"], told["plan"], told["intent"], told["worker"]) == (5, 2, 3, "w-1")
    assert told["trace_id"] == f"{telemetry.root_of(5).trace_id:032x}"
    assert "goal" not in json.loads(written(logs.Objects(), "outside"))


@pytest.mark.parametrize("formatter", [logs.Lines(), logs.Objects()])
@pytest.mark.parametrize("secret", ['pass/word"long', "pass%2Fword%22long", "rabbit-password", "metrics-token"])
def test_no_line_holds_a_secret_wherever_it_stands(formatter: logging.Formatter, secret: str) -> None:
    try:
        raise RuntimeError(f"cannot connect with {secret}")
    except RuntimeError:
        line = written(
            formatter, "it was %s", secret, exc_info=sys.exc_info(), address=f"amqp://{secret}@x", more=[secret]
        )
    assert secret not in line
    assert json.dumps(secret)[1:-1] not in line
    assert logs.HIDDEN in line


def test_a_hostile_text_stays_one_line_of_data() -> None:
    told = json.loads(written(logs.Objects(), 'end"}\n{"level": "forged"}\u2028\x1b[31m'))
    assert told["level"] == "warning"


def test_the_whole_process_writes_objects_when_the_operator_says_so(tmp_path: Path) -> None:
    code = (
        "import django, logging; django.setup();"
        "logging.getLogger('agents').warning('hello'); logging.getLogger('uvicorn.access').warning('request')"
    )
    environment = {**os.environ, "MINDX_LOG_FORMAT": "json", "MINDX_DATA": str(tmp_path)}
    environment["DJANGO_SETTINGS_MODULE"] = "mindx_web.settings"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert [json.loads(line)["message"] for line in done.stderr.splitlines()] == ["hello", "request"]
