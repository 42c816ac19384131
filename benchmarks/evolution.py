"""`make bench-evolution`: what the replay gate does with ten real improvements and ten planted regressions.

Ten rules run a small program on a file. Each has a fault that some files show: six of its ten goals fail, four work.
For each rule two candidates are written. One mends the fault. The other mends it as well, and breaks one kind of file
that worked: the change that looks right to whoever only has the failures before their eyes. Everything is real: goals
are planned by the rule, approved, run in the jail; candidates are replayed and activated as people do it.

Then an admin activates the worse one against the gate, in place of the better one, and new goals about the ten files
come in, again and again: after how many is it taken back? The better one is watched on ten new goals before that.
"""

from __future__ import annotations

import io
import itertools
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.servers import database

if TYPE_CHECKING:
    from agents.models import Goal
    from library.models import ComponentVersion
    from people.models import User

_HEAD = "import sys\ntext = open(sys.argv[1]).read()\n"


@dataclass(frozen=True)
class Family:
    """A task: programs of parent and candidates, six files that the parent fails on, and four that it does well."""

    what: str
    parent: str
    better: str
    worse: str
    failing: tuple[str, ...]
    working: tuple[str, ...]


FAMILIES = (
    Family(
        "total the list",
        "print(sum(int(line) for line in text.splitlines()))",
        "print(sum(int(line) for line in text.split()))",
        "print(sum(int(line) for line in text.split() if line.isdigit() or 1 / 0))",
        ("1\n\n2", "\n5", "3\n \n", "1 2", "4\n\n", "7 8\n9"),
        ("1\n2", "5", "-3\n4", "10\n20"),
    ),
    Family(
        "average the column",
        "rows = [line.split(',') for line in text.splitlines()]; print(sum(float(r[1]) for r in rows) / len(rows))",
        "rows = [line.split(',') for line in text.splitlines() if line[-1:].isdigit()]"
        "; print(sum(float(r[1]) for r in rows) / len(rows))",
        "rows = [line.split(',') for line in text.splitlines()[1:]]; print(sum(float(r[1]) for r in rows) / len(rows))",
        ("a,b\nx,1", "n,v\np,2\nq,4", "h,k\nz,9", "name,price\npen,3", "c,d\ne,5\nf,6", "k,v\nk,1.5"),
        ("x,1\ny,3", "p,2\nq,4", "z,9", "a,1\nb,2\nc,3"),
    ),
    Family(
        "tell the weekday",
        "import datetime; print(datetime.date.fromisoformat(text.strip()).strftime('%A'))",
        "import datetime, re; day = map(int, re.findall('[0-9]+', text)); print(datetime.date(*day).strftime('%A'))",
        "import datetime; y, m, d = map(int, text.strip().split('/')); print(datetime.date(y, m, d).strftime('%A'))",
        ("2026/11/26", "2026/1/2", "2025/12/31", "2024/2/29", "2026/7/4", "2020/3/1"),
        ("2026-11-26", "2026-01-02", "2025-12-31", "2024-02-29"),
    ),
    Family(
        "show the name",
        "import json; print(json.loads(text)['name'])",
        "import json; found = json.loads(text); print((found[0] if isinstance(found, list) else found)['name'])",
        "import json; print(json.loads(text)[0]['name'])",
        (
            '[{"name": "a"}]',
            '[{"name": "b"}, {}]',
            '[{"name": 1}]',
            '[{"name": ""}]',
            '[{"name": "x"}]',
            '[{"name": null}]',
        ),
        ('{"name": "a"}', '{"name": "b"}', '{"name": 1}', '{"name": "x", "n": 2}'),
    ),
    Family(
        "convert the numbers",
        "print([int(word) for word in text.split()])",
        "print([int(word, 0) for word in text.split()])",
        "print([int(word, 16) if word.startswith('0x') else int(word[:1]) and int(word) for word in text.split()])"
        "\nassert '0' not in text.split()",
        ("0x1f", "1 0xff", "0xa 2", "0x10 0x20", "3 0x3", "0xbeef"),
        ("1 2 3", "42", "0", "7 8"),
    ),
    Family(
        "read the port",
        "import configparser; c = configparser.ConfigParser(); c.read_string(text); print(c['server']['port'])",
        "import configparser; c = configparser.ConfigParser(strict=False); c.read_string(text)"
        "; print(c['server']['port'])",
        "import configparser; c = configparser.ConfigParser(strict=False, delimiters=('=',)); c.read_string(text)"
        "; print(c['server']['port'])",
        tuple(f"[server]\nport = {n}\n[server]\nhost = h{n}\n" for n in range(6)),
        ("[server]\nport = 1\n", "[server]\nport: 2\n", "[server]\nport=3\n", "[a]\nx = 1\n[server]\nport = 4\n"),
    ),
    Family(
        "sort the versions",
        "print(sorted(text.split(), key=lambda v: [int(p) for p in v.split('.')]))",
        "import re; print(sorted(text.split(), key=lambda v: [int(p) for p in re.findall('[0-9]+', v)]))",
        "print(sorted(text.split(), key=lambda v: [int(p) for p in v[1:].split('.')]))",
        ("v1.2 v1.10", "v2", "v1.0 v0.9", "v3.1 v3.0", "v10.2 v9.1", "v0.1"),
        ("1.2 1.10", "2.0 1.0", "0.9 1.0", "3.1 3.0"),
    ),
    Family(
        "count the rows",
        "import csv; rows = list(csv.reader(text.splitlines(), delimiter=';')); print(len(rows)); [r[1] for r in rows]",
        "import csv; rows = list(csv.reader(text.splitlines(), delimiter=csv.Sniffer().sniff(text, ',;').delimiter))"
        "; print(len(rows)); [r[1] for r in rows]",
        "import csv; rows = list(csv.reader(text.splitlines())); print(len(rows)); [r[1] for r in rows]",
        ("a,b\nc,d", "1,2\n3,4", "x,y\nz,w", "p,q\nr,s", "k,l\nm,n", "e,f\ng,h"),
        ("a;b\nc;d", "1;2\n3;4", "x;y\nz;w", "p;q\nr;s"),
    ),
    Family(
        "tell the share",
        "a, b = map(int, text.split('/')); print(a / b)",
        "a, b = map(int, text.split('/')); print(a / b if b else 0)",
        "a, b = map(int, text.split('/')); print(b and a // b or 0); assert a < 1000",
        ("1/0", "5/0", "0/0", "9/0", "2/0", "7/0"),
        ("1/2", "5/5", "1000/10", "3/4"),
    ),
    Family(
        "list the hosts",
        "from urllib.parse import urlsplit; print([urlsplit(u).hostname.lower() for u in text.split()])",
        "from urllib.parse import urlsplit; print([(urlsplit(u if '//' in u else '//' + u).hostname or '').lower()"
        " for u in text.split()])",
        "print([u.split('/')[0].lower() for u in text.split()]); assert 'https' not in text",
        ("example.org", "a.example/x", "b.example", "c.example/y z.example", "d.example", "e.example:80/"),
        ("http://example.org/", "https://a.example/x", "http://b.example", "http://c.example/y"),
    ),
)


def main() -> None:
    """Take all families through goals, replays and decisions, and print what became of each candidate."""
    with database():
        from people.models import User

        people = (
            User.objects.create_user("sue", roles=["submitter"]),
            User.objects.create_user("rob", roles=["reviewer", "developer"]),
            User.objects.create_user("oli", roles=["operator"]),
            User.objects.create_user("ann", roles=["admin", "operator"]),
        )
        began = time.monotonic()
        came = [_family(family, *people) for family in FAMILIES]
        took = time.monotonic() - began
    improved = sum(one.better for one in came)
    stopped = sum(not one.worse for one in came)
    taken_back = [one.goals_until for one in came if one.goals_until]
    sys.stdout.write(f"improvements activated: {improved} of {len(came)} (asked: 9 of 10)\n")
    sys.stdout.write(f"regressions stopped:    {stopped} of {len(came)} (asked: all)\n")
    sys.stdout.write(
        f"activated against the gate and taken back: {len(taken_back)} of {len(came)}, after"
        f" {min(taken_back, default=0)} to {max(taken_back, default=0)} goals; improvements taken back:"
        f" {sum(one.returned for one in came)}\n"
    )
    sys.stdout.write(f"{took:.0f} s in all\n")
    if improved < len(came) - 1 or stopped < len(came):
        sys.exit(1)


@dataclass(frozen=True)
class Came:
    """Whether each candidate was activated, and whether the better one was taken back.

    `goals_until`: after how many new goals the worse one was taken back once an admin had activated it; 0: never.
    """

    better: bool
    worse: bool
    returned: bool
    goals_until: int


def _family(family: Family, submitter: User, writer: User, operator: User, admin: User) -> Came:
    from agents.evolution.activation import deciding
    from library.components import services

    services.publish("rule", family.what, _rule(family, "parent"), by=operator, status="active")
    ends = [_goal(family, text, submitter, writer) for text in (*family.failing, *family.working)]
    failed = sum(goal.state != "achieved" for goal in ends)
    worse = _candidate(family, "worse", writer, operator)
    better = _candidate(family, "better", writer, operator)
    returned = better[0] and _goals_until_taken_back(family, better[2], submitter, most=len(ends)) > 0
    deciding.activate(worse[2], by=admin, reason="for the sake of this benchmark")
    until = _goals_until_taken_back(family, worse[2], submitter, most=60)
    said = f"taken back after {until} goals" if until else "not taken back"
    sys.stdout.write(
        f"{family.what:<22} {failed} of {len(ends)} failed; worse: {worse[1]} better: {better[1]} {said}\n"
    )
    return Came(better[0], worse[0], returned, until)


def _goals_until_taken_back(family: Family, version: ComponentVersion, submitter: User, most: int) -> int:
    """How many goals about the ten files were planned until the version was no longer in use; 0: `most` and it is."""
    from agents.evolution import replaying
    from agents.evolution.activation import rollouts

    for number, text in enumerate(itertools.islice(itertools.cycle((*family.failing, *family.working)), most), start=1):
        _planned(family, text, submitter)
        rollouts.sweep()
        replaying.work()
        version.refresh_from_db()
        if version.status != "active":
            return number
    return 0


def _rule(family: Family, program: str) -> str:
    return (
        f"RULE {family.what}\nIF your task is to {family.what} of {{file}}\nTHEN:\n"
        f"  # The program says it.\n  run python {program}.py {{file}}\n"
    )


def _planned(family: Family, text: str, submitter: User) -> Goal:
    from agents.cycle import cycle
    from agents.goals import goals
    from agents.workspaces import workspaces

    goal = goals.submit(by=submitter, text=f"{family.what} of data.txt")
    files = {f"{name}.py": _HEAD + getattr(family, name) + "\n" for name in ("parent", "better", "worse")}
    for path, content in {**files, "data.txt": text}.items():
        workspaces.put_file(goal.workspace, by=submitter, path=path, source=io.BytesIO(content.encode()))
    cycle.work(goal.pk)
    goal.refresh_from_db()
    return goal


def _goal(family: Family, text: str, submitter: User, reviewer: User) -> Goal:
    from agents.cycle import cycle
    from review.deciding import decisions

    goal = _planned(family, text, submitter)
    plan = goal.intent_plans.get()
    decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")
    cycle.work(goal.pk)
    goal.refresh_from_db()
    # Some failures are tried again after seconds; nobody learns anything from waiting for them here.
    while goal.state == "recovering":
        type(goal).objects.filter(pk=goal.pk).update(wake_at=None)
        cycle.work(goal.pk)
        goal.refresh_from_db()
    return goal


def _candidate(family: Family, program: str, writer: User, operator: User) -> tuple[bool, str, ComponentVersion]:
    from agents.components import rule_writing
    from agents.evolution import replaying
    from agents.evolution.activation import deciding
    from agents.evolution.replays import replays
    from library.errors import LibraryRefused
    from library.models import Component

    component = Component.objects.get(kind="rule", name=family.what)
    version: ComponentVersion = rule_writing.save(_rule(family, program), by=writer, of=component, changes=program)
    replaying.work(replays.ask(version, by=writer).pk)
    judged = replays.judgement(replays.latest(version))  # type: ignore[arg-type]
    try:
        deciding.activate(version, by=operator)
    except LibraryRefused:
        return False, judged.says, version
    return True, judged.says, version


if __name__ == "__main__":
    main()
