"""The guards of the sandbox, and how to switch each one off: a text of its code, and what to put there instead."""

from __future__ import annotations

from dataclasses import dataclass

_JAIL = "sandbox/jail"
_GATE = "sandbox/gate"
_INSIDE = "sandbox/jail/inside"


@dataclass(frozen=True)
class Guard:
    """`kinds` are those of the rows that should get through without it; `tests` is for what no row can show.

    Without one that `hangs`, a command waits for ever, and that is what shows.
    """

    name: str
    file: str
    changes: tuple[tuple[str, str], ...]
    kinds: tuple[str, ...] = ()
    tests: str = ""
    hangs: bool = False


def _guard(name: str, file: str, old: str, new: str, *kinds: str, tests: str = "", hangs: bool = False) -> Guard:
    return Guard(name, file, ((old, new),), kinds, tests, hangs)


def _call(name: str, *kinds: str) -> Guard:
    old = "if name in numbers}"
    return _guard(f"`{name}` narrowed by its arguments", f"{_JAIL}/seccomp.py", old,
                  f"if name in numbers and name != {name!r}}}", *kinds)  # fmt: skip


FILES_TEST = "tests/sandbox/escapes/test_file_commands.py"
GATE_TEST = "tests/sandbox/escapes/test_at_the_gate.py"
_HIDING = "tests/sandbox/jail/test_hiding.py"
_LIVING_ON = "tests/sandbox/escapes/test_living_on.py"
_LIFETIME = "tests/sandbox/jail/test_lifetime.py"
_LANDLOCK = "tests/sandbox/jail/test_landlock.py"

JAIL = [
    _guard("own network", f"{_JAIL}/bubblewrap.py", '"--unshare-all"',
           '"--unshare-ipc", "--unshare-pid", "--unshare-uts"', "network", "socket"),
    _guard("own process numbers", f"{_JAIL}/bubblewrap.py", '"--unshare-all"',
           '"--unshare-ipc", "--unshare-net", "--unshare-uts"', "proc"),
    _guard("few places of the host", f"{_JAIL}/bubblewrap.py", "    for bind in bound:",
           '    made += ["--ro-bind", "/var", "/var"]\n    for bind in bound:', "path", "link", "socket", "archive"),
    Guard("accounts of its own", f"{_JAIL}/bubblewrap.py",
          (('_ETC = ("alternatives"', '_ETC = ("passwd", "alternatives"'), ('"passwd": f"', '"passwd-": f"')),
          ("environment",)),
    _guard("root folder read-only", f"{_JAIL}/bubblewrap.py", ', "--remount-ro", "/"', "", "path"),
    _guard("/dev read-only", f"{_JAIL}/bubblewrap.py", '"--remount-ro", "/dev", ', "", "device"),
    _guard("/dev/shm sized", f"{_JAIL}/bubblewrap.py", "_SHM_BYTES = 64 << 20", "_SHM_BYTES = 640 << 20", "memory"),
    _guard("the jail's uid", f"{_JAIL}/launcher.py", "        become(order.uid)\n", "", "proc"),
    _guard("system call filter", f"{_JAIL}/bubblewrap.py", ', "--seccomp", str(seccomp)', "", "system call"),
    _guard("unknown calls do not exist", f"{_JAIL}/seccomp.py", "return [*code, (_RETURN, 0, 0, ENOSYS)]",
           "return [*code, (_RETURN, 0, 0, ALLOW)]", "system call", "memory", "namespace", "time"),
    _guard("one architecture's calls", f"{_JAIL}/seccomp.py", "(_JUMP_EQUAL, 1, 0, architecture.audit)",
           "(_JUMP_EQUAL, 1, 1, architecture.audit)", "system call"),
    _call("clone", "namespace"),
    _call("ioctl", "terminal"),
    _call("socket", "socket"),
    _call("personality", "system call"),
    _call("prlimit64", "parent"),
    _call("setpriority", "parent"),
]  # fmt: skip

HELPER = [
    _guard("helper not dumpable", f"{_INSIDE}/main.py", "prctl(_PR_SET_DUMPABLE, 0", "prctl(_PR_SET_DUMPABLE, 1",
           "proc", "environment", "parent", "descriptor"),
    _guard("SIGINT at its default", f"{_INSIDE}/main.py", 'libc.function("signal")(_SIGINT, None)', "pass", "parent"),
    _guard("its socket closed on exec", f"{_INSIDE}/main.py", "os.set_inheritable(descriptor, False)",
           "os.set_inheritable(descriptor, True)", "descriptor"),
    _guard("kill and reap after each program", f"{_INSIDE}/company.py",
           "            left_running = self._clear()\n", "            left_running = 0\n", "race"),
    _guard("rlimit of processes", f"{_INSIDE}/main.py", '        (resource.RLIMIT_NPROC, limits["processes"]),\n', "",
           "fork"),
    _guard("rlimit of descriptors", f"{_INSIDE}/main.py",
           '        (resource.RLIMIT_NOFILE, limits["descriptors"]),\n', "", "descriptor"),
    _guard("rlimit of file size", f"{_INSIDE}/main.py", '        (resource.RLIMIT_FSIZE, limits["file_bytes"]),\n', "",
           "disk", "archive"),
    _guard("watch over memory", f"{_INSIDE}/watch.py",
           'if memory_bytes > self._limits["memory_bytes"]:\n            return "memory"',
           'if False:\n            return "memory"', "memory"),
    _guard("watch over time", f"{_INSIDE}/watch.py", "if now < self.at:", "if True:", "time"),
    _guard("watch over output", f"{_INSIDE}/company.py",
           'if program.sent_bytes > self.limits["output_file_bytes"]:', "if False:", "output"),
    _guard("output counted", f"{_INSIDE}/programs.py", "self.sent_bytes += len(data)", "self.sent_bytes += 0",
           "output"),
    _guard("count behind a first thread", f"{_INSIDE}/census.py", "        if touched is None:", "        if False:",
           tests=f"{_HIDING} -k first_thread"),
    _guard("deleted files that are open", f"{_INSIDE}/holdings.py", "        self.size_bytes += state.st_blocks",
           "        self.size_bytes += 0 * state.st_blocks", "disk"),
    _guard("every thread's descriptors", f"{_INSIDE}/holdings.py", '{task}/fd"', '{task}/../../fd"',
           tests=f"{_HIDING} -k thread"),
    _guard("suspicion of what hides", f"{_INSIDE}/disk.py", "self._suspects(found, lost) and", "False and",
           tests=f"{_HIDING} -k hidden"),
    _guard("names in memory counted", f"{_INSIDE}/temporary.py", "return sum(map(_files, folders(place))) >",
           "return 0 >", "inode"),
    _guard("terminals counted", f"{_INSIDE}/watch.py", "if temporary.folders(self._place) and", "if False and",
           tests=f"{_HIDING} -k terminals"),
    _guard("rlimit of waiting signals", f"{_INSIDE}/main.py",
           "        (resource.RLIMIT_SIGPENDING, _MOST_PENDING),\n", "",
           tests="tests/sandbox/jail/test_limits.py -k timers"),
    _guard("look over the workspace afterwards", f"{_INSIDE}/main.py", "    if after.over_limit:", "    if False:",
           "disk", "inode"),
]  # fmt: skip

FILES = [
    _guard("openat2 without links", f"{_INSIDE}/tree.py", "_RESOLVE = 0x08 | 0x04 | 0x02", "_RESOLVE = 0",
           tests=FILES_TEST),
    _guard("no writing by a second name", f"{_INSIDE}/files.py", "if state.st_nlink > 1:", "if False:",
           tests=FILES_TEST),
    _guard("no waiting on FIFOs", f"{_INSIDE}/reading.py", "os.O_RDONLY | os.O_NONBLOCK)", "os.O_RDONLY)",
           tests=f"{FILES_TEST} -k FIFO", hangs=True),
    _guard("no special files", f"{_INSIDE}/files.py", '    if kind != "file":\n        raise',
           "    if False:\n        raise",
           tests=f"{FILES_TEST} -k FIFO", hangs=True),
]  # fmt: skip

NETWORK = [
    _guard("names lead to public addresses", f"{_GATE}/outside.py", "[each for each in found if is_public(each)]",
           "found", tests=GATE_TEST),
    _guard("connections are for the approved name", f"{_GATE}/relay.py",
           "    if greeted.host != destination.host or port != destination.port:", "    if False:", tests=GATE_TEST),
    _guard("TLS has to name its host", f"{_GATE}/greeting.py",
           'raise NotUnderstood("TLS does not say which host is meant (no server name)") from None',
           'return "host.example"', tests=GATE_TEST),
    _guard("one HTTP request a connection", f"{_GATE}/greeting.py",
           '(b"upgrade, close" if upgrades else b"close")', 'b"keep-alive"', tests=GATE_TEST),
    _guard("other protocols need an address", f"{_GATE}/greeting.py",
           "raise NotUnderstood(_NEITHER)  #", 'return Greeting("host.example", None, data)  #', tests=GATE_TEST),
    _guard("package files verified", f"{_GATE}/cache.py", "if made.hexdigest() != sha256:", "if False:",
           tests=GATE_TEST),
    _guard("redirects stay with the index", f"{_GATE}/index_address.py",
           'return origin.scheme == "https" or origin == self.origin', "return True", tests=GATE_TEST),
    _guard("the gate ends with its session", f"{_JAIL}/cell.py", "            self.gate.close()\n",
           "            self.gate = None\n", tests="tests/sandbox/gate/test_gate.py -k outlives"),
]  # fmt: skip

ENDS = [
    _guard("empty environment of launcher and bubblewrap", f"{_JAIL}/launching.py", "        env={},\n", "",
           tests=f"{_LIFETIME} -k environment"),
    _guard("launcher watches the worker itself", f"{_JAIL}/launcher.py", "in (session, *guards, ended)",
           "in (session, ended)", tests=f"{_LIFETIME} -k killed_worker"),
    _guard("`--die-with-parent`", f"{_JAIL}/bubblewrap.py", '"--die-with-parent", ', "",
           tests=f"{_LIFETIME} -k whichever"),
]  # fmt: skip

STARTED = [
    _guard("what will not be stopped is ended", f"{_INSIDE}/company.py",
           "        self._clear(besides=started.program.pid)\n", "        self._members.reap()\n",
           tests=f"{_LIVING_ON} -k its_stop"),
    _guard("what belongs to no started program is ended", f"{_INSIDE}/company.py",
           "if doomed(owner)}", "if doomed(owner) and owner is not None}", tests=f"{_LIVING_ON} -k behind_a_started"),
    _guard("held still", f"{_INSIDE}/stillness.py", "    _signal_all(_SIGSTOP)\n    let_go_at",
           "    return {}\n    let_go_at", tests="tests/sandbox/sessions/test_started.py -k still"),
    _guard("look whether one moved", f"{_INSIDE}/stillness.py", "return _threads() != held", "return False",
           tests=f"{_LIVING_ON} -k lets_itself"),
]  # fmt: skip

L2 = [
    _guard("L2: Landlock", f"{_JAIL}/confined.py", "        landlock.restrict(rules)\n", "        pass\n",
           tests=f"{_LANDLOCK} -k none_inside"),
    _guard("L2: few places of the host", f"{_JAIL}/confined.py", '("/proc", landlock.READ)', '("/", landlock.READ)',
           tests=f"{_LANDLOCK} -k none_inside"),
    _guard("L2: no sockets of the host's network", f"{_JAIL}/seccomp.py", "*(_NOT_WHEN_SHARED if shared else ())", "",
           tests=f"{_LANDLOCK} -k none_inside"),
    _guard("L2: no `truncate` where Landlock does not hold it", f"{_JAIL}/cell.py",
           'old = {"truncate"} if abi < landlock.SINCE_TRUNCATE else ()', "old = set[str]()",
           tests=f"{_LANDLOCK} -k none_inside"),
    _guard("L2: a program's own limits alone", f"{_JAIL}/seccomp.py", '"prlimit64": [_load(0), *_only(0)]',
           '"prlimit64": [_ALLOWED]', tests=f"{_LANDLOCK} -k none_inside"),
    _guard("L2: the jail's uid", f"{_JAIL}/confined.py", "        _become(order.uid, order.gid)\n", "        pass\n",
           tests=f"{_LANDLOCK} -k none_inside"),
    _guard("L2: one session a uid", f"{_JAIL}/uids.py",
           "fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)", "pass", tests=f"{_LANDLOCK} -k two_uids"),
    _guard("L2: what has the uid is killed before it is used", f"{_JAIL}/confined.py",
           "        sweep(order.uid)\n        open_up", "        open_up",
           tests=f"{_LANDLOCK} -k killed_launcher_left"),
    _guard("L2: the launcher's death ends the helper", f"{_JAIL}/confined.py",
           'check(libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0), "parent-death signal")', "pass",
           tests=f"{_LANDLOCK} -k nothing_is_left"),
]  # fmt: skip

GUARDS = [*JAIL, *HELPER, *FILES, *NETWORK, *STARTED, *ENDS, *L2]
