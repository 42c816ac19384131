"""Room on the disk, memory and names that a program takes where a plain look does not find them."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from sandbox.contract import Limits
from tests.sandbox.conftest import OpenHands
from tests.waiting import wait_until

MIB = 1 << 20
SMALL = Limits(memory_bytes=96 * MIB, file_bytes=4 * MIB, workspace_bytes=12 * MIB, workspace_files=300, processes=48)

# Each writes 88 MiB, keeps them, and says when it has; then it waits to be ended.
_BEGIN = """
import array, ctypes, mmap, os, socket, sys, threading, time
libc = ctypes.CDLL(None)
def fill(descriptor):
    for _ in range(4): os.write(descriptor, bytes(1 << 20))
def made(name):
    descriptor = os.open(name, os.O_CREAT | os.O_RDWR)
    fill(descriptor)
    return descriptor
def held():
    print('held', flush=True)
    time.sleep(60)
"""
_HIDING = {
    "deleted and open": """
held_open = []
for number in range(22):
    held_open.append(made('file')); os.unlink('file')
held()
""",
    "never named": """
held_open = [os.open('.', os.O_TMPFILE | os.O_RDWR) for _ in range(22)]
for each in held_open: fill(each)
held()
""",
    "deleted and mapped": """
maps = []
for number in range(22):
    file = made('file'); maps.append(mmap.mmap(file, 4096)); os.close(file); os.unlink('file')
    # Python keeps a descriptor of its own for a mapping.
    for each in os.listdir('/proc/self/fd'):
        if int(each) > 2:
            try: os.close(int(each))
            except OSError: pass
held()
""",
    "in a message nobody received": """
pairs = []
for number in range(22):
    file = made('file'); os.unlink('file')
    one, other = socket.socketpair()
    one.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [file]))])
    os.close(file); pairs.append((one, other))
held()
""",
    "of a process that cannot be read": """
libc.prctl(4, 0, 0, 0, 0)
held_open = []
for number in range(22):
    held_open.append(made('file')); os.unlink('file')
held()
""",
    "of a thread with descriptors of its own": """
def work():
    libc.syscall(436, 1000, 1000, 2)  # close_range that unshares
    held_open = []
    for number in range(22):
        held_open.append(made('file')); os.unlink('file')
    held()
threading.Thread(target=work).start()
time.sleep(60)
""",
    "in a closed folder": """
os.mkdir('closed')
for number in range(22): os.close(made(f'closed/{number}'))
os.chmod('closed', 0)
held()
""",
    "deeper than a path can say": """
for _ in range(20):
    os.mkdir('x' * 255); os.chdir('x' * 255)
for number in range(22): os.close(made(str(number)))
held()
""",
    "in a folder that never stays": """
os.mkdir('here0')
for number in range(22): os.close(made(f'here0/{number}'))
print('held', flush=True)
end = time.monotonic() + 60
number = 0
while time.monotonic() < end:
    os.rename(f'here{number}', f'here{number + 1}'); number += 1
""",
}


@pytest.mark.parametrize("code", _HIDING.values(), ids=_HIDING)
def test_what_is_hidden_on_the_disk_ends_the_program_too(open_hands: OpenHands, code: str) -> None:
    result = open_hands(limits=SMALL).python(_BEGIN + code, timeout_s=60)
    assert "Error" not in result.data["stderr"], result
    assert (result.status, result.limit) == ("ERROR", "workspace"), result


_HIDES_NOTHING = {
    # As programs of several processes have it all the time.
    "a descriptor on its way": """
file = made('file'); os.unlink('file')
one, other = socket.socketpair()
one.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [file]))])
work()
""",
    "a first thread that has ended": """
threading.Thread(target=work).start()
libc.syscall(60, 0)
""",
}


@pytest.mark.parametrize("code", _HIDES_NOTHING.values(), ids=_HIDES_NOTHING)
def test_what_others_write_ends_nobody(open_hands: OpenHands, tmp_path: Path, code: str) -> None:
    hands = open_hands(limits=SMALL)
    work = """
def work():
    open('begun', 'w').close()
    while not os.path.exists('go'): time.sleep(0.01)
    time.sleep(1.2)  # two looks
    print('done', flush=True)
    os._exit(0)
"""

    def write_beside() -> None:
        wait_until((hands.root / "begun").exists)
        (tmp_path / "of-others").write_bytes(os.urandom(MIB) * 48)
        (hands.root / "go").touch()

    beside = threading.Thread(target=write_beside)
    beside.start()
    result = hands.python(_BEGIN + work + code, timeout_s=60)
    beside.join()
    assert result.data["stdout"] == "done\n", result


def test_room_that_is_only_reserved_counts_after_the_program_too(open_hands: OpenHands) -> None:
    code = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for number in range(10):
    file = os.open(f'f{number}', os.O_CREAT | os.O_RDWR)
    assert libc.fallocate(file, 1, ctypes.c_long(0), ctypes.c_long(4 << 20)) == 0  # keeps the size at 0
"""
    result = open_hands(limits=SMALL).python(code)
    assert (result.status, result.limit) == ("ERROR", "workspace"), result


def test_memory_behind_a_first_thread_that_has_ended(open_hands: OpenHands) -> None:
    """The kernel then shows a process without any memory; the other threads have it still."""
    code = """
def work():
    block = mmap.mmap(-1, 160 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for _ in range(160):
        block.write(bytes(1 << 20)); time.sleep(0.005)
    held()
threading.Thread(target=work).start()
libc.syscall(60, 0)
"""
    result = open_hands(limits=SMALL).python(_BEGIN + code, timeout_s=60)
    assert (result.status, result.limit) == ("ERROR", "memory"), result


@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm"])
def test_names_in_memory_have_a_limit(open_hands: OpenHands, folder: str) -> None:
    hands = open_hands(limits=SMALL)
    code = f"""
for number in range({{}}): os.mknod(f'{folder}/{{{{number}}}}')
held()
"""
    result = hands.python(_BEGIN + code.format(320), timeout_s=60)
    assert (result.status, result.limit) == ("ERROR", "inodes"), result
    assert "temporary files" in result.reason
    assert hands.python("import os; print(len(os.listdir('/tmp')))").data["stdout"] == "0\n"


def test_who_left_too_many_names_in_memory_is_blamed_and_not_the_next(open_hands: OpenHands) -> None:
    hands = open_hands(limits=SMALL)
    result = hands.python("import os\nfor number in range(320): os.mknod(f'/tmp/{number}')")
    assert (result.status, result.limit) == ("ERROR", "inodes"), result
    assert hands.python("import os, time; time.sleep(0.1); print(len(os.listdir('/tmp')))").data["stdout"] == "0\n"


def test_as_many_terminals_as_processes_and_no_more(open_hands: OpenHands) -> None:
    code = "terminals = [os.openpty() for _ in range({})]\nprint('opened', flush=True)\ntime.sleep({})"
    hands = open_hands(limits=SMALL)
    assert hands.python(_BEGIN + code.format(40, 0.2)).ok
    result = hands.python(_BEGIN + code.format(60, 60), timeout_s=60)
    assert (result.status, result.limit) == ("ERROR", "terminals"), result
