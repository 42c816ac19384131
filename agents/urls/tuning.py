"""Addresses of tuning: what counts, one of them with its history, and the way back."""

from django.urls import path

from agents.views.tuning import taught, tuning

urlpatterns = [
    path("", tuning.tuning, name="tuning"),
    path("taught/", taught.taught, name="taught"),
    path("taught/<int:pk>/", taught.one, name="taught-one"),
    path("taught/<int:pk>/take-back", taught.take_back, name="taught-take-back"),
    path("taught/<int:pk>/promote", taught.promote, name="taught-promote"),
    path("<slug:kind>/new", tuning.new, name="tuning-new"),
    path("<slug:kind>/<slug:ref>/", tuning.one, name="tuning-one"),
    path("<slug:kind>/<slug:ref>/revert", tuning.revert, name="tuning-revert"),
]
