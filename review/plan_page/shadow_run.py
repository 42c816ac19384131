"""The dry run for the plan's page: what each step proved, and how the files would change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from agents.bdi.forecast.shadow import Proof
from agents.bdi.plans.document import Document
from agents.models import IntentPlan, ShadowRun
from agents.pages.files import snapshot_reading
from agents.pages.files.snapshot_reading import NotKept, Reading, Shown
from agents.plans import shadowing
from agents.states import ShadowState
from review.reading.steps import ShownText

_TONES = {
    Proof.DONE: ("good", "check"),
    Proof.FAILED: ("bad", "x"),
    Proof.SKIPPED: ("faint", "minus"),
    Proof.UNPROVEN: ("person", "shade"),
    Proof.NOT_REACHED: ("faint", "minus"),
}


@dataclass(frozen=True)
class Told:
    """What one step proved, for a line on the page; or several steps in a row, up to `last`, with the same result."""

    position: int
    last: int
    proof: str
    tone: str
    icon: str
    sentence: str
    seconds: float
    has_code: bool
    output: tuple[tuple[str, str, bool], ...]

    @property
    def is_unproven(self) -> bool:
        return self.proof == Proof.UNPROVEN


@dataclass(frozen=True)
class File:
    """One path that would differ, and its place on the page."""

    anchor: str
    item: Shown


@dataclass(frozen=True)
class ShadowView:
    """A plan's newest dry run. `files` is None if it has none to show; `problem` says why."""

    run: ShadowRun
    steps: tuple[Told, ...]
    reading: Reading | None
    files: tuple[File, ...]
    problem: str
    # What of its files is not as it was then.
    moved: tuple[str, ...]

    @property
    def is_open(self) -> bool:
        """True while a worker runs it or will run it."""
        return self.run.state in (ShadowState.WAITING, ShadowState.RUNNING)

    @property
    def is_stale(self) -> bool:
        """Whether it was made with other files than the plan would run on."""
        return self.is_done and bool(self.moved)

    @property
    def is_done(self) -> bool:
        return self.run.state == ShadowState.DONE

    @property
    def went_well(self) -> bool:
        """Whether every step was done or skipped in a copy of the current files, and the result can still be shown."""
        done = all(step.proof in (Proof.DONE, Proof.SKIPPED) for step in self.steps)
        return self.is_done and done and not self.is_stale and self.reading is not None

    @property
    def seconds(self) -> float:
        """How long all steps took."""
        return sum(step.seconds for step in self.steps)

    @property
    def changed_nothing(self) -> bool:
        """Whether every step was tried and the copy did not change."""
        tried = all(one["proof"] in (Proof.DONE, Proof.SKIPPED) for one in self.run.findings)
        return self.is_done and tried and self.run.base == self.run.after

    @property
    def deleted(self) -> int:
        """Lines that would be deleted."""
        return sum(file.item.deleted for file in self.files)

    @property
    def added(self) -> int:
        """Lines that would be added."""
        return sum(file.item.added for file in self.files)

    @property
    def unproven(self) -> dict[int, str]:
        """Why a step is unproven, by position."""
        return {step.position: step.sentence for step in self.steps if step.is_unproven}

    @property
    def lines(self) -> list[Told]:
        """The steps; those in a row without a program or an error are shown together."""
        told: list[Told] = []
        for step in self.steps:
            before = told[-1] if told else None
            if before is not None and _is_plain(step) and _is_plain(before):
                words = "succeeded in the dry run"
                told[-1] = replace(before, last=step.position, sentence=words, seconds=before.seconds + step.seconds)
            else:
                told.append(step)
        return told

    def shown_texts(self, document: Document) -> list[ShownText]:
        """The texts of steps that are shown in full among the files, so the steps need not repeat them."""
        whole = {text: file.anchor for file in self.files if (text := _whole(file.item)) is not None}
        return [
            ShownText(spec.position, value, whole[value])
            for spec in document.all_intents
            for value in spec.params.values()
            if isinstance(value, str) and value in whole
        ]


def view(plan: IntentPlan, moved: tuple[str, ...], start: int = 0) -> ShadowView | None:
    """The newest dry run with its files from `start` on; None when the plan has none.

    `moved` is what of its files has changed since (`agents.plans.footings`).
    """
    run = shadowing.latest(plan)
    if run is None:
        return None
    reading, problem = _reading(run, start)
    files = tuple(File(f"shadow-{number}", item) for number, item in enumerate(reading.items if reading else (), start))
    return ShadowView(run, tuple(_told(each) for each in run.findings), reading, files, problem, moved)


def _reading(run: ShadowRun, start: int) -> tuple[Reading | None, str]:
    if run.state != ShadowState.DONE:
        return None, ""
    try:
        return snapshot_reading.read_kept(run.base, run.after, start=start), ""
    except NotKept:
        return None, "The files of this dry run are no longer stored."


def _told(finding: Mapping[str, Any]) -> Told:
    proof = Proof(finding["proof"])
    tone, icon = _TONES[proof]
    answer = finding["answer"] or {}
    output = tuple(
        (stream, answer[stream], answer.get(f"{stream}_is_cut", False))
        for stream in ("stdout", "stderr")
        if answer.get(stream)
    )
    sentence = _sentence(proof, finding["why"], answer)
    return Told(
        finding["position"],
        finding["position"],
        proof.value,
        tone,
        icon,
        sentence,
        finding["duration_s"],
        "return_code" in answer,
        output,
    )


def _sentence(proof: Proof, why: str, answer: Mapping[str, Any]) -> str:
    match proof:
        case Proof.DONE if "return_code" in answer:
            return f"ended with exit code {answer['return_code']}"
        case Proof.DONE:
            return str(answer.get("message") or "succeeded")
        case Proof.FAILED:
            return f"would fail: {why}"
        case Proof.SKIPPED:
            return f"would be skipped: {why}"
        case Proof.NOT_REACHED:
            return f"was not reached: {why}"
    return f"is unproven: {why}"


def _is_plain(step: Told) -> bool:
    return step.proof == Proof.DONE and not step.has_code


def _whole(item: Shown) -> str | None:
    """The text of a new file that is shown completely."""
    if item.word != "new" or len(item.hunks) != 1 or item.address:
        return None
    lines = item.hunks[0].lines
    return "".join(line.text + ("" if line.is_open else "\n") for line in lines)
