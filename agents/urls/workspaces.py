"""Addresses of workspaces and the files in them."""

from django.urls import path

from agents.views.workspaces import files, workspace_history, workspaces

urlpatterns = [
    path("", workspaces.every, name="workspaces"),
    path("<slug:name>/", workspaces.folder, name="workspace"),
    path("<slug:name>/upload", workspaces.upload, name="workspace-upload"),
    path("<slug:name>/archive", files.archive, name="workspace-archive"),
    path("<slug:name>/history/", workspace_history.timeline, name="workspace-history"),
    path("<slug:name>/history/compare/", workspace_history.compare, name="workspace-compare"),
    path("<slug:name>/history/<slug:digest>/back/", workspace_history.back, name="workspace-back"),
    path("<slug:name>/folder/<path:path>", workspaces.folder, name="workspace-folder"),
    path("<slug:name>/file/<path:path>", files.view, name="workspace-file"),
    path("<slug:name>/download/<path:path>", files.download, name="workspace-download"),
    path("<slug:name>/image/<path:path>", files.image, name="workspace-image"),
    path("<slug:name>/delete/<path:path>", files.delete, name="workspace-delete"),
]
