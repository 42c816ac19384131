"""Addresses of workflows."""

from django.urls import path

from agents.views.library import workflow_editor, workflows

urlpatterns = [
    path("", workflows.listing, name="workflows"),
    path("new/", workflow_editor.new, name="workflow-new"),
    path("check/", workflow_editor.check, name="workflow-check"),
    path("<int:pk>/", workflows.detail, name="workflow"),
    path("<int:pk>/edit/", workflow_editor.edit, name="workflow-edit"),
    path("<int:pk>/evolve/", workflows.ask_model, name="workflow-evolve"),
    path("<int:pk>/search/", workflows.search, name="workflow-search"),
    path("<int:pk>/versions/<int:version>/process/", workflows.process, name="workflow-process"),
    path("<int:pk>/versions/<int:version>/define/", workflows.define, name="workflow-define"),
    path("<int:pk>/versions/<int:version>/<str:move>/", workflows.move, name="workflow-version"),
]
