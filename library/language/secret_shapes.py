"""Where secrets stand in a text, by their well-known shapes. Pure.

| shape | recognised by |
|---|---|
| private key | `-----BEGIN … PRIVATE KEY-----` to its end |
| tokens of GitHub, GitLab, npm, PyPI, Hugging Face, Slack, Stripe, SendGrid | prefixes: `ghp_`, `github_pat_`, … |
| keys of OpenAI, Anthropic and others | `sk-…` |
| keys of AWS and Google | `AKIA…`, `ASIA…`, `AIza…` |
| JSON web token | three parts, of which the first two begin with `eyJ` |
| password in a web address | `scheme://name:password@host` |
| bearer and basic authorization | `Bearer …`, `Authorization: Basic …` |
| password | `password=…`, `password: …`, `the password is …`, `--password …`, `curl -u name:password` |
| other secrets | `api_key=…`, `client_secret: …`, `token = …`, where the value has letters and digits |

A secret without such a shape is not recognised. A word that is no secret may be taken for one (“the password is blue”).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Found:
    """A secret's place in the text, and its kind in words."""

    begin: int
    end: int
    kind: str


@dataclass(frozen=True)
class _Shape:
    """`needs`: one of these stands in every text that has it, in small letters; else the pattern is not tried.

    `in_small`: the pattern is for the text in small letters: ten times as fast as one that ignores case.
    """

    kind: str
    needs: tuple[str, ...]
    pattern: re.Pattern[str]
    in_small: bool


def _shape(kind: str, needs: str, pattern: str, *, in_small: bool = False) -> _Shape:
    return _Shape(kind, tuple(needs.split()), re.compile(pattern), in_small)


# In a text of JSON the letter of an escape stands before what begins a line.
START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))"
_SAYS = r"""(?:["'”]?[ \t]{0,4}(?:=>|:=|=|:)[ \t]{0,4}|[ \t]{1,4}(?:is|was)[ \t]{1,4})"""
_VALUE = (
    r"""(?:"(?P<double>[^"\n]{1,200})"|'(?P<single>[^'\n]{1,200})'|“(?P<curly>[^”\n]{1,200})”"""
    r"|`(?P<code>[^`\n]{1,200})`|(?P<bare>\S{1,200}))"
)
_LOGIN_WORD = r"(?:pass(?:word|phrase|wd|code)|pwd)(?:_\w{1,16})?"
_KEY_WORD = (
    r"(?:(?:api|access|account|auth|private|secret|signing|encryption|master|client)[ _-]?(?:key|token|secret)"
    r"|secret|token|credential)(?:_\w{1,16})?"
)
_LOGIN_WORDS = "password passphrase passwd passcode pwd"
PASSWORD, OTHER = "password", "secret"
_SHAPES = (
    _shape(
        "private key",
        "private",
        r"(?P<bare>-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:[\s\S]*?-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----|[\s\S]*))",
    ),
    _shape(
        "GitHub token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        START + r"(?P<bare>gh[pousr]_[A-Za-z0-9]{16,255}|github_pat_[A-Za-z0-9_]{16,255})",
    ),
    _shape("GitLab token", "glpat- gldt- glrt-", START + r"(?P<bare>gl(?:pat|dt|rt)-[A-Za-z0-9_-]{16,255})"),
    _shape("npm token", "npm_", START + r"(?P<bare>npm_[A-Za-z0-9]{16,255})"),
    _shape("PyPI token", "pypi-", START + r"(?P<bare>pypi-[A-Za-z0-9_-]{32,255})"),
    _shape("Hugging Face token", "hf_", START + r"(?P<bare>hf_[A-Za-z0-9]{16,255})"),
    _shape("Slack token", "xox xapp-", START + r"(?P<bare>(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,255})"),
    _shape("Slack token", "hooks.slack.com", r"hooks\.slack\.com/services/(?P<bare>[A-Za-z0-9/]{16,255})"),
    _shape("Stripe key", "sk_ rk_ whsec_", START + r"(?P<bare>(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,255})"),
    _shape("SendGrid key", "sg.", START + r"(?P<bare>SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64})"),
    _shape("API key", "sk-", START + r"(?P<bare>sk-[A-Za-z0-9_-]{16,255})"),
    _shape("AWS key", "akia asia", START + r"(?P<bare>(?:AKIA|ASIA)[A-Z0-9]{16})(?![A-Za-z0-9])"),
    _shape("Google key", "aiza", START + r"(?P<bare>AIza[A-Za-z0-9_-]{30,40})"),
    _shape(
        "JSON web token",
        "eyj",
        START + r"(?P<bare>eyJ[A-Za-z0-9_-]{6,4096}\.eyJ[A-Za-z0-9_-]{6,8192}\.[A-Za-z0-9_-]{0,1024})",
    ),
    _shape(
        "password in an address",
        "://",
        r"[A-Za-z][A-Za-z0-9+.-]{0,20}://[^\s/:@\"']{0,100}:(?P<bare>[^\s/@\"']{1,200})@",
    ),
    _shape(
        "bearer token", "bearer", r"bearer[ \t]{1,4}(?P<bare>(?=\S*[0-9])[A-Za-z0-9._~+/-]{12,4096}=*)", in_small=True
    ),
    _shape(
        "authorization",
        "authorization",
        r"authorization[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?(?:basic|token)[ \t]{1,4}(?P<bare>[\w.~+/-]{8,4096}=*)",
        in_small=True,
    ),
    _shape(PASSWORD, _LOGIN_WORDS, _LOGIN_WORD + _SAYS + _VALUE, in_small=True),
    _shape(PASSWORD, _LOGIN_WORDS, rf"--{_LOGIN_WORD}[ \t]{{1,4}}{_VALUE}", in_small=True),
    _shape(
        PASSWORD,
        _LOGIN_WORDS,
        _LOGIN_WORD + r"[ \t]{1,4}(?P<bare>(?=\S{0,200}[0-9])(?=\S{0,200}[A-Za-z])\S{6,200})",
        in_small=True,
    ),
    _shape(
        PASSWORD,
        "curl",
        r"\bcurl\b[^\n]{0,200}?\s(?:-u|--user)[ \t=][\"']?[^\s:\"']{1,100}:(?P<bare>[^\s\"'/][^\s\"']{0,200})",
    ),
    _shape(OTHER, "key token secret credential", _KEY_WORD + _SAYS + _VALUE, in_small=True),
)
# What may follow “password is” or “password:” and is none: words about one, and types.
_NO_PASSWORD = frozenset(
    word
    for line in (
        "a an the my your not no in on at it this that what to too so and or of for from with as wrong right correct",
        "incorrect valid invalid empty missing required needed set unset stored saved hashed encrypted changed secret",
        "known unknown weak strong long short old new there here null none nil true false str string text bytes int",
        "any optional",
    )
    for word in line.split()
)
# What stands for a value: a variable, a field to be filled, stars, a call.
_A_PLACE = re.compile(r"\$\{?\w*\}?|[{<\[%(].*|\*+|\.{3}|…|[A-Za-z_][\w.]*[(\[].*")
_BEHIND = ".,;:!?)]}>\"'"
_SHORTEST_OTHER = 8


def may_hold_one(text: str) -> bool:
    """Whether it is worth looking: quick, and true of every text that holds one."""
    small = _small(text)
    return any(need in small for shape in _SHAPES for need in shape.needs)


def find(text: str) -> list[Found]:
    """The secrets in a text in their order, none over another; of two at one place the one that begins first."""
    small = _small(text)
    likely = [shape for shape in _SHAPES if any(need in small for need in shape.needs)]
    every = sorted(
        (one for shape in likely for one in _of_shape(shape, text, small)), key=lambda one: (one.begin, one.end)
    )
    kept: list[Found] = []
    for one in every:
        if not kept or one.begin >= kept[-1].end:
            kept.append(one)
    return kept


def of_field(name: str, value: str) -> str:
    """The kind of secret that a field of this name holds as its whole value; "" for none."""
    for kind, word in ((PASSWORD, _LOGIN_WORD), (OTHER, _KEY_WORD)):
        if re.search(word, _small(name)) and _is_secret(kind, value, is_quoted=True):
            return kind
    return ""


def _small(text: str) -> str:
    """The text in small letters, each at the place where it stood; a few letters have none of the same length."""
    small = text.lower()
    if len(small) == len(text):
        return small
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


def _of_shape(shape: _Shape, text: str, small: str) -> Iterator[Found]:
    for found in shape.pattern.finditer(small if shape.in_small else text):
        name = found.lastgroup or "bare"
        begin, end = found.span(name)
        if name == "bare" and shape.kind in (PASSWORD, OTHER):
            end = begin + len(text[begin:end].rstrip(_BEHIND))
        if _is_secret(shape.kind, text[begin:end], is_quoted=name != "bare"):
            yield Found(begin, end, shape.kind)


def _is_secret(kind: str, value: str, *, is_quoted: bool) -> bool:
    if kind not in (PASSWORD, OTHER):
        return True
    if not value or _A_PLACE.fullmatch(value):
        return False
    if kind == OTHER:
        mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
        return mixed and len(value) >= _SHORTEST_OTHER
    return is_quoted or value.casefold() not in _NO_PASSWORD
