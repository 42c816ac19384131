"""Rows of the mind. Postgres is the only truth: every process that reads them may die at any moment.

States are moved by `agents.record.moves`, by `agents.record.leased` for work under a lease of its own, and by the
executor's statements, nowhere else. `append_only` rows
may be inserted and read by the application's database role, never changed.
"""

from __future__ import annotations

from agents.models.actors import DEFAULT_AGENT, Agent, AgentCommitment, Deed, Standstill, ToolLimit
from agents.models.backlog import BacklogItem, BacklogLift, BacklogRules, BacklogTry
from agents.models.bus import BusBreaker, BusCapability, BusEntry, BusMember, BusRequest, BusSettings
from agents.models.commands import GivenCommand
from agents.models.common import DIGEST_HEX
from agents.models.duties import Duty
from agents.models.environments import EnvironmentAction, EnvironmentEpisode, EnvironmentPolicy, EnvironmentRun
from agents.models.evolution import (
    CandidateSearch,
    CountedUse,
    EvolutionGrant,
    EvolutionProposal,
    EvolutionStart,
    EvolvedCopy,
    Replay,
    ReplayCase,
    Rollout,
    ToolCheck,
)
from agents.models.foreign import McpServer
from agents.models.framework_runs import FrameworkCall, FrameworkRun
from agents.models.generations import Generation
from agents.models.goals import Belief, Goal, Transition
from agents.models.hands import HandCommand
from agents.models.insights import Correction, DaySoFar, MindDay, Planning, RecoveryDay
from agents.models.interop import AgentTask, CardReading, ForeignAgent
from agents.models.levels import LevelDocument
from agents.models.logs import LogCounter, LogExpiry, LogLine
from agents.models.modular import ModularNode, ModularRun, ModularStep, ModularWant
from agents.models.parameters import (
    EntailmentThresholds,
    Lesson,
    ParameterRule,
    ParameterSettings,
    PathMapping,
)
from agents.models.plans import IntentPlan, Plan, ShadowRun
from agents.models.recoveries import (
    ClassCorrection,
    FailureRecord,
    FailureRule,
    HandItem,
    RecoveryPolicy,
    RecoveryReset,
    RecoverySetting,
    RecoveryStatistic,
)
from agents.models.runs import Attempt, Intent, RecoveryAttempt, StepReport, TerminalSession, TurnFailure
from agents.models.sub_goals import SubGoal
from agents.models.version_trials import VersionTrial, VersionTrialCase
from agents.models.workspaces import Workspace, WorkspaceChange

__all__ = [
    "DEFAULT_AGENT",
    "DIGEST_HEX",
    "Agent",
    "AgentCommitment",
    "AgentTask",
    "Attempt",
    "BacklogItem",
    "BacklogLift",
    "BacklogRules",
    "BacklogTry",
    "Belief",
    "BusBreaker",
    "BusCapability",
    "BusEntry",
    "BusMember",
    "BusRequest",
    "BusSettings",
    "CandidateSearch",
    "CardReading",
    "ClassCorrection",
    "Correction",
    "CountedUse",
    "DaySoFar",
    "Deed",
    "Duty",
    "EntailmentThresholds",
    "EnvironmentAction",
    "EnvironmentEpisode",
    "EnvironmentPolicy",
    "EnvironmentRun",
    "EvolutionGrant",
    "EvolutionProposal",
    "EvolutionStart",
    "EvolvedCopy",
    "FailureRecord",
    "FailureRule",
    "ForeignAgent",
    "FrameworkCall",
    "FrameworkRun",
    "Generation",
    "GivenCommand",
    "Goal",
    "HandCommand",
    "HandItem",
    "Intent",
    "IntentPlan",
    "Lesson",
    "LevelDocument",
    "LogCounter",
    "LogExpiry",
    "LogLine",
    "McpServer",
    "MindDay",
    "ModularNode",
    "ModularRun",
    "ModularStep",
    "ModularWant",
    "ParameterRule",
    "ParameterSettings",
    "PathMapping",
    "Plan",
    "Planning",
    "RecoveryAttempt",
    "RecoveryDay",
    "RecoveryPolicy",
    "RecoveryReset",
    "RecoverySetting",
    "RecoveryStatistic",
    "Replay",
    "ReplayCase",
    "Rollout",
    "ShadowRun",
    "Standstill",
    "StepReport",
    "SubGoal",
    "TerminalSession",
    "ToolCheck",
    "ToolLimit",
    "Transition",
    "TurnFailure",
    "VersionTrial",
    "VersionTrialCase",
    "Workspace",
    "WorkspaceChange",
]
