"""How people look for files by their names and for text in them."""

from __future__ import annotations

from collections.abc import Mapping

from agents.toolkit.saying import Place, Said, sense

_KINDS_OF_FILES = {
    "all files": ("kind", "file"),
    "files": ("kind", "file"),
    "file": ("kind", "file"),
    "only files": ("kind", "file"),
    "just files": ("kind", "file"),
    "folders": ("kind", "dir"),
    "all folders": ("kind", "dir"),
    "only folders": ("kind", "dir"),
    "just folders": ("kind", "dir"),
    "subfolders": ("kind", "dir"),
    "directories": ("kind", "dir"),
    "every|each|any folder|directory|subfolder": ("kind", "dir"),
    "files and folders": ("kind", "any"),
}
_NAMED = (
    "*pattern~pattern > named, -name, with ending, with the ending, ending in, ending with, that end in, that end "
    "with, "
    "of type, matching, with name, with the name, like, whose name is, with extension, with the extension, whose name "
    "end "
    "in, whose name end with, which end in, which end with, that be named, which be named"
)
# What is looked for in code by what reads it, and not as a text.
_FAULTS = (
    "bug bugs problem problems issue issues vulnerability vulnerabilities mistake mistakes flaw flaws fault faults "
    "weakness weaknesses unused dead smell smells security danger dangers"
)
# Each way is a phrase of its own in the lexicon of every process: few words, or there are a hundred thousand.
_CASE = "case|capitals|capitalisation|capitalization"
_BIG = "upper|lower|capital|small|big|large"
_LETTERS = "case|letters"
_MATTERS = "matters|matter|counts|count"
_IGNORING = {
    f"[with] ignore|ignoring|disregard|disregarding|forgetting [the] {_CASE}": ("ignore_case", True),
    f"ignore|ignoring|regardless|whatever [of] [the] {_BIG} and|or {_BIG} {_LETTERS}": ("ignore_case", True),
    f"regardless|irrespective|independent|independently of [the] {_CASE}": ("ignore_case", True),
    f"regardless|irrespective|independent|independently of [the] {_BIG} and|or {_BIG} [{_LETTERS}]": (
        "ignore_case",
        True,
    ),
    f"whatever [the] {_CASE}": ("ignore_case", True),
    f"no matter [the] {_CASE}": ("ignore_case", True),
    f"never|not mind|minding [the] {_CASE}": ("ignore_case", True),
    f"no matter [if|whether|the] [in] {_BIG} and|or {_BIG} [{_LETTERS}]": ("ignore_case", True),
    "no matter what|which case": ("ignore_case", True),
    f"[the] {_CASE} is not important|relevant": ("ignore_case", True),
    f"[the] {_CASE} is irrelevant|unimportant": ("ignore_case", True),
    f"[the] {_CASE} do|does not {_MATTERS}": ("ignore_case", True),
    f"{_BIG} [and|or] {_LETTERS} do|does not {_MATTERS}": ("ignore_case", True),
    f"{_BIG} and|or {_BIG} [{_LETTERS}] do|does not {_MATTERS}": ("ignore_case", True),
    f"{_BIG} and|or {_BIG} [{_LETTERS}] [are] [all] [the] alike": ("ignore_case", True),
    f"in|with|both {_BIG} and|or {_BIG} [{_LETTERS}]": ("ignore_case", True),
    f"{_BIG} or {_BIG} case|letters": ("ignore_case", True),
    "upper|upper- or|and lower|lowercase [case]": ("ignore_case", True),
    "capitals|capital [letters] or not": ("ignore_case", True),
    "however|whichever [way] it|they is|are written|spelt|spelled|capitalised|capitalized|cased": ("ignore_case", True),
    "in any|either case|capitalisation|capitalization": ("ignore_case", True),
    "[in] case|case- insensitive|insensitively": ("ignore_case", True),
    "[as] case-insensitive|case-insensitively": ("ignore_case", True),
    "[the] case matters|counts": ("ignore_case", False),
    "[be] case sensitive|sensitively": ("ignore_case", False),
    "case-sensitive|case-sensitively": ("ignore_case", False),
    "[with|in] [the|this] exact case": ("ignore_case", False),
    "not case sensitive": ("ignore_case", True),
    "not case-sensitive": ("ignore_case", True),
    "-i": ("ignore_case", True),
    "-ri": ("ignore_case", True),
    "-e": ("regular", True),
    "[with|as|by|using] [the|a|this] regex|regexp|pattern": ("regular", True),
    "[with|as|by|using] [the|a|this] regular expression": ("regular", True),
}

SAID: Mapping[str, Said] = {
    "find": Said(
        (
            sense(
                "find, locate, search for, search, look for, where is, where be, where … lie, where … live, where do "
                "… put, where have … put, where do … save, where can "
                "… find, where do … find, seek, hunt for, discover, do a search for",
                _NAMED,
                "path > in, below, under, inside, inside of, within, from, of, .",
                "newest > newest, the newest, latest, the latest, most recent, the most recent, last < newest, "
                "latest, most recent",
                about="file folder all everything newest latest recent anything",
                flags=_KINDS_OF_FILES,
                never=(
                    f"{_FAULTS} commit commits branch branches note notes biggest largest smallest oldest big large "
                    "release version "
                    "word words text line lines mention used defined contain web internet definition function"
                ),
            ),
            sense(
                "list, show, get, give, which are, what are, see, display, print, is there, are there, do … have, "
                "which … are there",
                _NAMED,
                "path > in, below, under, inside, inside of, within, from, of",
                "newest > newest, the newest, latest, the latest, most recent, the most recent, last < newest, "
                "latest, most recent",
                about="file folder all everything newest latest recent anything",
                wants="newest pattern",
                key="newest latest recent named like ending matching type",
                flags=_KINDS_OF_FILES,
                never=(
                    "commit commits branch branches note notes biggest largest smallest oldest line lines version "
                    "program release would"
                ),
            ),
            sense(
                "list, show, get, give, which, what, see, display, print, are there, do … have, find, look for, search "
                "for, locate, enumerate",
                "path > in, below, under, inside, inside of, within, from, of",
                about="folder all every each only just there here list any available exist",
                key="folders subfolders directories subdirectories",
                never=(
                    "file files content contents everything newest latest biggest largest note notes commit named "
                    "called"
                ),
                kind="dir",
            ),
            sense(
                "list, show, get, give, which, what, see, display, print, is there, are there, do … have, find, look "
                "for, search for, search, locate, have, enumerate",
                "*pattern~ending",
                "path > in, below, under, inside, inside of, within, from, of",
                about="all every there available exist file document",
                key="files documents every each",
                wants="pattern",
                never="note notes commit line lines newest latest biggest largest content contents contain mention",
                flags={"files": ("kind", "file")},
            ),
            sense(
                "any, is there any, are there any, do … have any",
                "*pattern~ending",
                "path > in, below, under, inside, inside of, within",
                about="file files there",
                wants="pattern",
                never="note notes commit line lines newest latest",
            ),
            sense(
                "list, show, get, give, which, what, which be, what be, see, display, find",
                "path > in, below, under, inside, of",
                about="file most modified changed edited change modify edit very one",
                key="newest latest recent recently last",
                never=(
                    "files folders commit commits branch branches note notes line lines version release program bytes "
                    "sentence word"
                ),
                flags={"file": ("kind", "file")},
                newest=1,
            ),
        ),
        {"path": Place("folder")},
        {"name": "pattern", "glob": "pattern", "directory": "path", "folder": "path"},
    ),
    "grep": Said(
        (
            sense(
                "search for, search, grep, look for, find, scan for, look up, locate, seek, hunt for, where do … "
                "say, where is, "
                "where does it say, check for, which file contain, which file mention, which file use, which file … "
                "contain, which file … mention, which file … use, which file have, which file … occur, which file … "
                "appear, "
                "who use, who call, where … used, where … called, where … appear, where … occur, where … mentioned, "
                "do … mention, do … contain, do … use, scan, do a search for, do grep for, is … anywhere, is … "
                "mentioned, is … used, is the word, is the text",
                "*text~text > for, for the text, for the name, the text, the word, the words, the string, the phrase, "
                "the term, the expression, "
                "word, text, string, phrase, term, containing, that contain, which contain, mentioning, that "
                "mention, mention, contain, occurrences of, "
                "occurrence of, mentions of, uses of, usages of, imports of, matches of, "
                "matches for, lines with, lines containing, all lines with, "
                "for the word, for the string, say, every line with, the pattern, anything with, references to",
                "path > in, below, inside, inside of, within, through, across, under, throughout, in all of",
                about=(
                    "text word string phrase occurrence line lines file folder used code mention all anywhere "
                    "everywhere everything term anything it where"
                ),
                flags=_IGNORING,
                never=f"{_FAULTS} web internet google online mail mails email emails newest latest replace "
                "biggest largest defined definition",
            ),
            sense(
                "show, list, print, display, give, get, see, which, what, output, are there, is there, check",
                "text~text > containing, that contain, which contain, with, mentioning, that mention, having, that "
                "have, with the word, with the text, where it say, contain, mention, occurrences of, occurrence of, "
                "mention of, mentions of, uses of, usages of, references to, whether",
                "path > in, of, from, below, inside, within, is in, appears in, occurs in",
                about="line lines all every occurrence mention use file where any",
                key="line lines occurrence occurrences mention mentions usages references",
                wants="text",
                flags=_IGNORING,
                never="note notes commit first last number",
            ),
            sense(
                "check, scan, search, look in, look through, go through",
                "*path",
                "text~quoted > for, for the text, for the word, for the string",
                about="file folder lines code",
                wants="text",
                flags=_IGNORING,
                never="replace",
            ),
            sense(
                "check whether, check if, see whether, see if, tell … whether, tell … if, is, does",
                "*text~quoted",
                "path > is in, be in, appears in, occurs in, stands in, in, is mentioned in, is used in",
                about="word text line mentioned used appear anywhere",
                wants="text",
                flags=_IGNORING,
            ),
        ),
        {"path": Place("any")},
        {"query": "text", "pattern": "text", "string": "text", "directory": "path", "folder": "path"},
    ),
}
