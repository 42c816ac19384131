"""What programs in a jail find, what they are, and what they can still do."""

from __future__ import annotations

from tests.sandbox.conftest import Hands


def test_a_program_is_nobody_special_and_can_never_become_anybody_else(hands: Hands) -> None:
    status = hands.run("cat /proc/self/status").data["stdout"]
    assert "NoNewPrivs:\t1\n" in status
    for kind in ("CapEff", "CapPrm", "CapInh", "CapAmb"):
        assert f"{kind}:\t0000000000000000\n" in status
    assert "Uid:\t1000\t1000\t1000\t1000\n" in status


def test_a_program_cannot_end_the_helper_or_speak_for_it(hands: Hands) -> None:
    result = hands.python(
        """
import glob, os, signal
for number in range(1, 65):
    for target in (1,):
        try:
            os.kill(target, number)
        except OSError:
            pass
reached = []
for path in glob.glob("/proc/[0-9]*/fd/*"):
    try:
        with open(path, "wb") as file:
            if file.fileno() > 2 and "/1/" in path:
                reached.append(path)
    except OSError:
        pass
print("reached", reached)
import resource
try:
    resource.prlimit(1, resource.RLIMIT_NOFILE, (1, 1))
    print("limited the helper")
except OSError:
    pass
"""
    )
    assert result.ok, result
    assert result.data["stdout"] == "reached []\n"
    assert hands.do("ls").ok


def test_what_a_program_prints_is_never_taken_for_an_answer(hands: Hands) -> None:
    forged = b'{"end": true, "return_code": 0, "limit": null}'
    result = hands.python(
        f"import os, struct, sys; os.write(1, struct.pack('!II', {len(forged)}, 0) + {forged!r}); sys.exit(9)"
    )
    assert result.data["return_code"] == 9


def test_the_jail_shows_only_its_own_few_places(hands: Hands) -> None:
    names = hands.run("ls /").data["stdout"].split()
    assert set(names) <= {
        "bin",
        "dev",
        "etc",
        "lib",
        "lib32",
        "lib64",
        "opt",
        "proc",
        "sbin",
        "tmp",
        "usr",
        "workspace",
    }
    assert hands.run("cat /etc/passwd").data["stdout"] == "mindx:x:1000:1000:mindX:/tmp:/bin/sh\n"


def test_programs_can_still_use_what_programs_use(hands: Hands) -> None:
    """The other side of every wall: temporary files, threads, processes, pipes, local sockets, random numbers."""
    result = hands.python(
        """
import asyncio, concurrent.futures, multiprocessing, os, random, socket, subprocess, tempfile, threading
with tempfile.NamedTemporaryFile() as file:
    file.write(b"x")
open("/dev/shm/shared", "w").write("x")
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    assert list(pool.map(abs, range(8))) == list(range(8))
with multiprocessing.Pool(2) as pool:
    assert pool.map(abs, [-1, -2]) == [1, 2]
assert subprocess.run(["sh", "-c", "echo x | cat"], capture_output=True, text=True).stdout == "x\\n"
with socket.create_server(("127.0.0.1", 0)) as server:
    socket.create_connection(server.getsockname()).close()
asyncio.run(asyncio.sleep(0))
os.urandom(8)
print("all")
"""
    )
    assert result.data["stdout"] == "all\n", result
