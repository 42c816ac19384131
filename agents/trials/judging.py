"""Compares what a trial did with what the command says of itself. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from agents.toolkit.command import Command
from agents.toolkit.trial import Trial
from agents.trials.observing import Seen
from sandbox.contract import Result

_MOST_NAMED = 4


@dataclass(frozen=True)
class Observed:
    """What a trial did. `again` is the answer when it was asked once more, None when it was not.

    `processes`: how many ran at a time, as far as the jail says. `living`: programs that were left running.
    """

    result: Result
    seen: Seen
    hosts: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    processes: int = 0
    state_changed: bool = False
    living: tuple[str, ...] = ()
    again: Result | None = None


def of_trial(command: Command, trial: Trial, observed: Observed) -> list[str]:
    """What does not fit in one trial, as sentences; nothing when all does."""
    return [*_outcome(trial, observed), *_files(command, trial, observed), *_beyond(command, observed)]


def of_command(command: Command, all_observed: Sequence[Observed]) -> list[str]:
    """What none of its trials showed."""
    if not command.trials:
        return ["it has no trial; add one to its declaration (trials)"]
    done = [observed for observed in all_observed if observed.result.ok]
    # What a service finishes with a person's rights can only be refused outside of a goal: no trial shows its result.
    shown = command.result_keys if done or not command.finish else ()
    missing = [key for key in shown if not any(key in one.result.data for one in done)]
    found = [f"no trial gave {_listed(missing)}, which it says that it gives (result_keys)"] if missing else []
    if command.effect == "workspace" and not any(one.seen.differs for one in done):
        found.append("its effect is “workspace”, and no trial changed a file")
    if command.changes_session and not any(one.state_changed for one in done):
        found.append("it says that it changes the session, and no trial did")
    return found


def _outcome(trial: Trial, observed: Observed) -> Iterator[str]:
    result = observed.result
    if trial.error and result.error_class != trial.error:
        yield f"it was to fail as {trial.error}, and {_ended(observed)}"
    elif not trial.error and not result.ok:
        yield _ended(observed)
    for key, value in trial.result.items():
        if result.data.get(key) != value:
            yield f"it was to answer {key} = {value!r}, and answered {result.data.get(key)!r}"


def _ended(observed: Observed) -> str:
    result = observed.result
    return "it succeeded" if result.ok else f"it failed as {result.error_class}: {result.reason}"


def _files(command: Command, trial: Trial, observed: Observed) -> Iterator[str]:
    seen = observed.seen
    touched = sorted({*seen.differs, *seen.passing})
    if command.effect == "idempotent" and touched:
        yield f"its effect is “idempotent”, and it changed {_listed(touched)}; say “workspace”, or change nothing"
    if trial.changes is None:
        return
    unforeseen = [path for path in seen.differs if not any(fnmatchcase(path, one) for one in trial.changes)]
    missing = [one for one in trial.changes if not any(fnmatchcase(path, one) for path in seen.differs)]
    if unforeseen:
        yield f"it changed {_listed(unforeseen)}, which the trial does not foresee"
    if missing:
        yield f"it did not change {_listed(missing)}"


def _beyond(command: Command, observed: Observed) -> Iterator[str]:
    """Network, session, programs left behind, and whether it may be repeated as its effect promises."""
    if observed.refused:
        yield f"it asked for {_listed(observed.refused)}, which its parameters do not name; add them to its hosts"
    if observed.state_changed and not command.changes_session:
        yield "it changed the session; say changes_session"
    if observed.living and command.effect != "once":
        yield f"it left {_listed(observed.living)} running, which only the effect “once” may"
    if observed.again is not None and observed.result.ok and not observed.again.ok:
        yield f"its effect is “{command.effect}”, and asked again it failed: {observed.again.reason}"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more
