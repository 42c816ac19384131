"""Wake-ups. A task takes an id and calls one service; losing every message delays, doubling them does nothing."""

from __future__ import annotations

from celery import shared_task

from agents.bus import answering, retention, settling, vectors
from agents.coordinator import backlog_sources, backlog_taking
from agents.cycle import cycle
from agents.evolution import replaying
from agents.evolution.ab_trials import version_trials
from agents.evolution.activation import prompt_canaries, rollouts, tool_checks
from agents.evolution.auditing import proposing
from agents.evolution.candidates import searches, searching, starting
from agents.evolution.replays import replays
from agents.execution import shadow as shadow_run
from agents.execution import sweep_parts, waits
from agents.foreign_tools import listing
from agents.frameworks import runs
from agents.hands import typed
from agents.insights import insight_cases
from agents.modular import working as modular_working
from agents.plans import report_filing, stray_plans
from agents.record import log_retention
from agents.simulations import training
from agents.simulations import working as environment_working
from agents.workspaces import snapshot_maintenance
from sandbox.analysis import kit


@shared_task(name="agents.work")
def work(goal_id: int | None = None) -> None:
    """Go on with this goal if it can, then with whatever else is waiting."""
    cycle.work(goal_id)


@shared_task(name="agents.shadow")
def shadow(run_id: int | None = None) -> None:
    """Try a plan in a copy, if somebody still waits for what it says."""
    shadow_run.work(run_id)


@shared_task(name="agents.replay")
def replay(replay_id: int | None = None) -> None:
    """Replay a candidate beside its parent, if nobody does."""
    replaying.work(replay_id)


@shared_task(name="agents.search_candidate")
def search_candidate(search_id: int | None = None) -> None:
    """Search for a better version of a component, if nobody does."""
    searching.work(search_id)


@shared_task(name="agents.modular")
def modular(run_id: int | None = None) -> None:
    """Go on with a run of a modular agent, if nobody does."""
    modular_working.work(run_id)


@shared_task(name="agents.environment_run")
def environment_run(run_id: int | None = None) -> None:
    """Go on with a run in an environment, if nobody does."""
    environment_working.work(run_id)


@shared_task(name="agents.train_policy")
def train_policy(policy_id: int | None = None) -> None:
    """Train a learned policy, if nobody does."""
    training.work(policy_id)


@shared_task(name="agents.check_tool")
def check_tool(version_id: int) -> None:
    """Run the trials of a tool's version, if nobody does."""
    tool_checks.work(version_id)


@shared_task(name="agents.bus_request")
def bus_request(request_id: int | None = None) -> None:
    """Answer a request of the bus, if nobody does, and end what was not answered in time."""
    settling.expire_now_and_then()
    answering.work(request_id)


@shared_task(name="agents.embed_members")
def embed_members() -> None:
    """Embed what members of the bus say of themselves."""
    vectors.embed_missing()


@shared_task(name="agents.list_mcp_tools")
def list_mcp_tools(server_id: int) -> None:
    """List the tools of an MCP server, if nobody does."""
    listing.work(server_id)


@shared_task(name="agents.sweep")
def sweep() -> None:
    """Find what no wake-up reached."""
    # Stray plans first, so that what waited for their files is found at once.
    sweep_parts.each(
        stray_plans.sweep,
        waits.sweep,
        cycle.sweep,
        runs.sweep,
        typed.sweep,
        report_filing.sweep,
        replays.sweep,
        rollouts.sweep,
        prompt_canaries.sweep,
        version_trials.sweep,
        searches.sweep,
        modular_working.sweep,
        environment_working.sweep,
        training.sweep,
        tool_checks.sweep,
        settling.sweep,
        listing.sweep,
    )


@shared_task(name="agents.typed_command")
def typed_command(command_id: int) -> None:
    """Carry out a command typed by hand, if nobody has begun it."""
    typed.work(command_id)


@shared_task(name="agents.prune_snapshots")
def prune_snapshots() -> None:
    """Let go of snapshots that nobody needs, and of analysers of versions that nobody runs."""
    snapshot_maintenance.prune_daily()
    kit.prune()


@shared_task(name="agents.keep_logs")
def keep_logs() -> None:
    """Make room for the logs of goals to come, and let go of those that are old enough, as of the bus's own."""
    log_retention.keep()
    retention.keep()


@shared_task(name="agents.add_up_days")
def add_up_days() -> None:
    """Add up what the insights count of the days that are over."""
    insight_cases.add_up_days()
    insight_cases.join_recoveries()


@shared_task(name="agents.tend_backlog")
def tend_backlog() -> None:
    """Look at what came of wishes that were taken up, and put what analyses found into the backlog."""
    backlog_taking.settle()
    backlog_sources.take_findings()


@shared_task(name="agents.note_failures")
def note_failures() -> None:
    """Put what keeps failing into the backlog."""
    backlog_sources.note_failures()


@shared_task(name="agents.audit")
def audit() -> None:
    """Look through the past for what should change, and begin what may be begun without a person."""
    proposing.refresh()
    starting.run()
