"""Which status a component version may take next; `services` is the one place that sets one."""

from library.models import ComponentVersion

_S = ComponentVersion.Status

# A retired version may come back.
MOVES = {
    _S.CANDIDATE: frozenset({_S.CANARY, _S.ACTIVE, _S.RETIRED}),
    # A candidate again: the trial that it was a canary for has ended.
    _S.CANARY: frozenset({_S.ACTIVE, _S.RETIRED, _S.CANDIDATE}),
    _S.ACTIVE: frozenset({_S.RETIRED}),
    _S.RETIRED: frozenset({_S.ACTIVE}),
}
