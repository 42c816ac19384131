"""The addresses that notices may be sent to: apprise's, only for services and options on a list.

Apprise knows more than messages: options that name a file on this machine and send it, services that write to this
machine's log or desktop, several addresses in one. A list of what is forbidden would miss new features of its next
version. Accepted addresses are so simple that every parser reads them in the same way.
"""

from __future__ import annotations

import re

# Services that are reached by HTTP alone.
# fmt: off
SCHEMES = frozenset({
    "apprise", "apprises", "bark", "barks", "dingtalk", "discord", "feishu", "form", "forms", "gchat", "gotify",
    "gotifys", "guilded", "hassio", "hassios", "ifttt", "join", "json", "jsons", "lark", "line", "matrix", "matrixs",
    "mmost", "mmosts", "ncloud", "nclouds", "nctalk", "nctalks", "ntfy", "ntfys", "opsgenie", "pagerduty", "pbul",
    "pover", "prowl", "psafer", "rocket", "rockets", "signal", "signals", "slack", "synology", "synologys", "tgram",
    "wecombot", "workflows", "wxteams", "xml", "xmls", "zulip",
})
OPTIONS = frozenset({
    "avatar", "botname", "channel", "click", "delay", "email", "fields", "flags", "footer", "format", "group",
    "href", "icon", "image", "level", "markdown", "method", "mode", "msgtype", "name", "overflow", "ping", "preview",
    "priority", "region", "silent", "sound", "tags", "thread", "title", "to", "token", "topic", "user", "verify",
})
# fmt: on
# No space, comma or semicolon, which apprise takes for the end of an address or an option, and no fragment.
_PLAIN = re.compile(
    r"(?P<scheme>[a-z]+)://(?P<rest>[A-Za-z0-9._~!$*()=%@:/\[\]+-]*)(\?(?P<query>[A-Za-z0-9._~!*()=%@:/&-]*))?"
)


def is_allowed(address: str) -> bool:
    """Whether a notice may be sent to it."""
    found = _PLAIN.fullmatch(address)
    if found is None or found["scheme"] not in SCHEMES:
        return False
    names = [pair.partition("=")[0] for pair in (found["query"] or "").split("&") if pair]
    return all(name in OPTIONS for name in names)
