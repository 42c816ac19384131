"""How people ask for summaries in passing."""

from __future__ import annotations

from collections.abc import Mapping

from agents.toolkit.saying import Place, Said, sense

_ASK = (
    "summarize, sum up, sum … up, condense, reduce, cut down, cut … down, shorten, boil down, boil … down, recap, "
    "abridge, outline, digest, give … summary of, give summary of, make summary of, make a summary of, write "
    "summary of, have summary of, have a summary of, give … gist of, what is the gist of, give … overview of, tldr, "
    "what are the key sentences of, show … key sentences of, show … main sentences of, what are the main points of, "
    "what be … about, what be the main point of, what be the essence of, what be the key message of, what be the "
    "main idea of, give … short version of, make … short version of, what are the most important points in, what "
    "are the most important points of, what are the main points in, do summary of, give … essence of, give … main "
    "points of, write … summary of, make … summary of, make … resume of, give … resume of, write … resume of, make … "
    "résumé of, want … gist of, compress, get … summary of, want summary of, "
    "need summary of, create summary of, create a summary of, produce a summary of, brief … on, tell … in short "
    "what … say, say … in short what … say"
)
_NOMINAL = (
    "show, give, get, make, want, need, write, do, have, list, pick, pick out, find, extract, tell, print, what be, "
    "which be"
)
_OF_IT = "summary gist tldr nutshell essence synopsis digest"
_SENTENCES = (
    "sentences > in at most, in no more than, in, with at most, at most, no more than, using, to, of, "
    "with, max, maximum, not more than, up to, into, down to, no longer than, not longer than, as, limited to "
    "< of them, sentences, sentence, phrases, phrase, lines, important, telling"
)
_WORDS = (
    "words > of about, in about, in, with about, about, of, at most, in at most, no more than, around, in"
    " around, of at most, in no more than, using, to, to about, down to, with, up to, max, maximum, limit, roughly, no "
    "longer than, limited to, of around, circa < words, word"
)
_BY = "model language llm ai by with"
_TO_MODEL = (
    "send … to [the|a|an|our] [language] model|ai|llm, send … to [the|a|an|our] [language] model|ai|llm for [a] "
    "summary, send … to [the|a|an|our] [language] model|ai|llm to summarize, have … model summarize, ask … model to "
    "summarize, ask … model for a summary of, let … model summarize, ask … model to sum up, use … model to summarize, "
    "get … model to summarize, have … ai summarize, summarize, sum up, condense"
)

_FILE = {"path": Place("file")}
_FILE_ALSO = {"file_path": "path", "file": "path"}

SAID: Mapping[str, Said] = {
    "key_sentences": Said(
        (
            sense(
                _ASK,
                "*path > of, from, for",
                _SENTENCES,
                about=(
                    "file summary key main sentences sentence document short brief shortly briefly gist rough "
                    "concise compact"
                ),
                never="word words model llm ai note code module modules quality complexity",
            ),
            sense(
                _NOMINAL,
                "*path > of, from, for, in, out of",
                _SENTENCES,
                about="file summary key main sentences document short brief very quick text rough concise compact",
                key=f"{_OF_IT} summarization",
                never="word words model llm ai note notes report documentation commit branch folder",
            ),
            sense(
                _NOMINAL,
                "*path > of, from, for, out of",
                _SENTENCES,
                about="file key main important telling most document the best central",
                key="sentences sentence",
                wants="path",
                never="word words model llm ai note notes commit saying delete add",
            ),
        ),
        _FILE,
        {**_FILE_ALSO, "max_sentences": "sentences", "count": "sentences"},
    ),
    "key_sentences_of_text": Said(
        (
            sense(
                _NOMINAL,
                "*text~quoted > this text, the text, of this text, of the text, out of this text, out of the text, "
                "from "
                "this text, from the text, of the following text, of, out of, from",
                _SENTENCES,
                about="text key main important telling most following best central summary",
                key="sentences sentence summary gist essence",
                wants="text",
                never="word words model llm ai note file saying",
            ),
            sense(
                _ASK,
                "*text~quoted > the text, this text, text, the following text, the following, this, of the text",
                _SENTENCES,
                about="text summary following",
                never="word words model llm ai note",
            ),
        ),
        {},
        {"content": "text", "max_sentences": "sentences"},
    ),
    "send_file_to_model": Said(
        (
            sense(
                f"{_TO_MODEL}, {_ASK}",
                "*path > of, from, for, the file",
                _WORDS,
                about=f"{_BY} summary file document short brief gist main points written made text",
                key="model llm ai",
                never="note code module modules quality complexity",
            ),
        ),
        _FILE,
        {**_FILE_ALSO, "max_words": "words"},
    ),
    "send_text_to_model": Said(
        (
            sense(
                f"{_TO_MODEL}, {_ASK}, write",
                "*text~quoted > the text, this text, of the text, text, on this text, on the text, about this text, "
                "about the text, of this text, for this text",
                _WORDS,
                about=f"{_BY} summary text following short brief",
                key="model llm ai",
            ),
        ),
        {},
        {"content": "text", "max_words": "words"},
    ),
}
