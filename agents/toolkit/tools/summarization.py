"""Summaries of files and texts: made of their own sentences on this machine, or written by the language model.

The jail reads the file and looks whether it is text; mindX makes the summary of what the jail answered. Sending text to
a model is a command of its own with an effect of its own, so nobody approves it by approving something else.
"""

from __future__ import annotations

from typing import Any

from agents.toolkit import finishing, refusal
from agents.toolkit.command import Command, Tool
from agents.toolkit.describing import fields, number, path
from agents.toolkit.jailed import in_jail
from agents.toolkit.summarization import candidates, inside, sentences, source
from agents.toolkit.summarization.saying import SAID
from agents.toolkit.trial import Trial

NAME = "summarization"
_TEXT = {
    "type": "string",
    "title": "Text",
    "minLength": 1,
    "maxLength": 200_000,
    "x-reference": True,
    "x-multiline": True,
}
_SENTENCES = number("At most so many sentences", 1, 30, default=6)
_WORDS = number("About so many words", 20, 1000, default=150)
_FILE, _FILE_BY_MODEL = (
    fields({"path": path("Text file"), **more}, "path") for more in ({"sentences": _SENTENCES}, {"words": _WORDS})
)
_OF_TEXT, _TEXT_BY_MODEL = (
    fields({"text": _TEXT, **more}, "text") for more in ({"sentences": _SENTENCES}, {"words": _WORDS})
)
_PARTS = (refusal, source, sentences, candidates)
_RESULT = ("summary", "read_chars", "left_out_chars")


def _command(
    name: str, summary: str, schema: dict[str, Any], phrases: tuple[str, ...], finish: str, trials: tuple[Trial, ...]
) -> Command:
    by_model = finishing.SERVICES[finish].to_model
    example = {"path": "README.md"} if "path" in schema["properties"] else {"text": "The sun was hot. Rain came late."}
    return Command(
        NAME,
        name,
        f"{summary} {finishing.SERVICES[finish].words}",
        schema,
        phrases,
        "keyed" if by_model else "idempotent",
        in_jail(inside, schema, reads_only=True, parts=_PARTS, only_sentences=not by_model),
        (*_RESULT, "model") if by_model else (*_RESULT, "chosen", "there"),
        (example,),
        trials=trials,
        finish=finish,
    )


_SAID = "The weather was cold in May.\n\nRain fell on most days of that month.\n"
_GONE = Trial({"path": "gone.txt"}, error="INVALID_PARAMETERS", changes=())
_FILES = {"a.txt": _SAID, "b.bin": "a\0b"}

TOOL = Tool(
    NAME,
    "Summarization",
    "Summarises text files and texts: by their own most telling sentences, on this machine and without a model; or, by "
    "commands of their own, by the language model, which gets the text, and which the agent's budget of the day pays.",
    (
        _command(
            "key_sentences",
            "Summarise a text file by its own most telling sentences.",
            _FILE,
            (
                "summarize the file {path} [in at most {sentences} sentences]",
                "(summarize|summarise|sum up) [the file] {path}",
                "show [me] the (key|main) sentences of [the file] {path}",
            ),
            finishing.KEY_SENTENCES,
            (
                Trial({"path": "a.txt"}, _FILES, result={"chosen": 2, "there": 2}, changes=()),
                Trial({"path": "b.bin"}, _FILES, error="INVALID_PARAMETERS", changes=()),
                _GONE,
            ),
        ),
        _command(
            "key_sentences_of_text",
            "Summarise a text by its own most telling sentences.",
            _OF_TEXT,
            (
                "summarize the text {text} [in at most {sentences} sentences]",
                "(summarize|summarise|sum up) the text {text}",
            ),
            finishing.KEY_SENTENCES,
            (
                Trial({"text": _SAID, "sentences": 1}, result={"chosen": 1}, changes=()),
                Trial({"text": " "}, error="INVALID_PARAMETERS", changes=()),
            ),
        ),
        _command(
            "send_file_to_model",
            "Have a language model summarise a text file.",
            _FILE_BY_MODEL,
            (
                "send the file {path} to the language model for a summary [of about {words} words]",
                "(summarize|summarise) [the file] {path} (by|with) (a|the) [language] model",
            ),
            finishing.MODEL_SUMMARY,
            (
                Trial({"path": "a.txt"}, _FILES, said="It was cold.", result={"summary": "It was cold."}, changes=()),
                _GONE,
            ),
        ),
        _command(
            "send_text_to_model",
            "Have a language model summarise a text.",
            _TEXT_BY_MODEL,
            (
                "send the text {text} to the language model for a summary [of about {words} words]",
                "(summarize|summarise) the text {text} (by|with) (a|the) [language] model",
            ),
            finishing.MODEL_SUMMARY,
            (Trial({"text": _SAID}, said="It was cold.", result={"summary": "It was cold."}, changes=()),),
        ),
    ),
    SAID,
)
