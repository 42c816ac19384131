"""mindX as `ours`, and what a worker does after the end besides: each goal is taken up again and remembered."""

from __future__ import annotations

from benchmarks.durable import ours


class Lane(ours.Lane):
    """Two turns a goal: to its end, and learning from it."""

    def run(self) -> None:
        from agents.cycle import cycle
        from library import embedding

        for plan in self._plans:
            while cycle.one(plan.goal_id) is not None:
                pass
        embedding.embed_waiting()  # as `cycle.work` does when nothing is left to claim
        self._check()
