"""The form of an operator's ceilings: sizes are typed and shown with their unit, an empty field is the default."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError

from agents.models import ToolLimit
from agents.toolkit.limits import BOUNDS, DEFAULTS, UNITS, in_words
from agents.toolkit.registry import tools_in_use

if TYPE_CHECKING:  # Django's own class takes no type arguments when it runs
    LimitModelForm = forms.ModelForm[ToolLimit]
else:
    LimitModelForm = forms.ModelForm

_SIZE = re.compile(r"(\d{1,15})(?:[.](\d{1,3}))?\s*(bytes?|[KMG]iB)?", re.IGNORECASE | re.ASCII)
_SAYS = {
    "memory_bytes": "Memory of all programs of a step together.",
    "processes": "Processes and threads at one time.",
    "cpus": "Processors; without a control group a fraction counts as a whole one.",
    "descriptors": "Files and connections that one process has open at one time.",
    "file_bytes": "Size of one file that a program writes.",
    "workspace_bytes": "All files of the workspace together; its quota holds besides.",
    "workspace_files": "All files and folders of the workspace together.",
    "output_bytes": "Output kept in the result, from its beginning and its end; the rest is left out and counted.",
    "output_file_bytes": "Output of a program in all; one that writes more is stopped.",
    "soft_s": "Seconds that a program may run unless its step says otherwise.",
    "hard_s": "The most seconds that a step may ask for.",
}


class SizeField(forms.CharField):
    """A number of bytes, typed as “512 MiB”; a number without a unit is bytes."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(required=False, max_length=40, **kwargs)

    def prepare_value(self, value: Any) -> Any:
        return in_words("_bytes", value).replace(",", "") if isinstance(value, int) else value

    def clean(self, value: Any) -> Any:
        text = super().clean(value).strip()
        if not text:
            return None
        found = _SIZE.fullmatch(text)
        if found is None:
            raise ValidationError("Write a size such as 512 MiB, 2 GiB or 65536.", code="size")
        unit = next((size for name, size in UNITS.items() if name.lower() == (found[3] or "").lower()), 1)
        fraction = found[2] or ""
        return (int(found[1] + fraction) * unit) // 10 ** len(fraction)


class ToolLimitForm(LimitModelForm):
    """One row of ceilings."""

    tool = forms.ChoiceField(required=False)
    memory_bytes = SizeField()
    file_bytes = SizeField()
    workspace_bytes = SizeField()
    output_bytes = SizeField()
    output_file_bytes = SizeField()

    class Meta:
        model = ToolLimit
        fields = ("agent", "tool", *BOUNDS)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        names = [(tool.name, f"{tool.label} ({tool.name})") for tool in tools_in_use().tools]
        # A row for a tool that is not installed now stays what it is.
        if self.instance.tool and self.instance.tool not in dict(names):
            names.append((self.instance.tool, f"{self.instance.tool} (not installed)"))
        self.fields["tool"].choices = [("", "every tool"), *names]  # type: ignore[attr-defined]  # fields are of several classes
        self.fields["agent"].empty_label = "every agent"  # type: ignore[attr-defined]  # fields are of several classes
        for name, (least, most) in BOUNDS.items():
            field = self.fields[name]
            field.label = name.removesuffix("_bytes").removesuffix("_s").replace("_", " ").capitalize()
            field.help_text = (
                f"{_SAYS[name]} From {in_words(name, least)} to {in_words(name, most)}; "
                f"empty: a less specific row, or {in_words(name, DEFAULTS[name])}."
            )
        self.fields["soft_s"].label = "Usual time"
        self.fields["hard_s"].label = "Longest time"
        self.fields["descriptors"].label = "Open files"
        self.fields["output_bytes"].label = "Output in the result"
        self.fields["output_file_bytes"].label = "Output in all"
