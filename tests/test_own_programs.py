"""Where the programs of this package write to."""

import errno
import sys

import pytest

from glassgrad._programs import require_writable, to_stdout, writing
from glassgrad.core.errors import DataError


def test_an_error_is_about_the_file_if_it_is_in_the_folder(tmp_path):
    (tmp_path / "a.gif").mkdir()
    with pytest.raises(DataError) as raised, writing(tmp_path, "Name another."):
        (tmp_path / "a.gif").write_text("")
    assert str(raised.value) == (
        f"cannot write {tmp_path / 'a.gif'}: Is a directory. Name another."
    )


def test_an_error_is_about_the_folder_if_it_takes_no_file(tmp_path):
    (tmp_path / "out").write_text("a file")
    with pytest.raises(DataError, match=r"cannot write into .*out: "):
        require_writable(tmp_path / "out", "Name another.")


def test_an_error_that_names_no_file_is_about_the_folder(tmp_path):
    error = OSError(errno.ENOSPC, "No space left on device")
    told = r"cannot write into .*: No space left on device\. Name another\."
    with pytest.raises(DataError, match=told), writing(tmp_path, "Name another."):
        raise error


def test_a_closed_stdout_is_told(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(DataError, match="cannot write to stdout: it is closed"), to_stdout():
        pytest.fail("work began")


def test_a_reader_who_has_gone_is_no_error_of_stdout(capsys):
    with pytest.raises(BrokenPipeError), to_stdout():
        raise BrokenPipeError
