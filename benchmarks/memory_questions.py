# ruff: noqa: E501  # a case a line reads best
"""Twenty questions in other words to memory: how often the first hit, and one of the first three, is the one meant.

Sixty experiences as mindX writes them, twenty of which one question each is about. Searched twice over the real
statement: by all four texts with successes a little in front, and as before by goal and result alone. The questions
were written once, before anything was measured, and nothing is set by them. They are easy: goal and result alone
find nearly all, so the set tells little of what the two further texts are worth.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from benchmarks.servers import database

if TYPE_CHECKING:
    from people.models import User

# Goal, steps, what was known, outcome, result, question.
CASES = (
    ("Sum the invoices of May", "Read invoices.csv. Write total.txt.", "invoices.csv has 31 lines.", "success", "wrote total.txt: 4,112.30", "how did we add up the bills last spring"),
    ("Make a Python project for the weather station", "Create the folder weather. Make a virtual environment.", "", "success", "created weather/.venv", "setting up code for the meteorology device"),
    ("Fetch the exchange rates", "Ask https://rates.example for today's rates.", "", "failure", "NETWORK_ERROR: connection timed out", "when did downloading currency prices not get through"),
    ("Rename all photos by date", "Run rename.py.", "The folder photos has 200 entries.", "partial_success", "180 renamed, 20 have no date", "pictures that could not be sorted by day"),
    ("Check the backup", "Run restic check.", "A backup of Monday is there.", "success", "no errors were found", "was the saved copy of our data intact"),
    ("Translate the manual into German", "Send manual.md to the language model.", "", "abandoned", "rejected: too expensive", "which document did someone refuse to have turned into another language"),
    ("Install the charting library", "Run pip install matplotlib.", "Python 3.11 is installed.", "failure", "no space left on device", "disk was full while adding a package"),
    ("Count words in the essays", "Run wc on essays.", "Essays has 12 files.", "success", "8,412 words", "length of the students' texts"),
    ("Tidy the downloads folder", "Move old files into archive.", "Downloads has 340 entries.", "success", "moved 210 files", "cleaning up where the browser saves things"),
    ("Send the newsletter", "Run send.py.", "A person said: only after Friday.", "failure", "authentication failed", "mailing to subscribers was refused by the login"),
    ("Plot the temperature of June", "Read temps.csv. Write june.png.", "temps.csv has a gap on June 9.", "success", "drew june.png", "graph of how warm it was in early summer"),
    ("Find duplicate customers", "Run dedupe.py.", "", "partial_success", "14 pairs were found, 3 could not be compared", "people who are in our client list twice"),
    ("Update the licence headers", "Change 40 files.", "The project has tests.", "success", "40 files changed", "the legal text at the top of each source"),
    ("Convert the recordings to text", "Run whisper on talks.", "", "failure", "out of memory", "speech to text crashed for lack of RAM"),
    ("Close the month in the ledger", "Write closing.csv.", "A person said: use the rates of the last day.", "success", "closing.csv has 87 entries", "bookkeeping at the end of the period"),
    ("Remove unused images", "Delete 30 files from static.", "", "abandoned", "a person stopped it: they are used in mails", "deleting pictures that turned out to be needed"),
    ("Run the tests of the parser", "Run pytest parser.", "The folder parser has tests.", "failure", "2 failed: test_quotes, test_unicode", "quality checks of the grammar code that were red"),
    ("Write release notes for 2.4", "Read the git log. Write NOTES.md.", "", "success", "wrote NOTES.md with 18 entries", "summary of changes for the new version"),
    ("Import the address book", "Read contacts.vcf. Write contacts.csv.", "contacts.vcf is not UTF-8.", "partial_success", "3 names have wrong letters", "umlauts got broken when loading phone contacts"),
    ("Measure how fast the website answers", "Run curl 20 times.", "", "success", "median 120 ms", "latency of our home page"),
)  # fmt: skip
# About none of them.
_ELSEWHERE = (
    "did the kitchen renovation plan work",
    "anything about kubernetes cluster upgrades",
    "what failed when scraping the job portal",
    "how did the wedding seating chart go",
    "what do we know about tax returns",
    "have we ever compiled the rust firmware",
    "previous attempts at solving sudoku puzzles",
    "did we resize the video files",
    "how did the chess tournament pairing go",
    "problems with the car rental contract",
    "experience with the DNS migration",
    "who booked the flights to Lisbon",
    "what went wrong with quarterly sales forecast",
    "what happened with the smoke detector alarms",
    "what went wrong with the login page of the shop",
    "what happened with the payroll of the harbour",
    "what worked for the poem translation into French",
    "how were the interview transcripts summarised",
    "did the barcode scanner import work",
)
_OTHERS = (
    "Water the plants in room {n}",
    "Print badge number {n}",
    "Copy the file part{n}.txt to the share",
    "Zip the folder of project {n}",
)


def main() -> None:
    """Measure and print."""
    with database():
        from people.models import User
        from people.roles import Role

        owner = User.objects.create_user("owner", roles=[Role.SUBMITTER])
        _remember(owner)
        from library.memory import questions
        from library.memory import selectors as searching

        selectors: Any = searching

        def ranks() -> list[int]:
            return [_rank(question, goal, selectors.search, owner) for goal, *_, question in CASES]

        now = ranks()
        told = [
            sum(bool(questions.reply(one, user=owner).counts) for one in asked)
            for asked in ([question for *_, question in CASES], _ELSEWHERE)
        ]
        texts = selectors.EXPERIENCE_TEXTS
        selectors.EXPERIENCE_TEXTS = ("primary_goal_description", "output_summary")
        selectors._WORTH = "0.0"
        before = ranks()
        selectors.EXPERIENCE_TEXTS = texts
        without_success = ranks()
    say = sys.stdout.write
    say(
        f"\n{len(CASES)} questions in other words among {len(CASES) + 40} experiences\n| searched | first hit | one of the first three |\n|---|---|---|\n"
    )
    for name, found in (
        ("goal and result, as before", before),
        ("four texts", without_success),
        ("four texts and the outcome", now),
    ):
        say(f"| {name} | {sum(one == 1 for one in found)} | {sum(1 <= one <= 3 for one in found)} |\n")
    for (goal, *_), old, new in zip(CASES, before, now, strict=True):
        if old != new:
            say(f"{goal}: place {old or 'none'} before, {new or 'none'} now\n")
    here, elsewhere = told
    say(f"Told as known: {here} of {len(CASES)} that are, {elsewhere} of {len(_ELSEWHERE)} that nothing is about\n")


def _rank(question: str, goal: str, search: Callable[..., Any], owner: User) -> int:
    """The place of the experience that is meant, from 1; 0 when it is not among the first twenty."""
    found = [getattr(row, "primary_goal_description", "") for row, _ in search(question, user=owner)]
    return found.index(goal) + 1 if goal in found else 0


def _remember(owner: User) -> None:
    from django.utils import timezone

    from library import embedding
    from library.memory import services

    rows = [case[:5] for case in CASES]
    rows += [(_OTHERS[n % 4].format(n=n), f"Run job {n}.", "", "success", "done") for n in range(40)]
    for number, (goal, steps, known, outcome, result) in enumerate(rows):
        services.record(
            owner=owner,
            goal_ref=str(number),
            primary_goal_description=goal,
            sub_task_description=steps,
            input_context_summary=known,
            final_outcome=outcome,
            output_summary=result,
            timestamp=timezone.now(),
            initiating_agent_id="mindx",
        )
    embedding.embed_missing()


if __name__ == "__main__":
    main()
