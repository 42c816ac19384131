"""How people ask what stands in files, search in them, run programs and send requests; and what must be asked then."""

from __future__ import annotations

from typing import Any

import pytest

from tests.agents.bdi.understanding.workspaces import Workspace

HERE = Workspace.of(
    (
        "README.md", "Makefile", "config/settings.yaml", "config/deploy.ini", "app/billing.py", "app/import_prices.py",
        "data/prices_2023.csv", "data/prices_2024.csv", "logs/mailer.log", "Jam recipes/Plum.txt",
        "Jam recipes/Quince.txt", "Members.csv", "Letters/To mayor.txt", "Charter.pdf", "env/pyvenv.cfg",
        "templates/invoice.html",
    )
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("deploy.ini 10-30", {"path": "config/deploy.ini", "from_line": 10, "to_line": 30}),
        ("billing.py, line 7", {"path": "app/billing.py", "from_line": 7, "to_line": 7}),
        ("first 300 bytes of mailer.log", {"path": "logs/mailer.log", "length": 300}),
        (
            "read 100 bytes of mailer.log beginning at byte 900",
            {"path": "logs/mailer.log", "offset": 900, "length": 100},
        ),
        ("Show billing.py, but only the first 15 lines", {"path": "app/billing.py", "from_line": 1, "to_line": 15}),
        (
            "between lines 20 and 40 of billing.py, what is there?",
            {"path": "app/billing.py", "from_line": 20, "to_line": 40},
        ),
        ("Can you show me how settings.yaml looks right now?", {"path": "config/settings.yaml"}),
        ("put the members list on the screen", {"path": "Members.csv"}),
        ("May I ask for the letter to the mayor?", {"path": "Letters/To mayor.txt"}),
        ("What did we write to the mayor?", {"path": "Letters/To mayor.txt"}),
        ("billing.py from 40 to 60", {"path": "app/billing.py", "from_line": 40, "to_line": 60}),
        ("I'd be grateful to see the members list", {"path": "Members.csv"}),
        ("read settings.yml", {"path": "config/settings.yaml"}),
    ],
)
def test_a_file_is_shown_however_it_is_asked_for(text: str, values: dict[str, Any]) -> None:
    assert HERE.steps(text) == [("read", values)]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("is Gruber among the members?", {"text": "Gruber", "path": "Members.csv"}),
        ("which jam recipes contain pectin?", {"text": "pectin", "path": "Jam recipes"}),
        ("what jam recipes have honey in them", {"text": "honey", "path": "Jam recipes"}),
        ("where do i use pectin? search the jam recipes", {"text": "pectin", "path": "Jam recipes"}),
        ("where in billing.py is Invoice used?", {"text": "Invoice", "path": "app/billing.py"}),
        ("Where is in the code used the function load_rows?", {"text": "load_rows"}),
        ("grep -rn load_rows app", {"text": "load_rows", "path": "app"}),
        (
            r"Search app for matches of the regular expression raise \w+Error",
            {"text": r"raise \w+Error", "path": "app", "regular": True},
        ),
        (
            r"Take the regular expression id=\d{5} and search with it in mailer.log",
            {"text": r"id=\d{5}", "path": "logs/mailer.log", "regular": True},
        ),
        ("search the members with the regular expression 190[34]",
         {"text": "190[34]", "path": "Members.csv", "regular": True}),
        ("Please search with the regular expression [0-9]+ in Members.csv",
         {"text": "[0-9]+", "path": "Members.csv", "regular": True}),
        ("lines in Members.csv matching the regular expression ^2025-0[1-3]",
         {"text": "^2025-0[1-3]", "path": "Members.csv", "regular": True}),
        ("search app for the regex assert .* is None", {"text": "assert .* is None", "path": "app", "regular": True}),
        ("where have I written about ticks?", {"text": "ticks"}),
        ("find the word paid in the data folder, no matter the case",
         {"text": "paid", "path": "data", "ignore_case": True}),
        ("Grep for the regex ^def test_ in app.", {"text": "^def test_", "path": "app", "regular": True}),
        ("find the regex [0-9]+ in data.", {"text": "[0-9]+", "path": "data", "regular": True}),
        (
            "search Members.csv for the word paid, however it is capitalised",
            {"text": "paid", "path": "Members.csv", "ignore_case": True},
        ),
        (
            'look for "paid" in Members.csv, big or small letters doesn\'t matter',
            {"text": "paid", "path": "Members.csv", "ignore_case": True},
        ),
    ],
)  # fmt: skip
def test_what_is_looked_for_in_files_is_understood_with_where(text: str, values: dict[str, Any]) -> None:
    assert HERE.steps(text) == [("grep", values)]


@pytest.mark.parametrize(
    ("text", "command", "values"),
    [
        ("start api with gunicorn app:app -w 4", "start", {"name": "api", "command_line": "gunicorn app:app -w 4"}),
        ("start api again with uvicorn main:app", "start", {"name": "api", "command_line": "uvicorn main:app"}),
        ("start worker: celery -A app worker", "start", {"name": "worker", "command_line": "celery -A app worker"}),
        (
            "python app/billing.py in the background please, name: billing",
            "start",
            {"name": "billing", "command_line": "python app/billing.py"},
        ),
        (
            "start the server python -m http.server 8080 and name it files",
            "start",
            {"name": "files", "command_line": "python -m http.server 8080"},
        ),
        ("run the tests with pytest -x app", "run", {"command_line": "pytest -x app"}),
        (
            "run python app/billing.py and give it the input yes",
            "run",
            {"command_line": "python app/billing.py", "stdin": "yes"},
        ),
        ('give "pytest app" at most 2 minutes', "run", {"command_line": "pytest app", "timeout_s": 120}),
        ("please have the tests run with pytest -q", "run", {"command_line": "pytest -q"}),
        ("npm run build --silent", "run", {"command_line": "npm run build --silent"}),
        ("git --version", "run", {"command_line": "git --version"}),
        ("is the mailer running", "process_log", {"name": "mailer"}),
        ("Does the program mailer still run?", "process_log", {"name": "mailer"}),
        ("start python main.py as service", "start", {"name": "service", "command_line": "python main.py"}),
        ("is the mailer process still alive?", "process_log", {"name": "mailer"}),
        (
            "I'd like to see what the api program has logged since byte 2048",
            "process_log",
            {"name": "api", "from_byte": 2048},
        ),
        ("halt the background job poll", "stop", {"name": "poll"}),
        ("activate the venv env", "activate_venv", {"venv_name": "env"}),
        ("please go back to the system's Python", "deactivate_venv", {}),
        ("let WORKERS be 4", "set_env", {"name": "WORKERS", "value": "4"}),
        ("PORT should not be set any more", "unset_env", {"name": "PORT"}),
    ],
)
def test_programs_and_their_environment_are_spoken_of_in_passing(
    text: str, command: str, values: dict[str, Any]
) -> None:
    assert HERE.steps(text) == [(command, values)]


URL = "https://api.example.com/users/7"


@pytest.mark.parametrize(
    ("text", "command", "values"),
    [
        (f"Make HTTP DELETE on {URL}", "delete", {}),
        (f"DELETE {URL} with the header Authorization: Bearer abc123", "delete", {"headers":
         "Authorization: Bearer abc123"}),
        (f'Change {URL} with a PATCH request; the content is {{"a": 1}}', "patch", {"content": '{"a": 1}'}),
        (f"send the text hello to {URL} with POST as text/plain", "post",
         {"content": "hello", "content_type": "text/plain"}),
        (f"Can you check if {URL} is working at the moment?", "get", {}),
    ],
)  # fmt: skip
def test_requests_are_spoken_of_by_their_methods(text: str, command: str, values: dict[str, Any]) -> None:
    assert HERE.steps(text) == [(command, {"url": URL, **values})]


@pytest.mark.parametrize(
    "text",
    [
        # Another kind of file is another file.
        "Read Charter.txt", "read settings.py", "delete invoice.css",
        # One of several is none for sure.
        "open the prices",
        # What lies here is where, and not what is looked for.
        "search the jam recipes", "search app", "search the data folder",
        # Whoever starts or runs something says what runs.
        "start worker with care", "start billing.py with --debug", "run the script with python",
        "is the program running?",
        # These have gone nowhere, and something is left out.
        "how does billing.py go", "grep -v paid app", "grep -c paid app",
        "is Docker in app?", "which branches use stripe?", "can I ask for a favour?",
        "can I ask for help with billing.py?",
        "where is JWT_SECRET read?",
        "What do we charge? members",
        "use the system python to run billing.py", f"check if {URL} is slow", f"do not do a DELETE on {URL}",
        "activate the environment variable",
        "show billing.py but only if it has 10 lines",
    ],
)  # fmt: skip
def test_what_only_sounds_like_it_is_asked_about(text: str) -> None:
    assert HERE.is_asked(text)
