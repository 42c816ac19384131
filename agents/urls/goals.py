"""Addresses of the goals' list, the composer and what belongs to both."""

from django.urls import path

from agents.views.goals import goals

urlpatterns = [
    path("", goals.goals, name="goals"),
    path("new/", goals.new, name="goal-new"),
    path("preview/", goals.preview, name="goal-preview"),
    path("examples/<slug:key>/", goals.example, name="goal-example"),
]
