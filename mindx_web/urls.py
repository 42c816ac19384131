"""All addresses. Pages first, then the API; names are stable handles."""

from django.contrib import admin
from django.urls import include, path

from mindx_web.api.routers import api
from mindx_web.interop.a2a import views as a2a
from mindx_web.views import bus, icon, insights, metrics, mind, overview, recorded_calls

urlpatterns = [
    path("", overview.overview, name="overview"),
    path("", include("people.urls")),
    path("goals/", include("agents.urls.goals")),
    path("goals/", include("agents.urls.goal")),
    path("workspaces/", include("agents.urls.workspaces")),
    path("rules/", include("agents.urls.rules")),
    path("evolution/", include("agents.urls.evolution")),
    path("library/", include("agents.urls.library")),
    path("agents/", include("agents.urls.agents")),
    path("workflows/", include("agents.urls.workflows")),
    path("modular/", include("agents.urls.modular")),
    path("environments/", include("agents.urls.environments")),
    path("bus/", bus.members, name="bus"),
    path("bus/requests/", bus.listing, name="bus-requests"),
    path("bus/requests/ask/", bus.ask, name="bus-ask"),
    path("bus/requests/<int:pk>/", bus.one, name="bus-request"),
    path("bus/requests/<int:pk>/<str:what>/", bus.act, name="bus-request-act"),
    path("bus/log/", bus.log, name="bus-log"),
    path("bus/breakers/", bus.guards, name="bus-breakers"),
    path("bus/breakers/settings/", bus.change, name="bus-settings"),
    path("bus/breakers/<int:pk>/close/", bus.close, name="bus-breaker-close"),
    path("mastermind/", include("agents.urls.mastermind")),
    path("tools/", include("agents.urls.tools")),
    path("recovery/", include("agents.urls.recovery")),
    path("tuning/", include("agents.urls.tuning")),
    path("memory/", include("library.urls")),
    path("review/", include("review.urls")),
    path("inbox/", include("review.inbox_urls")),
    path("insights/", insights.insights, name="insights"),
    path("insights/mind/", mind.mind, name="insights-mind"),
    path("insights/mind/corrections/", mind.corrections, name="insights-corrections"),
    path("insights/mind/plannings/", mind.plannings, name="insights-plannings"),
    path("insights/mind/recoveries/", mind.recoveries, name="insights-recoveries"),
    path("insights/models/", insights.models, name="insights-models"),
    path("insights/models/calls/", insights.calls, name="insights-calls"),
    path("insights/models/calls/<int:pk>/", recorded_calls.one, name="insights-call"),
    path("insights/models/calls/<int:pk>/again/", recorded_calls.again, name="insights-call-again"),
    path("admin/", admin.site.urls),
    path("api/v1/", api.urls),
    path(".well-known/agent-card.json", a2a.agent_card, name="agent-card"),
    path("a2a/", a2a.endpoint, name="a2a"),
    path("metrics", metrics.metrics, name="metrics"),
    path("favicon.ico", icon.favicon),
]

handler400 = "mindx_web.views.errors.bad_request"
handler403 = "mindx_web.views.errors.forbidden"
handler404 = "mindx_web.views.errors.not_found"
handler500 = "mindx_web.views.errors.server_error"
