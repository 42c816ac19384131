"""Whether this is a run of `make test-deep`, which tries many more texts and combinations than the usual one."""

from __future__ import annotations

import os

DEEP = "TESTS_DEEP" in os.environ
