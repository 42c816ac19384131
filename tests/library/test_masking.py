"""Secrets are found by their shapes, masked wherever they stand, and come back where their mark does."""

from __future__ import annotations

import hashlib
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from library.language import secret_shapes
from library.language.masking import MARK, Masked, marks_in, mask, told


def mark_of(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()[:8]


def masked(*texts: str) -> Masked:
    return mask(texts, mark_of)


LONG = "a1B2c3D4" * 5
KEY_BLOCK = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nxyz=\n-----END RSA PRIVATE KEY-----"
# A text in which the secret is said between « and ».
SECRETS = [
    f"push with «ghp_{LONG}» please",
    f"push with «github_pat_{LONG}_x»",
    f"«glpat-{LONG[:20]}» is for the runner",
    f"ask with «sk-proj-{LONG}»",
    "ask with «sk-ant-api03-abcdefghijklmnop»",
    "the bucket's key is «AKIAIOSFODNN7EXAMPLE»",
    f"«xoxb-123456789012-{LONG[:12]}»",
    f"«AIza{LONG[:35]}»",
    f"post to https://hooks.slack.com/services/«T00000000/B00000000/{LONG[:24]}»",
    "read https://bob:«hunter2»@example.org/private",
    "use postgres://app:«p»@db/app",
    f"send Authorization: Bearer «{LONG}»",
    "send the header 'Authorization: Basic «Ym9iOmh1bnRlcjI=»'",
    "with «eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmVk» as the token",
    f"write «{KEY_BLOCK}» to the file id_rsa",
    "log in, the password is «hunter2».",
    "log in, my password is «swordfish», then list the files",
    'the passphrase is "«correct horse battery staple»" and the rest',
    "password=«x»",
    "DB_PASSWORD=«s3cr3t»!",
    "pwd: «tr0ub4dor&3»",
    "log in as bob with password «hunter22» and go",
    "run mysql --password «letmein»",
    "run curl -u bob:«letmein» http://example.org",
    f"export AWS_SECRET_ACCESS_KEY=«{LONG}»",
    f"api_key = '«{LONG[:16]}»'",
    f'{{"client_secret": "«{LONG}»", "x": 1}}',
]
PLAIN = [
    "check whether the password is empty",
    "the password is not known, ask for it",
    "write a login form with a password field",
    "def login(user: str, password: str, token: str | None = None) -> None: ...",
    "password = os.environ.get('PASSWORD')",
    "password=$DB_PASSWORD",
    "password: {{password}}",
    "password: <your password>",
    "max_tokens=4096 and the tokens: 12",
    "the secretary is in the office",
    "read http://127.0.0.1:8000/a@b",
    "run docker run -u 1000:1000 image",
    "sk-learn and task-oriented things",
    "create a python project named ghp_tools",
]


@pytest.mark.parametrize("said", SECRETS)
def test_a_secret_of_a_well_known_shape_is_masked_and_comes_back(said: str) -> None:
    secret = said[said.index("«") + 1 : said.index("»")]
    text = said.replace("«", "").replace("»", "")
    found = masked(text)
    assert found.texts == (said.replace(f"«{secret}»", MARK + mark_of(secret)),)
    assert found.kinds
    assert found.restored(found.texts[0]) == text


@pytest.mark.parametrize("text", PLAIN)
def test_what_is_no_secret_stays_as_it_is(text: str) -> None:
    assert masked(text) == Masked((text,))


@given(st.lists(st.sampled_from([*SECRETS, *PLAIN]) | st.text(max_size=60), max_size=4), st.booleans())
def test_masking_is_undone_by_restoring_and_changes_nothing_twice(pieces: list[str], as_json: bool) -> None:
    text = "\n".join(pieces).replace("«", "").replace("»", "")
    said = json.dumps({"goal": text, "more": [text, 3]}) if as_json else text
    found = masked(said)
    again = masked(*found.texts)
    assert again.texts == found.texts
    assert again.kinds == ()
    if as_json:
        assert found.restored(json.loads(found.texts[0])) == json.loads(said)
    else:
        assert found.restored(found.texts[0]) == said
    assert all(secret not in found.texts[0] for secret in found.secrets.values() if len(secret) >= 12)


def test_the_same_secret_has_the_same_mark_wherever_it_stands() -> None:
    mark = MARK + mark_of("hunter2")
    first, second, third = masked("now hunter2 is it", "the password is hunter2", "hunter2s").texts
    assert (first, second, third) == (f"now {mark} is it", f"the password is {mark}", "hunter2s")


def test_a_word_that_is_short_is_masked_only_where_its_shape_shows_it() -> None:
    assert masked("the password is test", "run the test").texts[1] == "run the test"


def test_our_own_words_are_not_changed_by_what_somebody_took_for_a_password() -> None:
    ours, theirs = mask(["Answer with folders.", "the password is folders"], mark_of, ours=[0]).texts
    assert ours == "Answer with folders."
    assert theirs != "the password is folders"


def test_a_providers_key_is_masked_everywhere_whatever_its_shape() -> None:
    found = mask(["rules: abcdefgh", "xabcdefghx"], mark_of, keys=["abcdefgh"], ours=[0])
    assert "abcdefgh" not in " ".join(found.texts)
    assert found.kinds == ("key of a model's provider",)


def test_in_json_a_secret_is_what_the_text_says_and_not_how_it_is_escaped() -> None:
    said = json.dumps({"goal": 'first line\nthe password is "hünter\\2"'})
    found = masked(said, f"It goes back with:\n{said}")
    assert list(found.secrets.values()) == ["hünter\\2"]
    assert "nter" not in " ".join(found.texts)
    assert (
        json.loads(found.texts[0])["goal"] == f'first line\nthe password is "{MARK}{mark_of("hünter" + chr(92) + "2")}"'
    )


def test_what_a_person_is_told_names_kinds_and_no_secret() -> None:
    found = masked("the password is hunter22", f"ghp_{LONG}")
    said = told(found.kinds)
    assert "GitHub token, password" in said
    assert "hunter22" not in said
    assert LONG not in said


def test_only_secrets_of_the_named_texts_come_back() -> None:
    found = masked("the password is hunter22", "password=swordfish")
    marks = " ".join(found.secrets)
    assert found.restored([marks], within=["… hunter22 …"]) == [f"hunter22 {MARK}{mark_of('swordfish')}"]


def test_what_a_model_made_of_a_mark_is_seen() -> None:
    assert marks_in({"a": ["say Masked Secret_1", 3]}) == {"Masked Secret_1"}
    assert marks_in("nothing of that kind") == frozenset()


@pytest.mark.parametrize(
    "piece",
    ["password ", "a:", "eyJ", "-----BEGIN PRIVATE KEY-----", "token=", "bearer ", "pass", "secret_", "curl ", "x://"],
)  # fmt: skip
def test_a_long_text_takes_no_long_time(piece: str) -> None:
    text = (piece * 48_000)[:48_000]
    begun = time.process_time()
    secret_shapes.find(text)
    assert time.process_time() - begun < 1.0
