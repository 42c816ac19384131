"""A code base that does all it can to its analysers."""

from __future__ import annotations

import os
from pathlib import Path

MARK = "RAN"
_RUNS = f"open('/workspace/{MARK}', 'w').write('1')\n"
NAMES = (
    "a\nb.py",
    "<img src=x onerror=alert(1)>.py",
    "\x1b[31mred.py",
    "-n.py",
    "@args.py",
    "a|b`c`.py",
    "[x](javascript:alert(1)).py",
    "\u202egnp.py",
)
_DANGER = 'import os\nimport subprocess\n\n\ndef f(password="hunter2", a=[]):\n    subprocess.call("x", shell=True)\n'
_SETTINGS = """\
[project]
requires-python = ">=3.9"
[tool.ruff]
extend = "/etc/passwd"
exclude = ["*"]
cache-dir = "/workspace/CACHE"
[tool.ruff.lint]
ignore = ["ALL"]
[tool.vulture]
exclude = ["*"]
"""


def make(root: Path) -> None:
    """Writes it below `root`."""
    files = {
        "broken.py": "def (:\n  x = = 1\n",
        "coding.py": "# coding: nonsense\nx = 1\n",
        "stack.py": "x = " + "-" * 90_000 + "1\n",
        "brackets.py": "x = " + "(" * 3000 + "1" + ")" * 3000 + "\n",
        "chain.py": "x = a" + ".b" * 60_000 + "\n",
        "silenced.py": "import subprocess\nsubprocess.call('ls ' + x, shell=True)  # noqa\n",
        "pyproject.toml": _SETTINGS,
        "ruff.toml": 'extend = "../../etc/passwd"\n',
        ".gitignore": "*\n",
        **dict.fromkeys(("setup.py", "conftest.py", "sitecustomize.py", "json.py", "vulture/__init__.py"), _RUNS),
        **{f"names/{name}": _DANGER for name in NAMES},
        "d/" * 100 + "deep.py": "import os\n",
    }
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content)
    (root / "huge.py").write_bytes(b"x = 1\n" * 200_000)
    (root / "null.py").write_bytes(b"x = 1\0\n")
    (root / "latin.py").write_bytes(b'# -*- coding: latin-1 -*-\nname = "\xe9"\nimport os\n')
    with open(os.fsencode(root) + b"/names/\xff\xfe.py", "wb") as file:
        file.write(b"import os\n")
    for name, to in (("etc", "/etc"), ("passwd.py", "/etc/passwd"), ("up", ".."), ("linked.md", "/etc/passwd")):
        (root / name).symlink_to(to)
