"""A reused workflow gets the values that the requirement says for its parameters, and no guesses."""

from __future__ import annotations

from typing import Any

import pytest

from agents.bdi.designing import workflow_values
from agents.bdi.designing.workflow_values import Chosen, Parameter
from agents.bdi.workflows.bound import Known
from agents.bdi.workflows.reading import read
from agents.toolkit.registry import REGISTRY
from tests.agents.bdi.workflows.workflow_texts import GREET, execute, text

COUNT = text(
    execute("simple_coder.read", 'input: {path: "{{params.file}}"}', "output_var: found")
    + execute("simple_coder.write", 'input: {path: "{{params.target}}", content: "{{found.content}}"}')
    + execute("simple_coder.run", 'input: {command_line: "head -n {{params.top}} {{params.target}}"}'),
    name="Count",
    params="\nparams: {file:, target: count.txt, top: 3}",
)
FETCH = text(
    execute("http_request.get", 'input: {url: "{{params.url}}"}'), params="\nparams: {url: https://a.example.org/}"
)


def filled(said: str, body: str = COUNT, known: dict[str, Known] | None = None) -> dict[str, Chosen]:
    workflow = read(body).workflow
    assert workflow is not None
    return {one.name: one for one in workflow_values.fill(said, workflow, REGISTRY, known or {})}


def values(said: str, body: str = COUNT) -> dict[str, Any]:
    return {name: one.value for name, one in filled(said, body).items()}


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Count the lines of sales.csv", {"file": "sales.csv", "target": "count.txt", "top": 3}),
        ("Count the lines of in/sales.csv into out/n.txt", {"file": "in/sales.csv", "target": "out/n.txt", "top": 3}),
        ('Count the lines of "sales.csv" with top 5', {"file": "sales.csv", "target": "count.txt", "top": 5}),
        ("Count, file: my.csv, top = 2", {"file": "my.csv", "target": "count.txt", "top": 2}),
    ],
)
def test_files_and_what_stands_behind_a_parameters_name_are_its_values(said: str, expected: dict[str, Any]) -> None:
    assert values(said) == expected


@pytest.mark.parametrize(
    "said",
    [
        "Count the lines",
        "Count the lines of a.csv and of b.csv",  # two could be meant
        "Count the lines into out.txt",  # that is written, not read
        "Count the lines of the 5 newest reports",  # a number is said for many reasons
    ],
)
def test_what_is_not_clearly_meant_stays_as_the_workflow_says_or_is_asked_for(said: str) -> None:
    found = filled(said)
    assert found["file"].value is None
    assert "no default" in found["file"].because
    assert (found["top"].value, found["top"].is_said) == (3, False)
    assert "default" in found["top"].because


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Greet somebody with the name moon", "moon"),
        ("Greet somebody named in the file", "world"),
        ("Greet somebody with the name that stands in the file", "world"),
        ('Greet "Ann Lee"', "Ann Lee"),
        ("Greet somebody, name: Ann", "Ann"),
        ("Write the name of the author down", "world"),
        ("Greet with name: moon; rm -rf /", "moon"),
    ],
)
def test_a_text_is_taken_from_a_quotation_or_from_behind_its_name(said: str, name: str) -> None:
    assert values(said, GREET) == {"name": name}


@pytest.mark.parametrize("said", ['Greet "{{found}}"', 'Greet with name: "{{params.other}}"'])
def test_nothing_that_would_be_read_as_a_placeholder_is_a_value(said: str) -> None:
    (found,) = workflow_values.choose(said, [Parameter("name", default="world")])
    assert (found.value, found.is_said) == ("world", False)


def test_a_value_that_the_workflow_refuses_is_not_taken_and_the_design_says_why() -> None:
    found = filled("Count the lines of sales.csv into ../outside.txt")
    assert found["target"].value == "count.txt"
    assert "refuses" in found["target"].because


def test_addresses_go_where_an_address_is_wanted() -> None:
    said = "Fetch https://a.example.org/prices.html"
    assert values(said, FETCH) == {"url": "https://a.example.org/prices.html"}


def test_what_a_parameter_is_for_is_seen_through_a_workflow_that_is_called() -> None:
    outer = text(execute("Count", 'input: {file: "{{params.source}}"}', item="WORKFLOW"), params="\nparams: {source:}")
    found = filled("Count the lines of sales.csv", outer, {"Count": Known("Count", "1.0.0", COUNT)})
    assert found["source"].value == "sales.csv"
