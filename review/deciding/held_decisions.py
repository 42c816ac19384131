"""Browser decisions that have not taken effect yet: whose they are, and what that means for others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from agents.models import IntentPlan
from agents.record.errors import StaleDigest
from people.models import User
from review.models import HeldDecision


@dataclass(frozen=True)
class Together:
    """The decisions of one click, newest first: a single one, or those of a batch that are still held."""

    decisions: tuple[HeldDecision, ...]

    @property
    def newest(self) -> HeldDecision:
        """The one that was made last."""
        return self.decisions[0]

    @property
    def is_batch(self) -> bool:
        """Whether one button undoes several."""
        return len(self.decisions) > 1

    @property
    def what(self) -> str:
        """What they are: "9 approvals"."""
        what = {"approve": "approvals", "reject": "rejections"}
        return f"{len(self.decisions)} {what.get(self.newest.verdict, 'decisions')}"

    @property
    def then(self) -> str:
        """What happens to them when the time is over."""
        return "start" if self.newest.verdict == "approve" else "take effect"

    @property
    def first(self) -> HeldDecision:
        """The one that takes effect first."""
        return min(self.decisions, key=lambda one: one.due_at)

    @property
    def is_due(self) -> bool:
        """Whether the first may take effect at any moment."""
        return self.first.is_due

    @property
    def soon(self) -> str:
        """What happens now that the time is over, or why it does not."""
        return self.first.soon

    @property
    def seconds_left(self) -> int:
        """Whole seconds until the first of them takes effect."""
        return self.first.seconds_left

    @property
    def look_again_s(self) -> int:
        """After how many seconds an open page should ask for their state again."""
        return max(one.look_again_s for one in self.decisions)


def open_on(plan: IntentPlan) -> HeldDecision | None:
    """The decision on this plan that can still be undone; there is at most one."""
    return HeldDecision.objects.filter(intent_plan_id=plan.pk, dropped="").select_related("by").first()


def of(user: User) -> list[Together]:
    """This person's decisions that can be undone, and dropped ones that they have not read yet; newest first."""
    return together(_rows(user))


def of_batch(user: User, batch: str) -> list[Together]:
    """The same of one batch."""
    return together([one for one in _rows(user) if one.batch == batch])


def together(held: Iterable[HeldDecision]) -> list[Together]:
    """Decisions grouped by click, in their order. Dropped ones are closed one by one."""
    groups: dict[str, list[HeldDecision]] = {}
    for one in held:
        groups.setdefault(one.batch if one.batch and not one.dropped else f"#{one.pk}", []).append(one)
    return [Together(tuple(group)) for group in groups.values()]


def _rows(user: User) -> list[HeldDecision]:
    rows = HeldDecision.objects.filter(by=user).select_related("intent_plan__goal", "by")
    return list(rows.defer("intent_plan__document").order_by("-pk"))


def refuse_others(by: User, plan: IntentPlan) -> None:
    """Raises StaleDigest if somebody else has decided this plan and may still undo that."""
    held = open_on(plan)
    if held is not None and held.by_id != by.pk:
        raise StaleDigest(f"{sentence(held)} They can still undo it.")


def sentence(held: HeldDecision) -> str:
    """Who decided what, and when it takes effect."""
    return f"{held.by.display_name} was first: {held.words} in {held.seconds_left} s."
