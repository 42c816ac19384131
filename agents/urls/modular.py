"""Addresses of modular agents."""

from django.urls import path

from agents.views import modular

urlpatterns = [
    path("", modular.listing, name="modular"),
    path("new/", modular.new, name="modular-new"),
    path("advice/", modular.advise, name="modular-advice"),
    path("<int:pk>/", modular.run, name="modular-run"),
    path("<int:pk>/do/", modular.act, name="modular-do"),
    path("<int:pk>/answer/", modular.answer, name="modular-answer"),
    path("<int:pk>/branch/", modular.branch, name="modular-branch"),
    path("<int:pk>/compare/", modular.compare, name="modular-compare"),
    path("<int:pk>/export/", modular.export, name="modular-export"),
]
