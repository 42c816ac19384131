"""A plan as a picture: steps in columns by what they depend on, left to right, with arrows between them (pure)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from agents.bdi.plans.branches import are_parallel
from agents.presentation import hidden

_WIDTH, _HEIGHT = 196, 76
_ACROSS, _DOWN = 56, 20
_MARGIN = 4
# So many characters of the fonts of the picture fit into a box.
# Results are monospaced and therefore wider.
_TITLE_CHARS, _LINE_CHARS, _OUT_CHARS = 25, 30, 25


@dataclass(frozen=True)
class FlowStep:
    """One step: `way` is its place in the workflow (2.1 is the first of a sub-workflow), `state` empty before it is
    planned.
    """

    position: int
    command: str
    depends_on: tuple[int, ...] = ()
    sentence: str = ""
    way: str = ""
    output_var: str = ""
    condition: str = ""
    workflow: str = ""
    state: str = ""
    # The branch in which it stands (`agents/bdi/plans/branches.py`).
    branch: str = ""
    component: str = ""


@dataclass(frozen=True)
class Box:
    """A step at its place. `lines`: what stands in it below its command, each with its look."""

    step: FlowStep
    x: int
    y: int
    width: int
    height: int
    title: str
    lines: tuple[tuple[int, str, str], ...]

    @property
    def text_x(self) -> int:
        """Where its texts begin."""
        return self.x + 12

    @property
    def title_y(self) -> int:
        """The base line of its command."""
        return self.y + 22

    @property
    def said(self) -> str:
        """Everything about the step, for those who point at it or listen."""
        parts = [f"{self.step.way or self.step.position}: {self.step.command}", self.step.sentence]
        parts += [f"only if {self.step.condition}"] if self.step.condition else []
        parts += [f"its result is {self.step.output_var}"] if self.step.output_var else []
        parts += [f"from the library: {self.step.component}"] if self.step.component else []
        parts += [f"after step {', '.join(map(str, self.step.depends_on))}"] if self.step.depends_on else []
        parts += [f"in branch {self.step.branch}"] if self.step.branch else []
        said = "; ".join(part for part in (*parts, self.step.state.replace("_", " ")) if part)
        return hidden.visible_text(" ".join(said.split()))


@dataclass(frozen=True)
class Graph:
    """The picture. `arrows` are paths of SVG, each with whether its end has a condition."""

    boxes: tuple[Box, ...]
    arrows: tuple[tuple[str, bool], ...]
    width: int
    height: int
    has_branches: bool
    # Whether branches were written, and not only found to be independent.
    is_parallel: bool = False

    @property
    def said(self) -> str:
        """The picture in one sentence."""
        beside = ", with parallel branches" if self.is_parallel else ""
        return f"{len(self.boxes)} steps and what each depends on{beside}"


def draw(steps: Sequence[FlowStep]) -> Graph:
    """Lay the steps out. Positions count from 1, and a step depends on earlier ones only."""
    needs = _direct({step.position: set(step.depends_on) | _before_branches(step, steps) for step in steps})
    columns: dict[int, int] = {}
    for step in steps:
        columns[step.position] = 1 + max((columns[at] for at in needs[step.position]), default=-1)
    rows = _rows(steps, needs, columns)
    boxes = tuple(_box(step, columns[step.position], rows[step.position]) for step in steps)
    at = {box.step.position: box for box in boxes}
    taken = {(columns[step.position], rows[step.position]) for step in steps}
    arrows = tuple(
        (_arrow(at[before], box, taken), bool(box.step.condition))
        for box in boxes
        for before in sorted(needs[box.step.position])
    )
    widest, tallest = max(columns.values(), default=0) + 1, max(rows.values(), default=0) + 1
    return Graph(
        boxes,
        arrows,
        widest * _WIDTH + (widest - 1) * _ACROSS + 2 * _MARGIN,
        tallest * _HEIGHT + (tallest - 1) * _DOWN + 2 * _MARGIN,
        tallest > 1,
        any(step.branch for step in steps),
    )


def _before_branches(step: FlowStep, steps: Sequence[FlowStep]) -> set[int]:
    """What a step of a branch comes after, and what comes after branches: they begin and end together."""
    return {
        other.position
        for other in steps
        if other.position < step.position
        and (step.branch or other.branch)
        and not are_parallel(step.branch, other.branch)
    }


def _direct(needs: Mapping[int, set[int]]) -> dict[int, set[int]]:
    """Without what follows from the others: where 3 needs 2 and 2 needs 1, no arrow leads from 1 to 3."""
    behind: dict[int, set[int]] = {}
    found: dict[int, set[int]] = {}
    for position in sorted(needs):
        own = {at for at in needs[position] if at in needs and at < position}
        further = {one for at in own for one in behind[at]}
        behind[position] = own | further
        found[position] = own - further
    return found


def _rows(steps: Sequence[FlowStep], needs: Mapping[int, set[int]], columns: Mapping[int, int]) -> dict[int, int]:
    """The row of each step in its column, near the rows of those it depends on."""
    rows: dict[int, int] = {}
    for column in range(max(columns.values(), default=-1) + 1):
        inside = [step.position for step in steps if columns[step.position] == column]
        wanted = {at: sum(rows[one] for one in needs[at]) / max(1, len(needs[at])) for at in inside}
        free = 0
        for position in sorted(inside, key=lambda at: (wanted[at], at)):
            rows[position] = max(free, int(wanted[position]))
            free = rows[position] + 1
    return rows


def _box(step: FlowStep, column: int, row: int) -> Box:
    x, y = _MARGIN + column * (_WIDTH + _ACROSS), _MARGIN + row * (_HEIGHT + _DOWN)
    lines = [("what", step.sentence)] if step.sentence else []
    lines += [("if", f"if {step.condition}")] if step.condition else []
    lines += [("out", f"→ {step.output_var}")] if step.output_var else []
    lines += [("out", step.component)] if step.component else []
    placed = tuple(
        (y + 39 + 15 * number, look, _cut(text, _OUT_CHARS if look == "out" else _LINE_CHARS))
        for number, (look, text) in enumerate(lines)
    )
    title = f"{step.way or step.position} {step.command.partition('.')[2] or step.command}"
    return Box(step, x, y, _WIDTH, _HEIGHT, _cut(title, _TITLE_CHARS), placed)


def _arrow(before: Box, box: Box, taken: Collection[tuple[int, int]]) -> str:
    from_x, from_y = before.x + before.width, before.y + before.height // 2
    to_x, to_y = box.x - 3, box.y + box.height // 2
    own, last = _cell(before), _cell(box)
    way = ""
    if last[0] - own[0] > 1 and not any((column, own[1]) in taken for column in range(own[0] + 1, last[0])):
        # Straight on through its own row, which is empty there, and not behind the boxes of another one.
        way = f"M{from_x} {from_y}"
        from_x = box.x - _ACROSS
    bend = max(_ACROSS // 2, (to_x - from_x) // 2)
    return f"{way}{'L' if way else 'M'}{from_x} {from_y}C{from_x + bend} {from_y} {to_x - bend} {to_y} {to_x} {to_y}"


def _cell(box: Box) -> tuple[int, int]:
    return (box.x - _MARGIN) // (_WIDTH + _ACROSS), (box.y - _MARGIN) // (_HEIGHT + _DOWN)


def _cut(text: str, most: int) -> str:
    """Plain text without hidden characters: in a picture there can be no marks for them."""
    line = hidden.visible_text(" ".join(text.split()))
    return line if len(line) <= most else line[: most - 1] + "…"
