"""The text that comes with glassgrad."""

from pathlib import Path

from glassgrad.data import load_text, text


def test_the_text_is_the_first_chapter_of_alice_in_plain_letters():
    alice = load_text()
    assert (len(alice), len(set(alice))) == (11_319, 63)
    assert alice.isascii()
    assert "\r" not in alice
    assert alice.startswith("  Alice was beginning to get very tired of sitting by her sister\n")
    assert alice.endswith("very soon finished off the cake.\n")


def test_the_file_beside_the_text_names_its_source_and_licence():
    told = Path(text.__file__).with_name("README.md").read_text("utf-8").partition("# alice.txt")[2]
    assert "Lewis Carroll" in told
    assert "public domain" in told
