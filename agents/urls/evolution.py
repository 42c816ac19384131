"""Addresses of evolution."""

from django.urls import path

from agents.views.tuning import evolution

urlpatterns = [
    path("", evolution.evolution, name="evolution"),
    path("grant", evolution.grant, name="evolution-grant"),
    path("<int:pk>/dismiss", evolution.dismiss, name="evolution-dismiss"),
    path("<int:pk>/restore", evolution.restore, name="evolution-restore"),
]
