"""All routers of the API, composed under one address each."""

from mindx_web.api import health, insights, standstill, taught, tuning, workspaces
from mindx_web.api.agents import (
    agents,
    backlog,
    bus,
    environment_policies,
    environments,
    mastermind,
    mcp_servers,
    states,
)
from mindx_web.api.goals import beliefs, designs, generations, goals, hand_commands, hands, levels, questions
from mindx_web.api.library import (
    candidates,
    components,
    evolution,
    experiences,
    memory,
    model_calls,
    searches,
    trials,
    workflows,
)
from mindx_web.api.protocol.body import StrictParser
from mindx_web.api.protocol.composition import Api
from mindx_web.api.review import inbox, intent_plans, intents, policies, shadow, talk

api = Api(
    title="mindX",
    version="1",
    description="Give goals to agents, review their plans, follow the work. See docs/api.md.",
    docs_url=None,
    parser=StrictParser(),
)
api.add_router("goals", goals.router)
api.add_router("goals", generations.router)
api.add_router("goals", hand_commands.router)
api.add_router("goals", questions.router)
api.add_router("goals", hands.goals)
api.add_router("hands", hands.router)
api.add_router("workspaces", workspaces.router)
api.add_router("intent-plans", intent_plans.router)
api.add_router("intent-plans", shadow.router)
api.add_router("intent-plans", talk.router)
api.add_router("goals", levels.designs)
api.add_router("levels", levels.router)
api.add_router("policies", policies.router)
api.add_router("inbox", inbox.router)
api.add_router("intents", intents.router)
api.add_router("experiences", experiences.router)
api.add_router("memory", memory.router)
api.add_router("components", components.router)
api.add_router("candidates", candidates.router)
api.add_router("workflows", workflows.router)
api.add_router("designs", designs.router)
api.add_router("mcp-servers", mcp_servers.router)
api.add_router("evolution", evolution.router)
api.add_router("searches", searches.router)
api.add_router("trials", trials.router)
api.add_router("states", states.router)
api.add_router("environments", environments.router)
api.add_router("environments/policies", environment_policies.router)
api.add_router("agents", agents.router)
api.add_router("bus", bus.router)
api.add_router("goals", beliefs.router)
api.add_router("mastermind", mastermind.router)
api.add_router("backlog", backlog.router)
api.add_router("insights", insights.router)
api.add_router("model-calls", model_calls.router)
# Before `tuning/{id}`, which would match its address too.
api.add_router("tuning", taught.router)
api.add_router("tuning", tuning.router)
api.add_router("standstill", standstill.router)
api.add_router("health", health.router)

__all__ = ["api"]
