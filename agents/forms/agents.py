"""What operators type on the pages of agents."""

from __future__ import annotations

from django import forms


class StandstillForm(forms.Form):
    """Why everything stops, which everybody reads."""

    reason = forms.CharField(max_length=300)
