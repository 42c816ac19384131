"""Addresses of the inbox."""

from __future__ import annotations

from django.urls import path

from review.views import inbox

urlpatterns = [
    path("", inbox.listing, name="inbox"),
    path("<int:pk>/", inbox.one, name="inbox-request"),
    path("<int:pk>/decide/", inbox.decide, name="inbox-decide"),
    path("<int:pk>/cancel/", inbox.cancel, name="inbox-cancel"),
]
