"""Addresses of environments."""

from django.urls import path

from agents.views import environments

urlpatterns = [
    path("", environments.listing, name="environments"),
    path("<int:pk>/", environments.run, name="environment-run"),
    path("<int:pk>/rules/", environments.rules, name="environment-rules"),
    path("<int:pk>/do/", environments.act, name="environment-do"),
    path("<int:pk>/answer/", environments.answer, name="environment-answer"),
    path("policies/", environments.policies, name="environment-policies"),
    path("policies/<int:pk>/", environments.policy, name="environment-policy"),
    path("policies/<int:pk>/do/", environments.train, name="environment-policy-do"),
]
