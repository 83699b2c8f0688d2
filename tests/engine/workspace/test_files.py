"""Files are there whole or not at all, and never in another's place."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.workspace.files import (
    append_line,
    replace_file,
    write_beside,
    write_new_file,
    write_new_folder,
)
from tests.unprivileged import unprivileged


def left(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_a_new_file_gets_its_folders(tmp_path: Path) -> None:
    write_new_file(tmp_path / "a" / "b.txt", b"x")
    assert (tmp_path / "a" / "b.txt").read_bytes() == b"x"
    assert left(tmp_path) == ["a", "a/b.txt"]


def test_a_new_file_never_takes_another_s_place(tmp_path: Path) -> None:
    path = tmp_path / "b.txt"
    path.write_bytes(b"old")
    with pytest.raises(FileExistsError):
        write_new_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert left(tmp_path) == ["b.txt"]


def test_a_taken_name_is_moved_on(tmp_path: Path) -> None:
    path = tmp_path / "1_2.json"
    got = [write_beside(path, data) for data in (b"1", b"2", b"3")]
    assert [each.name for each in got] == ["1_2.json", "1_2_2.json", "1_2_3.json"]
    assert [each.read_bytes() for each in got] == [b"1", b"2", b"3"]


def test_no_other_name_helps_where_a_file_stands_for_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    with pytest.raises(OSError, match="a"):
        write_beside(tmp_path / "a" / "b.json", b"1")


def test_a_line_starts_a_line(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "log"
    append_line(path, b"one\n")
    append_line(path, b"two")
    append_line(path, b"three\n")
    assert path.read_bytes() == b"one\ntwo\nthree\n"


def test_a_replaced_file_is_there_at_every_moment(tmp_path: Path) -> None:
    path = tmp_path / "b.txt"
    replace_file(path, b"old")
    replace_file(path, b"new")
    assert path.read_bytes() == b"new"
    assert left(tmp_path) == ["b.txt"]


def test_a_folder_appears_with_all_its_files(tmp_path: Path) -> None:
    write_new_folder(tmp_path / "a", {"x.txt": b"1", "deep/y.txt": b"2"})
    assert left(tmp_path) == ["a", "a/deep", "a/deep/y.txt", "a/x.txt"]
    with pytest.raises(FileExistsError):
        write_new_folder(tmp_path / "a", {"z.txt": b"3"})
    assert left(tmp_path) == ["a", "a/deep", "a/deep/y.txt", "a/x.txt"]


def test_what_may_not_be_written_leaves_nothing(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with unprivileged(), pytest.raises(PermissionError):
        write_new_file(tmp_path / "b.txt", b"x")
    assert left(tmp_path) == []


def test_a_folder_whose_files_do_not_fit_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"x\.txt"):
        write_new_folder(tmp_path / "a", {"x.txt": b"1", "x.txt/y.txt": b"2"})
    assert left(tmp_path) == []


@given(st.text(min_size=1).filter(lambda name: "/" not in name and "\0" not in name))
def test_any_name_that_the_disk_takes_is_fine(
    tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    folder = tmp_path_factory.mktemp("files")
    path = folder / name
    try:
        path.write_bytes(b"")
    except (OSError, ValueError):
        return
    path.unlink()
    write_new_file(path, b"x")
    assert path.read_bytes() == b"x"
    assert [entry.name for entry in folder.iterdir()] == [name]
