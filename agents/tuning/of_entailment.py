"""How sure models of entailment must be before rules rely on them, as operators tune it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.conf import settings

from agents.beliefs import entailment_model
from agents.models import EntailmentThresholds
from agents.tuning.kinds import Checked, Field, OneRow, Values
from agents.tuning.of_parameters import Journalled


def _fields() -> tuple[Field, ...]:
    """The model's own words and bounds, so that the administration, pages and the API say the same."""
    found = []
    for name in ("entailment", "contradiction", "language_entailment"):
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
        looser = values["entailment"] < usual.entailment or values["contradiction"] > usual.contradiction
        said = "This is less sure than what was chosen by measuring: expect more wrong answers (docs/entailment.md)."
        return Checked(values, (said,) if looser else ())

    def summary(self, values: Mapping[str, Any]) -> str:
        least = f"at least {values['entailment']:.1%} sure of a yes"
        doubt = f"at most {values['contradiction']:.1%} of the contrary"
        unused = ". Rules ask no model here (MINDX_ENTAILMENT)" if settings.ENTAILMENT == "structured" else ""
        return f"{least} and {doubt}; the language model at least {values['language_entailment']:.1%}{unused}"


def thresholds_of(values: Mapping[str, Any]) -> entailment_model.Thresholds:
    """What these values mean to the cascade."""
    return entailment_model.Thresholds(values["entailment"], values["contradiction"], values["language_entailment"])
