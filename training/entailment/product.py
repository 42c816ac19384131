"""The product's settings where no product runs."""

from __future__ import annotations

import os
from pathlib import Path


def configure(work: Path) -> None:
    """Have Django read settings whose data folder lies in `work`; nothing is started and no database is used."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "mindx_web.settings"
    os.environ["MINDX_DATA"] = str(work / "product")
    os.environ.setdefault("MINDX_SECRET_KEY", "only-for-training")
