"""Names that hold what a terminal obeys: everywhere they are shown in one and the same way."""

import re
from importlib import resources

import glassgrad as gg
from glassgrad._words import UNPRINTABLE, number_text, plain
from glassgrad.viz import text_view
from users import Twice

SIGNS = "\x1b[31m\x9d\x08\r\n\u202e\u2028\u200b"
NAME = f"e{SIGNS}v"
SHOWN = r"e\x1b[31m\x9d\x08\x0d\x0a\x202e\x2028\x200bv"


def hook(*_):
    return None


hook.__name__ = hook.__qualname__ = NAME


Named = type(NAME, (Twice,), {})


def loss():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    x.name = NAME
    with gg.scope(NAME):
        y = Named.apply(x * x)
    y.register_hook(hook)
    total = y.sum()
    total.name = NAME
    total.grad_fn.register_prehook(hook)
    return total


def is_plain(text):
    return not set("\x1b\x9d\x08\r\u202e\u2028\u200b") & set(text)


def test_a_name_reads_the_same_in_picture_page_text_and_terminal():
    trace = gg.record(loss(), retain_graph=True)
    drawing, page = gg.draw(trace), gg.player(trace)
    session = gg.step(loss())
    texts = [text_view(trace), drawing.svg, drawing.dot.replace("\\\\", "\\"), page.html]
    for _ in range(4):
        session.next()
        texts += [repr(session), session.told or SHOWN]
    texts[5:] = [" ".join(texts[5:])]
    assert [text for text in texts if not is_plain(text)] == []
    assert [plain(NAME) in text or SHOWN in text for text in texts] == [True] * len(texts)


def test_the_page_finds_the_same_signs_as_python():
    script = (resources.files("glassgrad.viz.players") / "static" / "elements.js").read_text()
    listed = "".join(
        re.findall(r'"(.*?)"', script.partition("UNPRINTABLE = ")[2].split(";")[0])[:-1]
    )
    page = re.compile(listed.replace(r"\\", "\\"))
    everything = [chr(sign) for sign in range(0x3000)] + ["\ud800", "\ufeff", "\ufffe", "\ufffd"]
    assert [c for c in everything if bool(page.match(c)) != bool(UNPRINTABLE.match(c))] == []


def test_numbers_are_as_short_as_they_are_read():
    shown = [number_text(x) for x in (0.1 + 0.2, -0.0, 1e6, 123456.0, 2.5e-5, float("inf"), True)]
    assert shown == ["0.3", "0", "1e6", "123456", "2.5e-5", "inf", "True"]
