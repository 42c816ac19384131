"""How sure models of entailment must be before rules rely on them, as operators tune it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from django.conf import settings

from agents.beliefs import entailment_model
from agents.models import EntailmentThresholds
from agents.rules.cascade import leaves_a_yes
from agents.tuning.kinds import Checked, Field, OneRow, Values
from agents.tuning.of_parameters import Journalled
from library.language.entailment.trained import Sure


def _fields() -> tuple[Field, ...]:
    """The model's own words and bounds, so that the administration, pages and the API say the same."""
    found = []
    for name in (field.name for field in fields(entailment_model.Thresholds)):
        column: Any = EntailmentThresholds._meta.get_field(name)
        least, most = (float(one.limit_value) for one in column.validators[:2])
        label = str(column.verbose_name).capitalize()
        found.append(Field(name, label, "number", str(column.help_text), least, most))
    return tuple(found)


class Thresholds(OneRow, Journalled):
    """How sure the models of entailment must be: one row for all of it."""

    name, words = "entailment_thresholds", "Entailment thresholds"
    about = "How sure a model must be that a condition follows from a belief before a rule relies on it."
    model = EntailmentThresholds
    trial = "goals"
    fields = _fields()

    def usual(self, key: Mapping[str, Any]) -> Values:
        return asdict(entailment_model.usual_thresholds())

    def checked(self, values: Values) -> Checked:
        usual = entailment_model.usual_thresholds()
        wanted = thresholds_of(values)
        looser = _is_looser(wanted.usual, usual.usual) or _is_looser(wanted.environment, usual.environment)
        said = "This is less sure than what was chosen by measuring: expect more wrong answers (docs/entailment.md)."
        return Checked(values, (said,) if looser else ())

    def summary(self, values: Mapping[str, Any]) -> str:
        wanted = thresholds_of(values)
        usual, there = _in_words(wanted.usual), _in_words(wanted.environment)
        unused = ". Rules ask no model here (MINDX_ENTAILMENT)" if settings.ENTAILMENT == "structured" else ""
        language = f"the language model at least {wanted.language_entailment:.1%}"
        return f"{usual}; in environments {there}; {language}{unused}"


def thresholds_of(values: Mapping[str, Any]) -> entailment_model.Thresholds:
    """What these values mean to the cascade."""
    return entailment_model.Thresholds(*(values[field.name] for field in fields(entailment_model.Thresholds)))


def _in_words(sure: Sure) -> str:
    if not leaves_a_yes(sure):
        return "never a yes of the entailment model"
    return f"at least {sure.entailment:.1%} sure of a yes and at most {sure.contradiction:.1%} of the contrary"


def _is_looser(one: Sure, other: Sure) -> bool:
    return one.entailment < other.entailment or one.contradiction > other.contradiction
