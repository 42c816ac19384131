"""What the scheduler and the background pool do regularly for agents; each is called by nobody else."""

from __future__ import annotations

from agents.bus import retention, settling, vectors
from agents.coordinator import backlog_sources, backlog_taking
from agents.cycle import cycle
from agents.evolution.ab_trials import version_trials
from agents.evolution.activation import prompt_canaries, rollouts, tool_checks
from agents.evolution.auditing import proposing
from agents.evolution.candidates import searches, starting
from agents.evolution.replays import replays
from agents.execution import sweep_parts, waits
from agents.foreign import reading
from agents.foreign_tools import listing
from agents.frameworks import runs
from agents.hands import typed
from agents.insights import insight_cases
from agents.learning import uses
from agents.modular import working as modular_working
from agents.plans import report_filing, stray_plans
from agents.record import log_retention
from agents.simulations import training
from agents.simulations import working as environment_working
from agents.workspaces import snapshot_maintenance
from sandbox.analysis import kit


def sweep() -> None:
    """Find what no wake-up reached."""
    # Stray plans first, so that what waited for their files is found at once.
    sweep_parts.each(
        stray_plans.sweep,
        cycle.sweep,
        waits.sweep,
        runs.sweep,
        typed.sweep,
        report_filing.sweep,
        uses.count_waiting,
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
        reading.sweep,
    )


def embed_members() -> None:
    """Embed what members of the bus say of themselves."""
    vectors.embed_missing()


def prune_snapshots() -> None:
    """Let go of snapshots that nobody needs, and of analysers of versions that nobody runs."""
    snapshot_maintenance.prune_daily()
    kit.prune()


def keep_logs() -> None:
    """Make room for the logs of goals to come, and let go of those that are old enough, as of the bus's own."""
    log_retention.keep()
    retention.keep()


def add_up_days() -> None:
    """Add up what the insights count of the days that are over."""
    insight_cases.add_up_days()
    insight_cases.join_recoveries()


def tend_backlog() -> None:
    """Measure backlog items that were taken up; add what analyses found and what designs propose to the backlog."""
    backlog_taking.settle()
    backlog_sources.take_findings()
    backlog_sources.take_designs()


def note_failures() -> None:
    """Put what keeps failing into the backlog."""
    backlog_sources.note_failures()


def audit() -> None:
    """Look through the past for what should change, and begin what may be begun without a person."""
    proposing.refresh()
    starting.run()
