"""`make bench-backlog`: decisions while 300 goals wait for a slow model; memory after 50 goals, and idleness."""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import statistics
import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks.backlog import decisions, memory
from benchmarks.backlog.application import Application, application
from benchmarks.backlog.decisions import BY_API, HELD, HOLD_S, WITHIN_S, Decision, percentile
from benchmarks.backlog.memory import Memory
from benchmarks.backlog.processes import POSTGRES, Held
from benchmarks.backlog.slow_model import SlowModel, slow_model

ROOT = Path(__file__).parents[2]
_WHAT = {HELD: "held decision due → in effect", BY_API: "approval by API → first attempt started"}

_COLUMNS = (
    *("what", "n", "p50", "p95", "max", f"later than {WITHIN_S:g} s or never", "never seen"),
    *("goals that waited, middle (from – to)", "of them begun", "dry runs that waited"),
)


def main() -> None:
    asked = _parser().parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # servers and folders go with us
    found: dict[str, Any] = {"load_before": os.getloadavg()[0]}
    sys.stdout.write(f"Load of the machine before: {found['load_before']:.1f}\n\n")
    if asked.only != "backlog":
        with slow_model(asked.port and asked.port + 1) as model, _application(asked, model, "memory") as running:
            held = memory.measure(running, asked.memory_goals, asked.idle)
        found["memory"] = asdict(held)
        sys.stdout.write(_memory_table(held) + "\n")
        sys.stdout.flush()
    if asked.only != "memory":
        with slow_model(asked.port and asked.port + 1) as model, _application(asked, model, "backlog") as running:
            made = decisions.measure(running, model, asked.goals, asked.decisions, asked.every)
        found["backlog"] = [_as_json(one) for one in made]
        sys.stdout.write(_decisions_table(made, asked.goals) + "\n")
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=1, default=_as_text) + "\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks.backlog", description=__doc__)
    parser.add_argument("--only", choices=["backlog", "memory"], help="one of the two parts")
    parser.add_argument("--goals", type=int, default=300, help="goals that wait (default 300)")
    parser.add_argument("--decisions", type=int, default=30, help="decisions of each kind (default 30)")
    parser.add_argument("--every", type=float, default=6.0, help="seconds between two of a kind (default 6)")
    parser.add_argument("--memory-goals", type=int, default=50, help="goals before memory is looked at (default 50)")
    parser.add_argument("--idle", type=float, default=30.0, help="seconds of idleness (default 30)")
    parser.add_argument("--checkout", type=Path, default=ROOT, help="measure this checkout, by its own .venv")
    parser.add_argument("--port", type=int, default=0, help="of mindX, the next one is the model's; 0: any free ones")
    parser.add_argument("--logs", type=Path, metavar="FOLDER", help="keep the logs of each part in a folder there")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all of it there, too")
    return parser


def _application(asked: argparse.Namespace, model: SlowModel, part: str) -> AbstractContextManager[Application]:
    return application(
        asked.checkout.resolve(),
        asked.port,
        asked.logs and asked.logs / part,
        MINDX_HOLD_S=str(HOLD_S),
        MINDX_MODEL="openai/slow",
        OPENAI_API_BASE=model.address,
        OPENAI_API_KEY="none",
    )


def _decisions_table(made: Sequence[Decision], goals: int) -> str:
    lines = [
        f"### Decisions while {goals} goals wait",
        "",
        f"| {' | '.join(_COLUMNS)} |",
        "|---" * len(_COLUMNS) + "|",
    ]
    for kind, what in _WHAT.items():
        of_kind = [one for one in made if one.kind == kind]
        delays = [one.delay_s for one in of_kind]
        figures = [_seconds(percentile(delays, share)) for share in (0.5, 0.95, 1.0)]
        late, never = (sum(delay > limit for delay in delays) for limit in (WITHIN_S, sys.float_info.max))
        waited = [_spread([getattr(one, name) for one in of_kind]) for name in ("goals", "planning", "shadow_runs")]
        lines.append("| " + " | ".join([what, str(len(of_kind)), *figures, str(late), str(never), *waited]) + " |")
    refused = [one.refused for one in made if one.refused]
    return "\n".join([*lines, "", *(f"Refused: {why}" for why in refused)])


def _memory_table(found: Memory) -> str:
    lines = [
        f"### Memory after {found.goals} goals; {found.idle_s:.0f} s of idleness",
        "",
        "| role | processes | PSS | idle, of a core | processes and PSS after a model was asked |",
        "|---|---|---|---|---|",
    ]
    roles = sorted({*found.after, *found.after_model, *found.idle_used_s} - {POSTGRES})
    lines += [_memory_row(role, found, [role]) for role in roles]
    lines += [_memory_row("**all but Postgres**", found, roles), _memory_row(POSTGRES, found, [POSTGRES])]
    return "\n".join([*lines, ""])


def _memory_row(name: str, found: Memory, roles: Sequence[str]) -> str:
    used = sum(found.idle_used_s.get(role, 0.0) for role in roles) / found.idle_s
    count, size = _sum(found.after, roles)
    count_later, size_later = _sum(found.after_model, roles)
    return f"| {name} | {count} | {size / 1e6:.0f} MB | {used:.1%} | {count_later}, {size_later / 1e6:.0f} MB |"


def _sum(held: Mapping[str, Held], roles: Sequence[str]) -> tuple[int, int]:
    of = [held[role] for role in roles if role in held]
    return sum(one.processes for one in of), sum(one.pss_bytes for one in of)


def _seconds(value: float) -> str:
    return f"over {WITHIN_S:g} s" if math.isinf(value) else f"{value:.2f} s"


def _spread(values: Sequence[int]) -> str:
    return f"{statistics.median(values):g} ({min(values)} – {max(values)})"


def _as_json(decision: Decision) -> dict[str, Any]:
    delay_s = decision.delay_s
    return asdict(decision) | {"delay_s": None if math.isinf(delay_s) else delay_s}


def _as_text(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(value)


if __name__ == "__main__":
    main()
