"""Addresses of one goal: its parts, its log, its actions."""

from django.urls import path

from agents.views.goals import answer, beliefs, by_hand, design, goal, hand, reports, session, terms

urlpatterns = [
    path("<int:pk>/", goal.live, name="goal"),
    path("<int:pk>/state", goal.state, name="goal-state"),
    path("<int:pk>/plans/", goal.plans, name="goal-plans"),
    path("<int:pk>/beliefs/", goal.beliefs, name="goal-beliefs"),
    path("<int:pk>/beliefs/tell", beliefs.tell, name="goal-belief-tell"),
    path("<int:pk>/beliefs/<int:belief>/deny", beliefs.deny, name="goal-belief-deny"),
    path("<int:pk>/beliefs/<int:belief>/retract", beliefs.retract, name="goal-belief-retract"),
    path("<int:pk>/beliefs/<int:belief>/back", goal.put_back, name="goal-belief-back"),
    path("<int:pk>/attempts/", goal.attempts, name="goal-attempts"),
    path("<int:pk>/files/", goal.files, name="goal-files"),
    path("<int:pk>/session/", session.session, name="goal-session"),
    path("<int:pk>/session/commands", session.type_in, name="goal-type-in"),
    path("<int:pk>/session/commands/<int:command>/cancel", session.cancel, name="goal-type-cancel"),
    path("<int:pk>/decisions/", goal.decisions, name="goal-decisions"),
    path("<int:pk>/cancel", goal.cancel, name="goal-cancel"),
    path("<int:pk>/terms", terms.terms, name="goal-terms"),
    path("<int:pk>/again", goal.again, name="goal-again"),
    path("<int:pk>/plan-again", goal.plan_again, name="goal-plan-again"),
    path("<int:pk>/again-with-access", goal.again_with_access, name="goal-again-with-access"),
    path("<int:pk>/intents/<int:intent>/outcome", goal.outcome, name="goal-outcome"),
    path("<int:pk>/intents/<int:intent>/report", reports.of_step, name="goal-report"),
    path("<int:pk>/intents/<int:intent>/take-over", reports.take_over, name="goal-take-over"),
    path("<int:pk>/log", goal.log, name="goal-log"),
    path("<int:pk>/log.txt", goal.raw_log, name="goal-log-raw"),
    path("<int:pk>/log/<int:number>.txt", goal.raw_line, name="goal-log-line"),
    path("<int:pk>/answer", answer.answer, name="goal-answer"),
    path("<int:pk>/design", design.send, name="goal-design"),
    path("<int:pk>/hand", hand.hand, name="goal-hand"),
    path("<int:pk>/plan", by_hand.write, name="goal-plan-by-hand"),
    path("<int:pk>/plan/check", by_hand.check, name="goal-plan-check"),
    path("<int:pk>/plan/phrases", by_hand.phrases_like, name="goal-plan-phrases"),
]
