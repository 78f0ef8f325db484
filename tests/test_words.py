"""Names that hold what a terminal obeys: everywhere they are shown in one and the same way."""

import re
from importlib import resources

import pytest

import glassgrad as gg
from glassgrad import nn
from glassgrad._words import _UNPRINTABLE, number_text, plain
from glassgrad.tracing import watching
from glassgrad.viz import text_view

SIGNS = "\x1b[31m\x9d\x08\r\n\u202e\u2028\u200b"
NAME = f"e{SIGNS}v"
SHOWN = r"e\x1b[31m\x9d\x08\x0d\x0a\x202e\x2028\x200bv"


def hook(*_):
    return None


hook.__name__ = hook.__qualname__ = NAME


class Twice(gg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


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


def message_of(work):
    with pytest.raises(Exception) as caught:  # noqa: PT011  # of many kinds: what it says counts
        work()
    return " ".join([str(caught.value), *getattr(caught.value, "__notes__", [])])


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


def test_errors_and_reports_show_names_plainly():
    def stale():
        x = gg.tensor([1.0], requires_grad=True) * 1
        x.name = NAME
        y = x * x
        x.add_(1)
        y.backward()

    def of_a_hook():
        def sums(grad):
            return grad.sum()

        sums.__name__ = sums.__qualname__ = NAME
        x = gg.tensor([1.0, 2.0], requires_grad=True)
        x.register_hook(sums)
        (x * 2).sum().backward()

    named, session = nn.ModuleDict({NAME: nn.Linear(2, 2)}), gg.step(loss())
    odd = type(NAME, (nn.Module,), {})()
    said = [
        message_of(stale),
        message_of(of_a_hook),
        message_of(lambda: named.load_state_dict({f"{NAME}s": gg.ones(2)})),
        message_of(lambda: named.load_state_dict({f"{NAME}.weight": gg.ones(3)}, strict=False)),
        message_of(lambda: named.get_submodule(NAME + "s")),
        message_of(lambda: getattr(named, NAME + "s")),
        message_of(lambda: named.register_buffer(NAME + "s", 3)),
        message_of(lambda: named.register_parameter(NAME + "s", 3)),
        message_of(lambda: odd(gg.ones(2))),
        message_of(lambda: nn.Sequential(named[NAME], named)(gg.ones(3))),
        message_of(lambda: session.break_at(hook=message_of)),
        message_of(lambda: session.break_at(op="none")),
        repr(named),
        repr(odd),
        repr(session.break_at(op=f"{NAME}Backward")),
        repr(session.break_at(hook=hook)),
        str(gg.compare(gg.record(loss()), gg.record((gg.ones(2, requires_grad=True) * 3).sum()))),
        str(gg.explain(loss())),
    ]
    with watching() as passes:
        loss().backward()
    said.append(repr(passes))
    assert [text for text in said if not is_plain(text)] == []


def test_the_page_finds_the_same_signs_as_python():
    script = (resources.files("glassgrad.viz.players") / "static" / "elements.js").read_text()
    listed = "".join(
        re.findall(r'"(.*?)"', script.partition("UNPRINTABLE = ")[2].split(";")[0])[:-1]
    )
    page = re.compile(listed.replace(r"\\", "\\"))
    everything = [chr(sign) for sign in range(0x3000)] + ["\ud800", "\ufeff", "\ufffe", "\ufffd"]
    assert [c for c in everything if bool(page.match(c)) != bool(_UNPRINTABLE.match(c))] == []


def test_numbers_are_as_short_as_they_are_read():
    shown = [number_text(x) for x in (0.1 + 0.2, -0.0, 1e6, 123456.0, 2.5e-5, float("inf"), True)]
    assert shown == ["0.3", "0", "1e6", "123456", "2.5e-5", "inf", "True"]
