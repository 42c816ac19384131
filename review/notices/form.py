"""Forms of review."""

from __future__ import annotations

from django import forms

from review.models import NoticeChoice, NoticeKind
from review.notices.addresses import is_allowed


class NoticeForm(forms.Form):
    """Which notices a person wants where. The address is write-only: the form never has the stored one."""

    email_kinds = forms.MultipleChoiceField(
        choices=NoticeKind.choices, required=False, widget=forms.CheckboxSelectMultiple, label="By e-mail"
    )
    apprise_kinds = forms.MultipleChoiceField(
        choices=NoticeKind.choices, required=False, widget=forms.CheckboxSelectMultiple, label="To my address"
    )
    apprise_address = forms.CharField(
        required=False,
        max_length=1_000,
        label="Address",
        widget=forms.PasswordInput(attrs={"autocomplete": "off", "class": "input"}),
        help_text="As apprise knows them, for example ntfys://ntfy.example.org/topic. It is stored and never shown.",
    )
    forget = forms.BooleanField(required=False, label="Delete the address")

    @classmethod
    def of(cls, choice: NoticeChoice) -> NoticeForm:
        """The current values, without the address."""
        return cls(initial={"email_kinds": choice.email_kinds, "apprise_kinds": choice.apprise_kinds})

    def clean_apprise_address(self) -> str:
        """Refuse an address that is not on the list or unknown to apprise. The error does not repeat it."""
        import apprise  # takes a while, and only this form and the sending program need it

        address: str = self.cleaned_data["apprise_address"].strip()
        if address and not is_allowed(address):
            raise forms.ValidationError("mindX does not send to this service, or not with these options.")
        if address and apprise.Apprise.instantiate(address) is None:
            raise forms.ValidationError("apprise knows no service with such an address.")
        return address
