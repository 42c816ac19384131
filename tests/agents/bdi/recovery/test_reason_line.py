"""Which line of a failed program's output is shown as its reason. The texts are what the programs wrote, shortened."""

from __future__ import annotations

import time

import pytest

from agents.bdi.recovery.failures import TEXT_KEPT, classify
from agents.bdi.recovery.reason_line import reason_line

_PEP_668 = """\
error: externally-managed-environment

× This environment is externally managed
╰─> To install Python packages system-wide, try apt install
    python3-xyz, where xyz is the package you are trying to
    install.

note: If you believe this is a mistake, please contact your Python installation or OS distribution provider.
hint: See PEP 668 for the detailed specification.
"""
_MERGE = """\
Auto-merging a.txt
CONFLICT (content): Merge conflict in a.txt
Automatic merge failed; fix conflicts and then commit the result.
"""
_REBASE = """\
Rebasing (1/1)\rerror: could not apply 05c748d... three
hint: Resolve all conflicts manually, mark them as resolved with
hint: "git add/rm <conflicted_files>", then run "git rebase --continue".
Could not apply 05c748d... three
"""
_COMPILER = """\
m.c: In function ‘main’:
m.c:1:12: warning: unused variable ‘error’ [-Wunused-variable]
m.c:1:20: error: ‘x’ undeclared (first use in this function)
    1 | int main(){ return x; }
      |                    ^
m.c:1:20: note: each undeclared identifier is reported only once for each function it appears in
m.c:2:17: error: ‘y’ undeclared (first use in this function)
make: *** [Makefile:4: m.o] Error 1
"""
_LINKER = """\
/usr/bin/ld: /tmp/ccl.o: in function `main':
m.c:(.text+0x9): undefined reference to `f'
collect2: error: ld returned 1 exit status
"""
_PYTEST = """\
FF                                                                       [100%]
=================================== FAILURES ===================================
____________________________________ test_a ____________________________________

    def test_a():
>       assert 1 == 2
E       assert 1 == 2

t.py:2: AssertionError
=========================== short test summary info ============================
FAILED t.py::test_a - assert 1 == 2
FAILED t.py::test_b - ValueError: x
2 failed in 0.70s
"""
_COLLECTING = """\
ImportError while importing test module '/work/t/test_import.py'.
t/test_import.py:1: in <module>
    import no_such_module
E   ModuleNotFoundError: No module named 'no_such_module'
=========================== short test summary info ============================
ERROR t/test_import.py
!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!
"""
_NPM = """\
npm error code ENOENT
npm error syscall open
npm error path /nope/x/package.json
npm error errno -2
npm error enoent Could not read package.json: Error: ENOENT: no such file or directory, open '/nope/x/package.json'
npm error A complete log of this run can be found in: /root/.npm/_logs/debug-0.log
"""
_CHAINED = """\
Traceback (most recent call last):
  File "/work/a.py", line 2, in <module>
    int("x")
ValueError: invalid literal for int() with base 10: 'x'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/work/a.py", line 4, in <module>
    raise RuntimeError("no total")
RuntimeError: no total
"""
_CALLED = """\
cp: cannot stat 'a': No such file or directory
Traceback (most recent call last):
  File "/work/a.py", line 2, in <module>
    run(["cp", "a", "b"], check=True)
subprocess.CalledProcessError: Command '['cp', 'a', 'b']' returned non-zero exit status 1.
"""
_NODE = """\
/work/t.js:1
throw new TypeError("no good")
^

TypeError: no good
    at Object.<anonymous> (/work/t.js:1:7)

Node.js v20.20.2
"""
_SSH = """\
Pseudo-terminal will not be allocated because stdin is not a terminal.
ssh: connect to host 127.0.0.1 port 9: Connection refused
"""
_CARGO = """\
error[E0308]: mismatched types
 --> src/main.rs:2:18
error: could not compile `x` (bin "x") due to 1 previous error
"""


@pytest.mark.parametrize(
    ("stderr", "stdout", "line"),
    [
        (_PEP_668, "", "error: externally-managed-environment"),
        ("", _MERGE, "CONFLICT (content): Merge conflict in a.txt"),
        (
            _REBASE,
            "Auto-merging a.txt\nCONFLICT (content): Merge conflict in a.txt\n",
            "error: could not apply 05c748d... three; CONFLICT (content): Merge conflict in a.txt",
        ),
        (_COMPILER, "cc -c m.c\n", "m.c:1:20: error: ‘x’ undeclared (first use in this function)"),
        (_LINKER, "", "m.c:(.text+0x9): undefined reference to `f'"),
        ("make: *** [M2:2: all] Error 1\n", _PYTEST, "FAILED t.py::test_a - assert 1 == 2"),
        ("", _COLLECTING, "E   ModuleNotFoundError: No module named 'no_such_module'"),
        (_NPM, "> x@1.0.0 test\n", _NPM.splitlines()[4]),
        (_CHAINED, "", "RuntimeError: no total"),
        (_CALLED, "", "cp: cannot stat 'a': No such file or directory"),
        (_NODE, "\n> x@1.0.0 test\n> node t.js\n", "TypeError: no good"),
        (_SSH, "", "ssh: connect to host 127.0.0.1 port 9: Connection refused"),
        (_CARGO, "", "error[E0308]: mismatched types"),
        # Where nothing states an error, the last line; of stdout only where stderr says nothing.
        ("reading\nthe ledger is locked\n", "3 lines not read\n", "the ledger is locked"),
        ("", "On branch main\nnothing to commit, working tree clean\n", "nothing to commit, working tree clean"),
        ("make: *** [Makefile:2: all] Error 1\n", "./build --all\n", "make: *** [Makefile:2: all] Error 1"),
        ("", "", ""),
        ("\n \n", "", ""),
    ],
)
def test_the_line_that_says_why_is_shown(stderr: str, stdout: str, line: str) -> None:
    assert reason_line(stderr, stdout) == line


def test_the_reason_of_a_failure_has_that_line() -> None:
    found = classify({"return_code": 1, "stdout": f"\x1b[31m{_MERGE}\x1b[0m"})
    assert found.reason == "exit code 1: CONFLICT (content): Merge conflict in a.txt"
    denied = classify({"return_code": 1, "stderr": "reading\ncat: secret.txt: Permission denied\nread 3 files\n"})
    assert denied.reason == "exit code 1, and stderr says “cat: secret.txt: Permission denied”", "not two words of it"


@pytest.mark.parametrize(
    "text", [one * TEXT_KEPT for one in (*" a0:/|=\t", "a ", "error ", ": ", "x:", "no ", "exit ", "*** error ")]
)
def test_no_text_takes_long_to_rank(text: str) -> None:
    began = time.process_time()
    reason_line(text[-TEXT_KEPT:], text[-TEXT_KEPT:])
    assert time.process_time() - began < 0.15
