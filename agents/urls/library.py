"""Addresses of the library."""

from django.urls import path

from agents.views.library import answer_replays, library, prompts

urlpatterns = [
    path("", library.listing, name="library"),
    path("<int:pk>/", library.detail, name="library-component"),
    path("<int:pk>/versions/<int:version>/when", library.say_when, name="library-when"),
    path("<int:pk>/prompt/", prompts.write, name="library-prompt"),
    path("<int:pk>/evolve/", prompts.ask_model, name="library-prompt-evolve"),
    path("<int:pk>/search/", prompts.search, name="library-prompt-search"),
    path("<int:pk>/versions/<int:version>/replay/", answer_replays.move, name="library-replay"),
    path("<int:pk>/versions/<int:version>/<str:move>/", prompts.move, name="library-prompt-version"),
]
