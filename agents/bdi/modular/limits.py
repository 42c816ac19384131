"""What a run has left, and whether it must end or submit. A limit is looked at before each step."""

from __future__ import annotations

from agents.bdi.modular.state import State

# Of a small limit the margin is at most a fifth, or a run would submit before it began.
_SHARE = 5


def reached(state: State) -> str:
    """The limit that is reached, as a sentence; empty when none is."""
    usage, limits = state.usage, state.limits
    if state.steps >= limits.steps:
        return f"The limit of {limits.steps:,} steps is reached."
    if usage.tokens >= limits.tokens:
        return f"The limit of {limits.tokens:,} tokens is reached."
    if usage.time_s >= limits.time_s:
        return f"The limit of {limits.time_s:,.0f} s is reached."
    if usage.cost >= limits.cost and limits.cost:
        return f"The limit of ${limits.cost} is reached."
    return ""


def near(state: State) -> str:
    """The limit that is so near that the newest answer is submitted, as a sentence; empty when none is."""
    usage, limits, margin = state.usage, state.limits, state.autosubmit
    if not margin.on:
        return ""
    tokens = min(margin.tokens, limits.tokens // _SHARE)
    if limits.tokens - usage.tokens < tokens:
        return f"Fewer than {tokens:,} tokens are left."
    time_s = min(margin.time_s, limits.time_s / _SHARE)
    if limits.time_s - usage.time_s < time_s:
        return f"Less than {time_s:,.0f} s are left."
    cost = min(margin.cost, limits.cost / _SHARE)
    if limits.cost and limits.cost - usage.cost < cost:
        return f"Less than ${cost:.2f} is left."
    return ""


def newest_answer(state: State) -> str:
    """What the agent itself said last on the present path: what there is to submit."""
    for node in reversed(state.path()):
        if node.message.role == "assistant" and node.message.content.strip():
            return node.message.content
    return ""


def left(state: State) -> str:
    """What is left, as a sentence for a model."""
    usage, limits = state.usage, state.limits
    return (
        f"Used {usage.tokens:,} of {limits.tokens:,} tokens, {usage.time_s:,.0f} of {limits.time_s:,.0f} s, "
        f"{state.steps:,} of {limits.steps:,} steps."
    )
