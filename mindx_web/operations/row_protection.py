"""What a row written with the application's database role alone could do, and what stops it: for each model one line.

A new model needs its line here (a test checks that), and with it the decision: sealed (`people.sealing`), append-only
(`mindx_web.operations.grants`), or neither, for the reason given here. `manage.py row_protection` prints the
tables of docs/why/security.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum

from django.apps import apps
from django.db.models import Model

from mindx_web.operations.grants import is_append_only
from people import sealing


class How(StrEnum):
    """How rows of a kind are protected."""

    SEALED = "Sealed"
    ADDED_TO = "Only added to"
    NEITHER = "Neither"


# What a false row could do, and what stops it.
Line = tuple[str, str]

_SHOWN = "it is shown only; nothing is made of it"
_REVIEWED = "the plan that comes of it is shown whole, and reviewed"
_SETTING = "no unapproved plan runs because of it"
_STEP = "only approved steps run, in their jail; sealing it would cost each step a statement"
_CHAIN = "a false one breaks the chain, counts for nothing and is named"
_LIBRARY = "mindX does not use it"
LINES: Mapping[str, Line] = {
    # -- people
    "people.User": (
        "somebody logs in as a reviewer, or becomes one",
        "login, roles, password and whether it is active; a login without its seal is refused, also in open sessions"
        " and for its tokens, and policies approve nothing of or for such a person. The e-mail address is not sealed",
    ),
    "people.ApiToken": (
        "the attacker's own token decides as somebody else",
        "sealed when it is made; the seal becomes invalid when it is revoked",
    ),
    "people.ExternalLogin": (
        "a person of the sign-in provider logs in as an admin",
        "sealed when a first sign-in creates the person, when a person connects their account, and with the roles that"
        " groups give; the seal becomes invalid when it is disconnected",
    ),
    "people.AnsweredRequest": (
        "a program that sends a request again is told that something was decided",
        "sealed with the answer; any other is refused with 409",
    ),
    "people.RateLimit": ("somebody may try more often", "passwords are slow to try, and failures are in the journal"),
    "people.RowSeal": ("a row looks sealed", "it is an HMAC with a key outside the database"),
    # -- library
    "library.Component": ("a component has another name", "the seals of its versions cover kind and name"),
    "library.ComponentVersion": (
        "a tool, rule, prompt or workflow is used that nobody put to use",
        "sealed when it is written and when it is put to use or out of it, with its body, status and whoever wrote it;"
        " without its seal it is left out, and cannot be activated",
    ),
    "library.Experience": ("a plan follows another example", _REVIEWED),
    "library.ExperienceRating": ("a search ranks otherwise", _SHOWN),
    "library.ExperienceCorrection": ("a plan follows another example", _REVIEWED),
    "library.ExperienceSummary": ("a summary says something else", _REVIEWED),
    "library.EntailmentVerdict": ("a rule applies, or does not", _REVIEWED),
    "library.MemoryOff": ("an agent plans with or without memory", _SETTING),
    "library.ModelCall": ("a recorded request says something else", "replays count only cases that are sealed"),
    "library.ModelDay": ("a budget looks used up, or free", "it costs money, and nothing is approved by it"),
    # -- agents: who acts
    "agents.Agent": (
        "an agent is resumed, may use other tools, or has the name that a policy's condition asks for",
        "a plan needs an approval still; conditions by name are not protected",
    ),
    "agents.AgentCommitment": ("an agent gives up sooner or later", _SETTING),
    "agents.Deed": ("a step that changes an agent seems to be done", _SETTING),
    "agents.Standstill": ("what was paused goes on", _SETTING),
    "agents.ToolLimit": ("a step may use more time or memory", _SETTING),
    "agents.Workspace": (
        "files are shown to another person, or a plan runs on other stored files",
        "an approved plan that has not started goes back to review, and a policy goes by the name in the plan. Who owns"
        " it is not protected",
    ),
    "agents.WorkspaceChange": ("the history of a workspace says something else", _SHOWN),
    # -- goals and plans
    "agents.Goal": (
        "a policy approves a plan for a person who did not ask",
        "sealed when it is submitted; policies approve nothing else, and no goal is made for another one without it",
    ),
    "agents.SubGoal": (
        "a worker makes a goal in the name of the goal's person of a text that no plan held",
        "sealed by the worker that runs the approved step; of one without its seal, or below a goal without one,"
        " nothing is made, and the goal fails",
    ),
    "agents.Plan": ("a plan looks as if another source had made it", "policies ask for the seal of the plan below"),
    "agents.IntentPlan": (
        "a policy approves a plan that mindX did not make; another one runs, or unapproved",
        "sealed when it is proposed; a trigger protects its bytes, and the gate asks for an approval at every claim."
        " That an approved one has ended is not sealed",
    ),
    "agents.ShadowRun": (
        "a policy approves a plan after a dry run that never happened",
        "sealed by the worker that made it",
    ),
    "agents.LevelDocument": (
        "a goal is planned with a design or rules that nobody approved",
        "sealed when it is approved; without its seal a design stops its goal, and a choice of rules is made again",
    ),
    "agents.Transition": ("the history of a goal says something else", _SHOWN),
    "agents.Planning": ("how a plan came about is told otherwise", _SHOWN),
    "agents.Generation": ("how a plan came about is told otherwise", _SHOWN),
    "agents.Belief": ("a goal is planned otherwise", _REVIEWED),
    "agents.Correction": ("a goal is planned otherwise", _REVIEWED),
    "agents.Lesson": ("values are filled in otherwise", "the plan shows them with their origin"),
    "agents.PathMapping": ("values are filled in otherwise", "the plan shows them with their origin"),
    "agents.ParameterRule": ("values are filled in otherwise", "the plan shows them with their origin"),
    "agents.ParameterSettings": ("values are filled in otherwise", "the plan shows them with their origin"),
    "agents.EntailmentThresholds": ("a rule applies, or does not", _REVIEWED),
    # -- running
    "agents.Intent": ("a step is skipped, runs again, or gets a false result", _STEP),
    "agents.Attempt": ("a step is skipped, runs again, or gets a false result", _STEP),
    "agents.StepReport": ("a step is skipped, runs again, or gets a false result", _STEP),
    "agents.TerminalSession": ("the terminal has another folder, variables or autonomous mode", _STEP),
    "agents.HandCommand": (
        "a worker runs what nobody typed, or runs it again",
        "sealed when it is typed; the seal becomes invalid when a worker starts it, and a trigger protects the text",
    ),
    "agents.Duty": ("a sweep does not run, or runs twice", "each thing that a sweep does is done once by its own row"),
    "agents.LogCounter": ("lines of a log are numbered otherwise", _SHOWN),
    "agents.LogLine": ("a log says something else", _SHOWN),
    "agents.LogExpiry": ("a log seems to be older", _SHOWN),
    # -- recovery
    "agents.RecoveryAttempt": ("another strategy is chosen", "only what the approval grants is done"),
    "agents.RecoveryPolicy": ("another strategy is chosen", "only what the approval grants is done"),
    "agents.RecoverySetting": ("another strategy is chosen", "only what the approval grants is done"),
    "agents.RecoveryReset": ("another strategy is chosen", "only what the approval grants is done"),
    "agents.RecoveryStatistic": ("another strategy is chosen", "only what the approval grants is done"),
    "agents.RecoveryDay": ("a chart shows something else", _SHOWN),
    "agents.FailureRule": ("a failure counts as of another kind", "only what the approval grants is done"),
    "agents.FailureRecord": ("a failure counts as of another kind", "only what the approval grants is done"),
    "agents.ClassCorrection": ("a failure counts as of another kind", "only what the approval grants is done"),
    "agents.TurnFailure": ("a goal is given up sooner or later", "it then waits for a person"),
    "agents.HandItem": (
        "somebody seems to have answered for a step that failed",
        "the answer takes effect in the request that gives it, and is in the log; nothing reads it later",
    ),
    # -- agents of models
    "agents.ModularRun": (
        "a call is proposed for another person, in other files",
        "sealed when it is made, given an answer and moved to another state; without its seal it pauses",
    ),
    "agents.ModularWant": (
        "a call is proposed with an answer that nobody gave",
        "sealed when it is made and answered; without its seal no call is proposed",
    ),
    "agents.ModularStep": ("a state is added to a run", "the run's seal says at which it stands"),
    "agents.ModularNode": ("a node is added to a state", "the run's seal says at which state it stands"),
    "agents.FrameworkRun": (
        "an agent goes on from a conversation that it never had",
        "sealed whenever it stands still; without its seal a person is asked",
    ),
    "agents.FrameworkCall": (
        "a call is proposed that no agent made, or for another person's goal",
        "sealed with the goal when it is made; without its seal no goal is made of it",
    ),
    "agents.EnvironmentRun": ("a worker acts in somebody else's name", "sealed when somebody asks for it"),
    "agents.EnvironmentAction": ("an action that was not done is shown", _SHOWN),
    "agents.EnvironmentPolicy": ("a worker trains what nobody asked for", "sealed when somebody asks for it"),
    "agents.EnvironmentEpisode": ("a chart shows something else", _SHOWN),
    # -- the society
    "agents.BusMember": (
        "a request goes to another member",
        "agents and tools are registered anew from what they are; the goal that is made is planned and reviewed",
    ),
    "agents.BusCapability": ("a request goes to another member", "the goal that is made is planned and reviewed"),
    "agents.BusBreaker": ("a request goes to another member", "the goal that is made is planned and reviewed"),
    "agents.BusRequest": (
        "a member acts for another person",
        "sealed when it is asked; without its seal it is refused",
    ),
    "agents.BusAnswer": (
        "a step goes on with an answer that nobody gave, or a person reads one",
        "sealed by the worker that stores it, with the member that gave it; no other is used or told",
    ),
    "agents.BusEntry": ("the log of the bus says something else", _SHOWN),
    "agents.BusSettings": ("members may call each other more often", _SETTING),
    "agents.AgentTask": ("another system asks about a goal by another id", "whoever asks needs the rights on the goal"),
    "agents.ForeignAgent": ("the page shows another address", "its tool is asked, and that is a sealed version"),
    "agents.CardReading": (
        "an agent elsewhere is registered in somebody else's name",
        "sealed when somebody asks for it",
    ),
    "agents.McpServer": (
        "a worker starts another command, in somebody else's name",
        "sealed when a listing is asked for",
    ),
    "agents.GivenCommand": (
        "what an analysis found becomes wishes in somebody else's name",
        "sealed when it is given; no other is looked at",
    ),
    "agents.BacklogItem": (
        "a goal is made of a wish that nobody approved",
        "sealed with its state whenever that changes; of no other a goal is made",
    ),
    "agents.BacklogTry": ("a try of a wish seems to have ended otherwise", "the wish moves only with its seal"),
    "agents.BacklogRules": ("more wishes are taken up in a day", "each was approved, and its plan is reviewed"),
    "agents.BacklogLift": ("the backlog goes on although a rule stopped it", "each wish was approved"),
    # -- evolution
    "agents.EvolvedCopy": (
        "a version of another component is written in somebody's name",
        "sealed when the goal is given, and with the text that waits; of no other a version is written",
    ),
    "agents.Rollout": (
        "a version that was never used is put back",
        "sealed when it begins and ends; no other is watched, and none puts anything back",
    ),
    "agents.Replay": ("a worker runs code that nobody asked for", "sealed when somebody asks for it"),
    "agents.ReplayCase": (
        "a candidate that breaks goals seems to break none",
        "sealed when both sides were tried; a verdict counts no other. That one is missing is not noticed",
    ),
    "agents.CandidateSearch": ("a worker asks models in somebody else's name", "sealed when somebody asks for it"),
    "agents.EvolutionProposal": ("another component seems to fail", "a candidate comes of it at most; people decide"),
    "agents.EvolutionGrant": (
        "a model is asked for candidates that nobody granted",
        "sealed by whoever grants it; there is one row, and older ones are void",
    ),
    "agents.EvolutionStart": (
        "a day's number looks used up, or free",
        "a candidate comes of it at most; people decide",
    ),
    "agents.ToolCheck": (
        "a worker runs code that nobody asked it to, or a tool is put to use whose trials never passed",
        "sealed when trials are asked for and when they have run",
    ),
    "agents.CountedUse": ("a use counts twice", _SHOWN),
    "agents.VersionTrial": (
        "a trial that nobody began ends another one's canary",
        "sealed when it begins and ends; no other is looked at",
    ),
    "agents.VersionTrialCase": ("a trial ends with another verdict", "it puts no version to use; people decide"),
    "agents.MindDay": ("a chart shows something else", _SHOWN),
    "agents.DaySoFar": ("a chart shows something else", _SHOWN),
    # -- review
    "review.Decision": ("a decision that nobody made", _CHAIN),
    "review.Approval": ("a plan runs that nobody approved", "it has a MAC of its own, which the gate checks"),
    "review.HeldDecision": (
        "a worker makes it a real decision of the person it names",
        "sealed by the request that made it; without its seal it is dropped, and the journal records that. Undo, a"
        " newer decision and carrying it out invalidate the seal",
    ),
    "review.InboxRequest": (
        "a program is told that a person approved its call",
        "sealed when it is received and when it is decided; a decision is told only as it stands in the journal, too",
    ),
    "review.TypedEvent": ("a command seems to have been typed", _CHAIN),
    "review.AuditEntry": ("somebody seems to have done something", _CHAIN),
    "review.ReviewPolicy": (
        "a worker approves plans in the owner's name, or code of tools that they never saw, or a forbidden plan passes",
        "sealed with every change that a person makes, with the bodies of tools that its owner looked at: it approves"
        " no other ones (decision 57); without its seal it approves nothing and asks for a person at every plan, and"
        " what it forbids stays forbidden",
    ),
    "review.PolicyVersion": ("a policy approves on other conditions", "sealed when a person writes it"),
    "review.PolicyDay": (
        "a policy approves more plans in a day than its budget",
        "decisions are counted too, and these cannot be deleted",
    ),
    "review.PolicyChange": ("the history of a policy says something else", "the journal has it, too"),
    "review.PolicyEvaluation": ("a verdict of the policies is shown otherwise", _SHOWN),
    "review.PlanRisk": ("a plan seems less dangerous", "the page shows the plan's own bytes"),
    "review.PlanNews": ("a plan is looked at once more", "looking changes nothing"),
    "review.QueueEntry": ("a plan is far back in the queue", _SHOWN),
    "review.Comment": (
        "somebody seems to have commented; one that keeps a policy from approving is gone",
        "a plan made of it is reviewed; its deletion is not noticed",
    ),
    "review.Answer": ("somebody seems to have answered", _REVIEWED),
    "review.RoundLimit": ("a plan may be sent back more often", _SETTING),
    "review.TimeLimit": ("a plan may wait longer", _SETTING),
    "review.ReviewClock": ("a plan may wait longer", _SETTING),
    "review.LevelTold": ("somebody is told twice, or not", _SHOWN),
    "review.PlanTold": ("somebody is told twice, or not", _SHOWN),
    "review.Notice": ("somebody reads something else", "it is sent elsewhere only as it was sealed"),
    "review.NoticeChoice": (
        "somebody's notices are sent to another address",
        "sealed when its person saves it; connections to internal addresses are refused",
    ),
    "review.Delivery": (
        "a text that mindX did not write is sent by its mail server",
        "sealed with the notice's text when it is put on its way",
    ),
    "review.SavedFilter": ("a filter shows other plans", _SHOWN),
    # -- of others
    "account.EmailAddress": ("an address counts as confirmed", "sign-in asks the provider and `ExternalLogin`"),
    "account.EmailConfirmation": ("an address counts as confirmed", "sign-in asks the provider and `ExternalLogin`"),
    "socialaccount.SocialApp": ("another provider is asked", "providers come from the settings"),
    "socialaccount.SocialAccount": ("somebody else's account is connected", "`ExternalLogin` is asked"),
    "socialaccount.SocialToken": ("another token is stored", _LIBRARY),
    "sessions.Session": (
        "a session is somebody else's",
        "the table has only a keyed hash of the cookie, and its content is signed for that cookie",
    ),
    "admin.LogEntry": ("a change seems to have been made", "the journal has changes by people"),
    "auth.Permission": ("somebody has another permission", "rights are roles, which `User` seals"),
    "auth.Group": ("somebody has another permission", "rights are roles, which `User` seals"),
    "contenttypes.ContentType": ("a kind has another name", _LIBRARY),
}


def how(model: type[Model]) -> How:
    """How rows of the model are protected."""
    if sealing.fields_of(model):
        return How.SEALED
    return How.ADDED_TO if is_append_only(model) else How.NEITHER


def tables() -> Iterator[str]:
    """The tables of docs/why/security.md, as lines of Markdown."""
    named = {model._meta.label: model for model in apps.get_models()}
    for kind in How:
        yield from (f"### {kind}", "", "| row | what a false one could do | what stops it |", "|---|---|---|")
        for label, (could, stops) in LINES.items():
            if label in named and how(named[label]) is kind:
                yield f"| `{named[label].__name__}` | {could} | {stops} |"
        yield ""
