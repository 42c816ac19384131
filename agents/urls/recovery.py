"""Addresses of recovery: what helps, the failures behind it, and the rules that class them."""

from django.urls import path

from agents.views.tuning import recovery

urlpatterns = [
    path("", recovery.board, name="recovery"),
    path("reset", recovery.reset, name="recovery-reset"),
    path("reset/<int:pk>/back", recovery.take_back, name="recovery-reset-back"),
    path("failures/", recovery.failures, name="recovery-failures"),
    path("failures/<int:pk>/class", recovery.correct, name="recovery-correct"),
    path("time/", recovery.over_time, name="recovery-time"),
    path("rules/", recovery.rules, name="recovery-rules"),
    path("rules/<int:pk>/switch", recovery.switch, name="recovery-rule-switch"),
]
