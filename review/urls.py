"""Addresses of the review pages."""

from __future__ import annotations

from django.urls import path

from review.views import decide, extend, journal, notices, plan, queue

urlpatterns = [
    path("", queue.queue_page, name="review"),
    path("audit/", journal.journal, name="review-audit"),
    path("notices/", notices.notices, name="review-notices"),
    path("notices/read/", notices.read_all, name="review-notices-read"),
    path("notices/choice/", notices.choose, name="review-notices-choice"),
    path("notices/<int:pk>/", notices.follow, name="review-notice"),
    path("<int:pk>/", plan.plan_page, name="review-plan"),
    path("<int:pk>/standing/", plan.standing, name="review-standing"),
    path("<int:pk>/shadow/", plan.shadow_run, name="review-shadow"),
    path("<int:pk>/try-again/", decide.try_again, name="review-try-again"),
    path("<int:pk>/compare/<int:revision>/", plan.compare, name="review-compare"),
    path("<int:pk>/extend/", extend.extend, name="review-extend"),
    path("<int:pk>/decide/", decide.decide, name="review-decide"),
]
