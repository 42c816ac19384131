"""One process runs the models for all others: what it answers, and what its clients do when it is gone."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from library.errors import EmbeddingUnavailable, EntailmentUnavailable
from library.language import embeddings, model_client, model_server, store
from library.language.building import constants_of
from library.language.entailment import cross_encoder, graph_file, model, trained
from library.language.entailment.judgement import judgement_of, shares_of
from library.language.model_protocol import MAX_REQUEST_BYTES, NUMBERS, REASON, receive_frame, request_of, send_frame
from library.language.once import Once
from library.language.sentence_model import SentenceModel, of_this_process
from tests.waiting import wait_until

ROOT = Path(__file__).parent.parent.parent
SERVER = """
import sys
from pathlib import Path
import django
django.setup()
from library.language.model_server import serve
serve(Path(sys.argv[1]))
"""
CLIENT = """
import json, sys
from concurrent.futures import ThreadPoolExecutor
import django
django.setup()
from library.language import embeddings
from library.language.entailment import model
texts = json.load(sys.stdin)
with ThreadPoolExecutor(4) as threads:
    vectors = list(threads.map(lambda _: embeddings.embed(texts), range(4)))
judged = model.judge([("The gate is open.", "The gate is closed.")])
loaded = sorted({"onnxruntime", "tokenizers"} & sys.modules.keys())
json.dump({"vectors": vectors, "label": judged[0].label, "loaded": loaded}, sys.stdout)
"""
Start = Callable[..., "subprocess.Popen[bytes]"]


def environment(**more: str) -> dict[str, str]:
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "mindx_web.settings",
        "MINDX_SECRET_KEY": "only for a test",
        "DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing",  # whoever reads it fails
        **more,
    }


def can_connect(address: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as line:
        return line.connect_ex(str(address)) == 0


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A short path, as sockets need it, of mode 700."""
    made = tempfile.mkdtemp(prefix="mindx-")
    yield Path(made)
    shutil.rmtree(made)


@pytest.fixture(scope="module")
def start() -> Iterator[Start]:
    """`start(address)`: the server in a process of its own, which ends with these tests."""
    with ExitStack() as ends:

        def started(address: Path, *, waits: bool = True, **more: str) -> subprocess.Popen[bytes]:
            process = subprocess.Popen(
                [sys.executable, "-c", SERVER, str(address)], cwd=ROOT, env=environment(**more), stderr=subprocess.PIPE
            )
            ends.callback(process.communicate)
            ends.callback(process.kill)
            if waits:
                wait_until(lambda: can_connect(address) or process.poll() is not None, what="the server")
            return process

        yield started


@pytest.fixture(scope="module")
def shared(start: Start, folder: Path) -> Path:
    """The address of a server that no test ends."""
    start(folder / "shared")
    return folder / "shared"


@pytest.fixture
def asks(settings: Any) -> Iterator[Callable[[Path], None]]:
    """`asks(address)`: from now on this process asks the server there."""

    def ask(address: Path) -> None:
        settings.MODEL_SERVER = str(address)

    yield ask
    model_client._is_missed.clear()
    model_client._mine.line = None


class Fake:
    """A server that answers each request with the number of the connection, 384 times; or not before it is let."""

    def __init__(self, address: Path) -> None:
        self.lines: list[socket.socket] = []
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.ended: list[int] = []
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(address))
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                line, _ = self._listener.accept()
            except OSError:
                return
            self.lines.append(line)
            threading.Thread(target=self._converse, args=[line, len(self.lines)], daemon=True).start()

    def _converse(self, line: socket.socket, number: int) -> None:
        try:
            while receive_frame(line, MAX_REQUEST_BYTES) is not None:
                self.may_answer.wait()
                send_frame(line, NUMBERS + struct.pack("384f", *[number] * 384))
        except OSError:
            pass
        self.ended.append(number)

    def close(self) -> None:
        self.may_answer.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for line in self.lines:
            line.close()


@pytest.fixture
def fake(folder: Path, asks: Callable[[Path], None]) -> Iterator[Fake]:
    server = Fake(folder / "fake")
    asks(folder / "fake")
    yield server
    server.close()
    (folder / "fake").unlink()


def answered_by() -> int:
    """The number of the connection on which the fake answered."""
    return int(embeddings.embed(["which?"])[0][0])


def test_vectors_are_the_same_to_the_last_bit(shared: Path, asks: Callable[[Path], None]) -> None:
    texts = [f"Gate {number} is open {'and wide ' * (number % 7)}" for number in range(70)]
    texts += ["", "\ud800 lone surrogate", "\0" * 40, "words " * 5_000, "São Paulo’s 雨", texts[3]]
    here = embeddings.embed(texts)
    asks(shared)
    assert embeddings.embed(texts) == here
    assert embeddings.embed([]) == []


def test_judgements_are_the_same_to_the_last_bit(shared: Path, asks: Callable[[Path], None]) -> None:
    pairs = [(f"The gate {number} is painted blue.", "A gate has a colour.") for number in range(40)]
    pairs += [("The gate is open and " * 40, "The gate is open."), ("x " * 50_000, "x"), ("a \ud800", "")]
    here = model.judge(pairs)
    asks(shared)
    assert model.judge(pairs) == here


def test_processes_and_threads_that_ask_at_once_get_their_own_answers_and_load_no_model(shared: Path) -> None:
    texts = [[f"Process {number} asks about the weather {'again ' * times}" for times in range(9)] for number in (1, 2)]

    def client(said: list[str]) -> dict[str, Any]:
        done = subprocess.run(
            [sys.executable, "-c", CLIENT],
            cwd=ROOT,
            env=environment(MINDX_MODEL_SERVER=str(shared)),
            input=json.dumps(said).encode(),
            stdout=subprocess.PIPE,
            timeout=120,
            check=True,
        )
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    with ThreadPoolExecutor(2) as both:
        answers = list(both.map(client, texts))
    for said, answer in zip(texts, answers, strict=True):
        expected = of_this_process.get().embed(said)
        assert answer == {"vectors": [expected] * 4, "label": "contradiction", "loaded": []}


def test_a_server_that_was_killed_and_started_again_is_found(
    start: Start, folder: Path, asks: Callable[[Path], None]
) -> None:
    address = folder / "again"
    asks(address)
    first = start(address)
    expected = embeddings.embed(["high tide"])
    first.kill()
    first.wait()
    start(address)
    assert embeddings.embed(["high tide"]) == expected


def test_a_request_whose_server_is_killed_is_answered_by_the_next_one(
    start: Start, folder: Path, asks: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_client, "PATIENCE_S", 60.0)  # the next one has to start within it on any machine
    address = folder / "middle"
    asks(address)
    first = start(address)
    is_known, may_ask = threading.Event(), threading.Event()

    def ask() -> list[list[float]]:
        embeddings.embed(["low tide"])
        is_known.set()
        may_ask.wait()
        return embeddings.embed(["neap tide"])

    with ThreadPoolExecutor(1) as other:
        answer = other.submit(ask)
        assert is_known.wait(60)
        first.send_signal(signal.SIGSTOP)
        may_ask.set()
        first.kill()
        first.wait()
        start(address)
        assert answer.result(60) == embeddings.embed_here(["neap tide"])


def test_a_server_that_is_just_starting_is_waited_for(
    start: Start, folder: Path, asks: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_client, "PATIENCE_S", 60.0)  # it has to start within it on any machine
    asks(folder / "late")
    start(folder / "late", waits=False)
    assert embeddings.why_unavailable() == ""


def test_a_server_that_is_not_there_is_waited_for_once(
    folder: Path, asks: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_client, "PATIENCE_S", 1.0)
    asks(folder / "nobody")
    began = time.monotonic()
    assert "is not there" in embeddings.why_unavailable()
    waited = time.monotonic()
    assert "is not there" in model.why_unavailable()
    assert waited - began >= 1.0
    assert time.monotonic() - waited < 1.0


def test_without_an_answer_in_time_the_next_request_gets_its_own(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_client, "ANSWER_PER_ROW_S", 0.0)
    assert answered_by() == 1
    fake.may_answer.clear()
    with monkeypatch.context() as hasty:
        hasty.setattr(model_client, "ANSWER_S", 0.1)
        with pytest.raises(EmbeddingUnavailable, match="no answer within"):
            embeddings.embed(["late"])
    fake.may_answer.set()
    assert answered_by() == 2


@pytest.mark.filterwarnings("error::ResourceWarning")
def test_a_thread_keeps_its_connection_and_closes_it_at_its_end(fake: Fake) -> None:
    assert answered_by() == answered_by() == 1
    with ThreadPoolExecutor(1) as other:
        assert other.submit(answered_by).result() == 2
        assert other.submit(answered_by).result() == 2
        assert fake.ended == []
    wait_until(lambda: fake.ended == [2], what="the end of the connection")


def test_a_forked_child_does_not_speak_on_its_parents_connection(fake: Fake) -> None:
    assert answered_by() == 1
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, str(answered_by()).encode())
        os._exit(0)
    os.close(write)
    try:
        assert select.select([read], [], [], 60)[0], "the child is stuck"
        assert os.read(read, 8) == b"2"
        assert answered_by() == 1, "and the parent's is still there"
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(read)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe rubbish",
        b"[" * 100_000,
        b'{"model": "sentences"}',
        b'{"model": "sentences", "rows": [["a", "b"]]}',
        b'{"model": "pairs", "rows": ["a", "b"]}',
        b'{"model": "sentences", "rows": ["\\ud800"]}',
        b'{"model": "other", "rows": []}',
    ],
)
def test_what_is_no_request_is_refused_and_the_next_is_answered(shared: Path, content: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(60)
        line.connect(str(shared))
        send_frame(line, content)
        assert (receive_frame(line, 10_000) or b"")[:1] == REASON
        send_frame(line, request_of("sentences", ["still there"]))
        assert (receive_frame(line, 10_000) or b"")[:1] == NUMBERS


@pytest.mark.parametrize("said", [struct.pack("!I", MAX_REQUEST_BYTES + 1), b"\xff" * 100])
def test_who_announces_too_much_is_sent_away_before_it_is_read(
    shared: Path, said: bytes, asks: Callable[[Path], None]
) -> None:
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(60)
        line.connect(str(shared))
        line.sendall(said)
        with suppress(ConnectionResetError):  # what it did not read was still there when it closed
            assert line.recv(1) == b""
    asks(shared)
    assert embeddings.why_unavailable() == ""


def test_who_goes_within_a_request_does_no_harm(shared: Path, asks: Callable[[Path], None]) -> None:
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(str(shared))
        line.sendall(struct.pack("!I", 1_000) + b"half")
    asks(shared)
    assert embeddings.why_unavailable() == ""


def test_more_than_a_request_may_have_is_not_sent(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_client, "MAX_REQUEST_BYTES", 50)
    with pytest.raises(EmbeddingUnavailable, match="no more than 50 bytes"):
        embeddings.embed(["a" * 50])
    assert fake.lines == []


def test_why_a_model_cannot_be_used_is_said_in_the_servers_words(
    start: Start, folder: Path, tmp_path: Path, asks: Callable[[Path], None], settings: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr("library.language.sentence_model.of_this_process", Once(SentenceModel))
    monkeypatch.setattr(cross_encoder, "of_this_process", Once(cross_encoder.CrossEncoder))
    for path in (store.expected_path(), graph_file.expected_path()):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"half a graph")
        constants_of(path).write_bytes(b"")
    here = embeddings.why_unavailable(), model.why_unavailable()
    assert "sentence model failed" in here[0]
    assert "Delete" in here[1]
    start(folder / "damaged", MINDX_DATA=str(tmp_path))
    asks(folder / "damaged")
    assert (embeddings.why_unavailable(), model.why_unavailable()) == here
    with pytest.raises(EntailmentUnavailable):
        model.judge([("a", "b")])


def test_a_judgement_is_the_same_from_its_probabilities() -> None:
    for number, label in enumerate(trained.LABELS):
        shares = [0.1, 0.1, 0.1]
        shares[number] = 0.8
        judgement = judgement_of(shares)
        assert (judgement.label, shares_of(judgement)) == (label, tuple(shares))


def test_sigterm_ends_the_server_after_what_it_was_asked(start: Start, folder: Path) -> None:
    address = folder / "ended"
    server = start(address)
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(60)
        line.connect(str(address))
        send_frame(line, request_of("sentences", ["the first one loads"]))
        assert receive_frame(line, 10_000)
        send_frame(line, request_of("sentences", [f"tide {number} " * 40 for number in range(32)]))
        server.terminate()
        assert len(receive_frame(line, 100_000) or b"") == 1 + 32 * 384 * 4
    assert server.wait(30) == 0
    assert not address.exists()


def test_interrupts_from_a_terminal_do_not_end_the_server(
    start: Start, folder: Path, asks: Callable[[Path], None]
) -> None:
    server = start(folder / "interrupted")
    asks(folder / "interrupted")
    server.send_signal(signal.SIGINT)
    server.send_signal(signal.SIGHUP)
    assert embeddings.why_unavailable() == ""
    assert server.poll() is None


def test_a_server_that_ends_leaves_the_socket_of_its_successor(
    start: Start, folder: Path, asks: Callable[[Path], None]
) -> None:
    address = folder / "successor"
    first = start(address)
    before = address.lstat().st_ino
    start(address, waits=False)
    wait_until(lambda: address.exists() and address.lstat().st_ino != before and can_connect(address))
    first.terminate()
    assert first.wait(30) == 0
    asks(address)
    assert embeddings.why_unavailable() == ""


def test_a_folder_that_others_may_enter_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    with pytest.raises(PermissionError, match="mode must be 700"):
        model_server._listening(tmp_path / "socket")
