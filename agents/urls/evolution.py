"""Addresses of evolution."""

from django.urls import path

from agents.views.tuning import evolution, version_trials

urlpatterns = [
    path("", evolution.evolution, name="evolution"),
    path("grant", evolution.grant, name="evolution-grant"),
    path("trials/", version_trials.listing, name="version-trials"),
    path("trials/new", version_trials.new, name="version-trial-new"),
    path("trials/<int:pk>/", version_trials.trial, name="version-trial"),
    path("trials/<int:pk>/stop", version_trials.stop, name="version-trial-stop"),
    path("<int:pk>/dismiss", evolution.dismiss, name="evolution-dismiss"),
    path("<int:pk>/restore", evolution.restore, name="evolution-restore"),
]
