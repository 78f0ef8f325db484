"""`glassgrad compare`: what differs between two records, as text and as a picture."""

import pytest

import glassgrad as gg
from glassgrad import cli
from glassgrad.tracing import compare


def run(change):
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    x.name = "x"
    return gg.record(change(x).sum())


@pytest.fixture
def saved(tmp_path):
    """The paths of two records that differ in one op."""
    first, second = run(lambda x: x.exp() * 2), run(lambda x: x.sin() * 2)
    return str(first.save(tmp_path / "a.json")), str(second.save(tmp_path / "b.json"))


def test_what_differs_is_printed(saved, capsys):
    assert cli.main(["compare", *saved]) == cli.DONE
    told, complaint = capsys.readouterr()
    found = compare(run(lambda x: x.exp() * 2), run(lambda x: x.sin() * 2))
    assert told.splitlines()[0] == str(found).splitlines()[0]
    assert "n1 ExpBackward0 in a is n1 SinBackward0 in b" in told
    assert complaint == ""


def test_of_two_that_are_the_same_it_says_so(saved, capsys):
    assert cli.main(["compare", saved[0], saved[0]]) == cli.DONE
    assert capsys.readouterr().out.startswith("the same in structure and values\n")


def test_numbers_may_differ_by_as_much_as_is_said(tmp_path, capsys):
    paths = [
        str(run(lambda x, by=by: x * by).save(tmp_path / name))
        for name, by in (("a.json", 2.0), ("b.json", 2.001))
    ]
    cli.main(["compare", *paths])
    assert "other .grad" in capsys.readouterr().out
    cli.main(["compare", *paths, "--rtol", "0.01"])
    assert capsys.readouterr().out.startswith("the same")


def test_it_is_drawn_besides(saved, tmp_path, capsys):
    for name, start in [("d.svg", "<svg"), ("d.dot", "digraph"), ("d.html", "<!DOCTYPE")]:
        assert cli.main(["compare", *saved, "-o", str(tmp_path / name)]) == cli.DONE
        assert (tmp_path / name).read_text().startswith(start)
        told, noted = capsys.readouterr()
        assert "ExpBackward0 in a" in told
        assert noted == f"glassgrad: Two backward graphs, a and b → {tmp_path / name}\n"
    assert "≠" in (tmp_path / "d.svg").read_text()


def test_no_log_can_tell_of_two_passes(saved, tmp_path, capsys):
    assert cli.main(["compare", *saved, "-o", str(tmp_path / "d.json")]) == cli.MISUSED
    assert "says no form that is written here: .svg, .png, .html, .dot" in capsys.readouterr().err


@pytest.mark.parametrize("missing", [0, 1])
def test_a_record_that_is_not_there_is_named(saved, capsys, missing):
    paths = list(saved)
    paths[missing] = "nowhere.json"
    assert cli.main(["compare", *paths]) == cli.FAILED
    told, complaint = capsys.readouterr()
    assert told == ""
    assert "cannot read nowhere.json: No such file or directory" in complaint


def test_a_place_that_cannot_be_written_to_is_named(saved, tmp_path, capsys):
    out = tmp_path / "none" / "d.svg"
    assert cli.main(["compare", *saved, "-o", str(out)]) == cli.FAILED
    assert f"cannot write {out}" in capsys.readouterr().err


@pytest.mark.parametrize("rtol", ["-1", "nan", "much"])
def test_a_tolerance_is_a_number_from_0_up(saved, capsys, rtol):
    assert cli.main(["compare", *saved, f"--rtol={rtol}"]) == cli.MISUSED
    assert f"{rtol!r} is not a number from 0 up" in capsys.readouterr().err


def test_its_help_shows_what_to_type(capsys):
    assert cli.main(["compare", "--help"]) == cli.DONE
    told = capsys.readouterr().out
    assert "glassgrad compare before.json after.json -o diff.svg" in told
    assert "0 compared, whether something differs or not" in told
