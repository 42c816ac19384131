"""Addresses of tuning: what counts, one of them with its history, and the way back."""

from django.urls import path

from agents.views import tuning

urlpatterns = [
    path("", tuning.tuning, name="tuning"),
    path("<slug:kind>/new", tuning.new, name="tuning-new"),
    path("<slug:kind>/<slug:ref>/", tuning.one, name="tuning-one"),
    path("<slug:kind>/<slug:ref>/revert", tuning.revert, name="tuning-revert"),
]
