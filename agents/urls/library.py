"""Addresses of the library."""

from django.urls import path

from agents.views import library

urlpatterns = [
    path("", library.listing, name="library"),
    path("<int:pk>/", library.detail, name="library-component"),
    path("<int:pk>/versions/<int:version>/when", library.say_when, name="library-when"),
]
