"""YAML as plain data, read strictly and written so that it is read back the same. Lives in the jail.

No tags, no aliases (a few lines with them grow without end), no key twice. Only what JSON also calls a number is one,
and only true and false are switches: `no`, `010`, `1:30` and dates stay the words that somebody wrote.
"""

from __future__ import annotations

import re
from typing import Any

from agents.toolkit.yaml_nodes import YamlFault, compose, reader

NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\Z")
MOST_DEPTH = 40
_SWITCHES = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_NOTHING = ("", "~", "null", "Null", "NULL")
_PREFIX = "tag:yaml.org,2002:"


class Written(str):
    """A number of a data file, as it is written there: 1.50 stays 1.50."""


def load(text: str) -> Any:
    """The data of one document. Raises YamlFault."""
    node = compose(text, most_depth=MOST_DEPTH)
    return None if node is None else _value(node)


def dump(data: Any) -> str:
    """The data as YAML; texts that would be read as something else are quoted."""
    yaml = reader()

    class Dumper(yaml.SafeDumper):  # type: ignore[name-defined,misc]  # the module is found when it runs
        def ignore_aliases(self, data: Any) -> bool:
            return True

    Dumper.add_representer(Written, lambda dumper, number: _number_node(dumper, str(number)))
    Dumper.add_representer(str, _text_node)
    text: str = yaml.dump(data, Dumper=Dumper, sort_keys=False, allow_unicode=True, default_flow_style=False, width=110)
    # A single word ends in a line of its own, which says that the document ends.
    return text.removesuffix("...\n")


def _value(node: Any) -> Any:
    line = node.start_mark.line + 1
    if node.id == "mapping":
        _check_tag(node, "map", line)
        return _mapping(node)
    if node.id == "sequence":
        _check_tag(node, "seq", line)
        return [_value(one) for one in node.value]
    return _scalar(node, line)


def _mapping(node: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in node.value:
        line = key.start_mark.line + 1
        if key.id != "scalar":
            raise YamlFault(line, "a key is one word or a text")
        if key.value in found:
            raise YamlFault(line, f"“{key.value[:60]}” is here twice")
        found[key.value] = _value(value)
    return found


def _check_tag(node: Any, kind: str, line: int) -> None:
    if node.tag != _PREFIX + kind:
        raise YamlFault(line, f"the tag {node.tag[:60]} is not read")


def _scalar(node: Any, line: int) -> Any:
    word = str(node.value)
    if node.style is not None:  # in quotes, or a block of text
        _check_tag(node, "str", line)
        return word
    if not node.tag.startswith(_PREFIX) or node.tag == f"{_PREFIX}binary":
        raise YamlFault(line, f"the tag {node.tag[:60]} is not read")
    if word in _NOTHING:
        return None
    if word in _SWITCHES:
        return _SWITCHES[word]
    return Written(word) if NUMBER.match(word) else word


def _text_node(dumper: Any, said: str) -> Any:
    """A text; one that reads as a number (1e5 is none in YAML 1.1, and is one here and in JSON) stands in quotes."""
    return dumper.represent_scalar(f"{_PREFIX}str", said, style="'" if NUMBER.match(said) else None)


def _number_node(dumper: Any, number: str) -> Any:
    """A number as written. YAML wants a point and a sign with an exponent, which JSON leaves out."""
    digits, letter, power = re.split("([eE])", number) if re.search("[eE]", number) else (number, "", "")
    if letter:
        digits += "" if "." in digits else ".0"
        power = power if power[0] in "+-" else f"+{power}"
    kind = "float" if "." in digits else "int"
    return dumper.represent_scalar(f"{_PREFIX}{kind}", f"{digits}{letter}{power}")
