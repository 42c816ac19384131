"""What a start says while it lasts."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from mindx_web.supervisor import progress
from mindx_web.supervisor.configuration import Configuration
from mindx_web.supervisor.data_folder import DataFolder, Lock
from mindx_web.supervisor.progress import Progress
from mindx_web.supervisor.up import Up


async def _spoken(told: Progress, said: list[str], lines: int) -> None:
    """Let it speak until it has said so many lines."""
    speaking = asyncio.create_task(told.keep_speaking())
    async with asyncio.timeout(45):
        while len(said) < lines:
            await asyncio.sleep(0)
    speaking.cancel()


def test_a_stage_is_named_and_repeated_while_it_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "SILENT_S", 0.02)
    said: list[str] = []
    told = Progress(said.append)
    told.begin("tables")
    asyncio.run(_spoken(told, said, 3))
    assert said[:3] == ["preparing: tables", "still: tables, 0 s", "still: tables, 0 s"]


def test_what_is_waited_for_is_asked_anew_for_each_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "SILENT_S", 0.02)
    said: list[str] = []
    waiting = iter(["web, worker", "worker"])
    told = Progress(said.append)
    told.wait_for(lambda: next(waiting))
    asyncio.run(_spoken(told, said, 2))
    assert said == ["still: web, worker, 0 s", "still: worker, 0 s"]


def test_a_start_that_is_quick_at_everything_says_nothing() -> None:
    said: list[str] = []

    async def story() -> None:
        told = Progress(said.append)
        speaking = asyncio.create_task(told.keep_speaking())
        told.wait_for(lambda: "web")
        await asyncio.sleep(0)
        speaking.cancel()

    asyncio.run(story())
    assert said == []


def test_stages_are_passed_on_as_they_begin_and_the_password_is_kept_for_the_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = DataFolder(tmp_path)

    async def story() -> str:
        up = Up(Configuration.from_environment({}), folder, Lock(folder))
        output = asyncio.StreamReader()
        output.feed_data(b"preparing: tables\npreparing: static files\nFirst login: admin   password: secret\n")
        output.feed_eof()
        return await up._heard(output)

    assert asyncio.run(story()) == "First login: admin   password: secret\n"
    assert capsys.readouterr().out == "preparing: tables\npreparing: static files\n"
