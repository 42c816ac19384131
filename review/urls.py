"""Addresses of the review pages."""

from __future__ import annotations

from django.urls import path

from review.views import (
    assign,
    decide,
    edit,
    extend,
    filters,
    held,
    journal,
    levels,
    notices,
    plan,
    policies,
    queue,
    talk,
)

urlpatterns = [
    path("", queue.queue_page, name="review"),
    path("assign/", assign.assign, name="review-assign"),
    path("filters/", filters.save, name="review-filters"),
    path("filters/<int:pk>/delete/", filters.delete, name="review-filter-delete"),
    path("audit/", journal.journal, name="review-audit"),
    path("notices/", notices.notices, name="review-notices"),
    path("notices/read/", notices.read_all, name="review-notices-read"),
    path("notices/choice/", notices.choose, name="review-notices-choice"),
    path("notices/<int:pk>/", notices.follow, name="review-notice"),
    path("levels/", levels.listing, name="review-levels"),
    path("levels/<int:pk>/", levels.one, name="review-level"),
    path("levels/<int:pk>/decide/", levels.decide, name="review-level-decide"),
    path("levels/<int:pk>/compare/<int:number>/", levels.compare, name="review-level-compare"),
    path("<int:pk>/", plan.plan_page, name="review-plan"),
    path("<int:pk>/standing/", plan.standing, name="review-standing"),
    path("<int:pk>/shadow/", plan.shadow_run, name="review-shadow"),
    path("<int:pk>/try-again/", decide.try_again, name="review-try-again"),
    path("<int:pk>/compare/<int:revision>/", plan.compare, name="review-compare"),
    path("<int:pk>/extend/", extend.extend, name="review-extend"),
    path("<int:pk>/say/", talk.say, name="review-say"),
    path("<int:pk>/contradict/", talk.contradict, name="review-contradict"),
    path("<int:pk>/comments/<int:comment_id>/", talk.settle, name="review-settle"),
    path("<int:pk>/questions/<int:comment_id>/answer/", talk.answer, name="review-answer"),
    path("<int:pk>/edit/<int:position>/", edit.edit, name="review-edit"),
    path("<int:pk>/held/<int:held_id>/", held.held, name="review-held"),
    path("<int:pk>/held/<int:held_id>/undo/", held.undo, name="review-undo"),
    path("<int:pk>/decide/", decide.decide, name="review-decide"),
    path("<int:pk>/withdraw/", decide.withdraw, name="review-withdraw"),
    path("<int:pk>/second/", decide.second, name="review-second"),
    path("policies/", policies.listing, name="policies"),
    path("policies/new/", policies.new, name="policy-new"),
    path("policies/<int:pk>/", policies.one, name="policy"),
    path("policies/<int:pk>/edit/", policies.edit, name="policy-edit"),
    path("policies/<int:pk>/<str:act>/", policies.act, name="policy-act"),
]
