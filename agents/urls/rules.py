"""Addresses of plan rules."""

from django.urls import path

from agents.views.library import firmware
from agents.views.rules import rule_coverage, rule_editor, rule_files, rule_trying, rules

urlpatterns = [
    path("", rules.listing, name="rules"),
    path("firmware/", firmware.listing, name="firmware"),
    path("firmware/new/", firmware.write, name="firmware-new"),
    path("firmware/<int:version>/<str:move>/", firmware.move, name="firmware-version"),
    path("new/", rule_editor.new, name="rule-new"),
    path("export/", rule_files.export, name="rules-export"),
    path("import/", rule_files.take_in, name="rules-import"),
    path("try/", rule_trying.pair, name="rules-try"),
    path("coverage/", rule_coverage.coverage, name="rules-coverage"),
    path("proposals/", rule_coverage.proposals, name="rules-proposals"),
    path("check/", rule_editor.check, name="rule-check"),
    path("<int:pk>/", rules.detail, name="rule"),
    path("<int:pk>/evolve/", rules.ask_model, name="rule-evolve"),
    path("<int:pk>/search/", rules.search, name="rule-search"),
    path("<int:pk>/edit/", rule_editor.edit, name="rule-edit"),
    path("<int:pk>/versions/<int:version>/<str:move>/", rules.move, name="rule-version"),
]
