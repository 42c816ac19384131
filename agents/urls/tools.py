"""Addresses of the pages that explain the tools."""

from django.urls import path

from agents.views import tools

urlpatterns = [
    path("", tools.listing, name="tools"),
    path("<slug:name>/", tools.detail, name="tool"),
]
