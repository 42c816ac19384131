"""Which modules go together. A combination runs, or is refused before the start, naming the pair that does not fit."""

from __future__ import annotations

from collections.abc import Mapping

from agents.bdi.modular.modules import Module, UnknownModule, module
from agents.bdi.modular.state import MODULE_TYPES, Chosen


class CombinationRefused(ValueError):
    """These modules cannot run together; each problem is a sentence."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__(" ".join(problems))
        self.problems = problems


def checked(given: Mapping[str, Chosen], *, has_model: bool = True) -> dict[str, Chosen]:
    """The combination with all settings filled in. Raises CombinationRefused."""
    problems: list[str] = []
    found: dict[str, Chosen] = {}
    modules: dict[str, Module] = {}
    for module_type in MODULE_TYPES:
        if module_type not in given:
            problems.append(f"A {module_type} is missing.")
            continue
        try:
            one = modules[module_type] = module(module_type, given[module_type].name)
            found[module_type] = Chosen(one.name, one.read_settings(given[module_type].settings))
        except (UnknownModule, ValueError) as wrong:
            problems.append(str(wrong))
    problems += [f"There is no kind of module called “{name[:60]}”." for name in sorted(set(given) - set(MODULE_TYPES))]
    if problems:
        raise CombinationRefused(tuple(problems))
    for one in modules.values():
        for other, why in one.misfits(found[one.type].settings, found):
            pair = f"The {one.type} “{one.title}” does not fit the {other} “{modules[other].title}”"
            problems.append(f"{pair}: {why}")
        if one.uses_model and not has_model:
            problems.append(f"The {one.type} “{one.title}” asks a language model, and none is set up.")
    if problems:
        raise CombinationRefused(tuple(problems))
    return found
