"""Two states compared for a reader: what is gone comes first, and nothing that differs is left out."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as some

from sandbox.store.compare import ORDER, Difference, Line, PackageChange, compare, hunks
from sandbox.store.manifest import Entry


def _file(path: bytes, content: bytes = b"x", mode: int = 0o644) -> Entry:
    return Entry(path, "file", mode, hashlib.sha256(content).hexdigest(), len(content))


def _dir(path: bytes, mode: int = 0o755) -> Entry:
    return Entry(path, "dir", mode)


def _told(found: list[Difference]) -> list[tuple[str, bytes]]:
    return [(each.kind, each.path) for each in found]


# --- paths ---------------------------------------------------------------------------------------------------------
def test_the_order_is_deleted_moved_changed_added() -> None:
    before = [_file(b"z", b"gone"), _file(b"m", b"moved"), _file(b"c", b"1")]
    after = [_file(b"a", b"new"), _file(b"n", b"moved"), _file(b"c", b"2")]
    assert _told(compare(before, after)) == [("deleted", b"z"), ("moved", b"n"), ("changed", b"c"), ("added", b"a")]


def test_the_same_state_differs_in_nothing() -> None:
    entries = [_dir(b"d"), _file(b"d/a"), Entry(b"l", "link", 0o777, target=b"d/a")]
    assert compare(entries, list(entries)) == []


def test_a_move_keeps_its_old_path_and_a_change_of_mode_on_the_way() -> None:
    (moved,) = compare([_file(b"old.sh", b"run")], [_file(b"new.sh", b"run", 0o755)])
    assert moved.before is not None
    assert (moved.kind, moved.before.path, moved.path, moved.aspects) == ("moved", b"old.sh", b"new.sh", ("mode",))


def test_of_several_sources_the_one_of_the_same_name_moved_and_each_only_once() -> None:
    before = [_file(b"a/one"), _file(b"a/two")]
    after = [_file(b"b/two"), _file(b"b/x"), _file(b"b/y")]
    found = compare(before, after)
    assert [(each.before.path, each.path) for each in found if each.kind == "moved" and each.before] == [
        (b"a/two", b"b/two"),
        (b"a/one", b"b/x"),
    ]
    assert _told(found)[-1] == ("added", b"b/y")


def test_empty_files_do_not_move() -> None:
    assert _told(compare([_file(b"a", b"")], [_file(b"b", b"")])) == [("deleted", b"a"), ("added", b"b")]


def test_changes_of_content_mode_target_and_kind_are_told_apart() -> None:
    before = [_file(b"c"), _file(b"m"), Entry(b"l", "link", 0o777, target=b"1"), _file(b"k"), _dir(b"d")]
    after = [_file(b"c", b"y", 0o600), _file(b"m", mode=0o755), Entry(b"l", "link", 0o777, target=b"2")]
    after += [Entry(b"k", "link", 0o777, target=b"c"), _dir(b"d", 0o700)]
    assert {each.path: each.aspects for each in compare(before, after)} == {
        b"c": ("content", "mode"),
        b"m": ("mode",),
        b"l": ("target",),
        b"k": ("kind",),
        b"d": ("mode",),
    }


def test_folders_are_told_when_nothing_in_them_tells_them() -> None:
    before = [_dir(b"empty"), _dir(b"full"), _file(b"full/a"), _dir(b"full/deep"), _dir(b"full-of")]
    assert _told(compare(before, [])) == [
        ("deleted", b"empty"),
        ("deleted", b"full-of"),
        ("deleted", b"full/a"),
        ("deleted", b"full/deep"),
    ]


# --- environments --------------------------------------------------------------------------------------------------
def _venv(*packages: str, more: tuple[Entry, ...] = ()) -> list[Entry]:
    site = b"env/lib/site-packages/"
    infos = [_file(site + name.encode() + b".dist-info/METADATA", name.encode()) for name in packages]
    return [_file(b"app.py"), _dir(b"env"), _file(b"env/pyvenv.cfg", b"home"), *infos, *more]


def test_an_environment_is_told_as_packages() -> None:
    before, after = _venv("gone-1.0", "rich-13.0", "same-2"), _venv("rich-14.1", "same-2", "attrs-25.1")
    (env,) = compare(before, after)
    assert (env.kind, env.path, env.is_environment, env.inside) == ("changed", b"env", True, (2, 0, 2))
    assert env.packages == (
        PackageChange("gone", "1.0", None),
        PackageChange("rich", "13.0", "14.1"),
        PackageChange("attrs", None, "25.1"),
    )
    assert len(compare(before, after, fold=False)) == 4


def test_a_file_changed_by_hand_in_an_environment_is_counted_although_no_package_changed() -> None:
    path = b"env/lib/site-packages/rich/x.py"
    (env,) = compare(_venv("rich-1", more=(_file(path),)), _venv("rich-1", more=(_file(path, b"y"),)))
    assert (env.packages, env.inside) == ((), (0, 1, 0))


def test_a_whole_environment_comes_and_goes() -> None:
    (come,) = compare([_file(b"app.py")], _venv("rich-1"))
    assert (come.kind, come.packages) == ("added", (PackageChange("rich", None, "1"),))
    (gone,) = compare(_venv("rich-1"), [_file(b"app.py")])
    assert (gone.kind, gone.packages) == ("deleted", (PackageChange("rich", "1", None),))


def test_nothing_moves_out_of_an_environment_unseen() -> None:
    inside, outside = _file(b"env/secret", b"content"), _file(b"secret", b"content")
    found = compare(_venv(more=(inside,)), [*_venv(), outside])
    assert [(each.kind, each.path, each.inside) for each in found] == [
        ("changed", b"env", (1, 0, 0)),
        ("added", b"secret", (0, 0, 0)),
    ]


def test_an_environment_in_an_environment_is_part_of_it_and_ten_thousand_of_them_are_no_trouble() -> None:
    nested = [_dir(b"env/in"), _file(b"env/in/pyvenv.cfg")]
    assert [(each.path, each.inside) for each in compare([_file(b"app.py")], _venv(more=(*nested,)))] == [
        (b"env", (0, 0, 4))
    ]
    many = [_file(b"d%d/pyvenv.cfg" % number) for number in range(10_000)]
    assert len(compare(many, [])) == 10_000


_ENTRIES = some.dictionaries(
    some.sampled_from([b"a", b"b", b"c/d", b"e", b"f"]),
    some.tuples(some.sampled_from([b"", b"1", b"2"]), some.sampled_from([0o644, 0o755])),
)


@given(_ENTRIES, _ENTRIES)
def test_every_path_that_differs_is_told_once_and_in_order(one: dict, other: dict) -> None:
    before = [_file(path, *how) for path, how in one.items()]
    after = [_file(path, *how) for path, how in other.items()]
    found = compare(before, after)
    told = sorted(entry for each in found for entry in _sides(each))
    old, new = {(each.path, 0, each) for each in before}, {(each.path, 1, each) for each in after}
    same = {each for each in before if each in after}
    assert told == sorted((path, side) for path, side, each in old | new if each not in same)
    assert [ORDER.index(each.kind) for each in found] == sorted(ORDER.index(each.kind) for each in found)


def _sides(each: Difference) -> list[tuple[bytes, int]]:
    return [(entry.path, side) for side, entry in enumerate((each.before, each.after)) if entry is not None]


# --- lines ---------------------------------------------------------------------------------------------------------
def test_in_a_run_of_changes_deletions_come_first() -> None:
    (hunk,) = hunks("a\nold 1\nold 2\nz\n", "a\nnew 1\nnew 2\nz\n")
    assert [line.look for line in hunk.lines] == ["", "d", "d", "a", "a", ""]
    assert hunk.lines[0] == Line("", 1, 1, "a")
    assert hunk.lines[-1] == Line("", 4, 4, "z")


def test_far_changes_are_hunks_of_their_own_that_say_what_they_skip() -> None:
    old = [f"{number}" for number in range(1, 101)]
    new = [*old[:9], "ten", *old[10:50], *old[51:], "end"]
    found = hunks("\n".join(old) + "\n", "\n".join(new) + "\n")
    assert [(hunk.skipped, hunk.skipped_after) for hunk in found] == [(6, 0), (34, 0), (43, 0)]
    assert [line for line in found[1].lines if line.look] == [Line("d", 51, None, "51")]
    assert found[1].lines[-1] == Line("", 54, 53, "54")


def test_a_last_line_without_its_end_is_another_line() -> None:
    (hunk,) = hunks("a\n", "a")
    assert [line.look for line in hunk.lines] == ["d", "a"]
    assert [line.is_open for line in hunk.lines] == [False, True]


def test_texts_that_are_the_same_have_no_hunks() -> None:
    assert hunks("a\nb\n", "a\nb\n") == []
    assert hunks("", "") == []


_TEXT = some.lists(some.sampled_from(["a", "b", "c", "", "d"]), max_size=40).map(
    lambda lines: "".join(f"{line}\n" for line in lines)
)


@given(_TEXT, _TEXT)
def test_hunks_lead_from_one_text_to_the_other(old: str, new: str) -> None:
    lines, at, made = old.split("\n")[:-1], 0, []
    for hunk in hunks(old, new):
        made += lines[at : at + hunk.skipped]
        at += hunk.skipped
        for line in hunk.lines:
            if line.look != "a":
                assert line.old == at + 1
                assert line.text == lines[at]
                at += 1
            if line.look != "d":
                made.append(line.text)
                assert line.new == len(made)
    assert made + lines[at:] == new.split("\n")[:-1]
    assert sum(hunk.skipped_after for hunk in hunks(old, new)) == (len(lines) - at if hunks(old, new) else 0)
