"""Addresses of plan rules."""

from django.urls import path

from agents.views import rules

urlpatterns = [
    path("", rules.listing, name="rules"),
    path("new/", rules.new, name="rule-new"),
    path("check/", rules.check, name="rule-check"),
    path("<int:pk>/", rules.detail, name="rule"),
    path("<int:pk>/edit/", rules.edit, name="rule-edit"),
    path("<int:pk>/versions/<int:version>/<str:move>/", rules.move, name="rule-version"),
]
