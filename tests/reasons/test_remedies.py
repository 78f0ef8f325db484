"""The last sentence of the error about a changed saved tensor: what to write instead."""

import linecache

import pytest

import glassgrad as gg
from checks import together
from glassgrad import tensor
from glassgrad.core.errors import StaleTensorError
from glassgrad.reasons.stale import remedy


def program(*lines):
    """Run lines of a program in which `y` needs the old values of `x`; then y.backward()."""
    text = "\n".join(("x = tensor([1.0, 4.0], requires_grad=True) * 1", "y = x.sin()", *lines))
    name = f"<program {abs(hash(text))}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names = {"gg": gg, "tensor": tensor}
    exec(compile(text, name, "exec"), names)
    with pytest.raises(StaleTensorError) as caught:
        names["y"].sum().backward()
    return str(caught.value)


@together
@pytest.mark.parametrize(
    ("line", "instead"),
    [
        ("x += 1", "Write `x = x + 1` instead of `x += 1`."),
        (
            "x *= x.detach() - 2",
            "Write `x = x * (x.detach() - 2)` instead of `x *= x.detach() - 2`.",
        ),
        ("x.mul_(3)", "Write `x.mul(3)` instead of `x.mul_(3)`, and use what it returns."),
        (
            "z = x.add_(1).exp()",
            "Write `x.add(1)` instead of `x.add_(1)`, and use what it returns.",
        ),
        ("x[0] = 5.0", "Write `x = x.clone()` before `x[0] = 5.0`."),
        ("x[0] += 1", "Write `x = x.clone()` before `x[0] += 1`."),
        ("x[:1][0] = 2", "Write `x = x.clone()` before `x[:1][0] = 2`."),
        ("x[:] = x.detach() + 1", "Write `x = x.clone()` before `x[:] = x.detach() + 1`."),
        ("x.zero_()", "Let `x.zero_()` change a clone()."),
        ("x.view(2, 1)[0] = 2", "Let `x.view(2, 1)[0] = 2` change a clone()."),
        (
            "with gg.no_grad(): gg.exp(gg.ones(2), out=x)",
            "Write `x = gg.exp(gg.ones(2))` instead of `gg.exp(gg.ones(2), out=x)`.",
        ),
        ("a = 1; x += a; b = 2", "Write `x = x + a` instead of `x += a`."),
        ("x += (\n  1\n)", "Write `x = x + 1` instead of `x += 1`."),
        ("a = [x]\na[0] += 1", "Write `a[0] = a[0] + 1` instead of `a[0] += 1`."),
        ("d = {'x': x}\nd['x'] += 1", "Write `d['x'] = d['x'] + 1` instead of `d['x'] += 1`."),
        (
            "d = {'x': x}\nd['x'][0] = 1",
            "Write `d['x'] = d['x'].clone()` before `d['x'][0] = 1`.",
        ),
        ("a = x[0] = 3.0", "Write `x = x.clone()` before `a = x[0] = 3.0`."),
        (
            "z = (x\n  .view(2)\n  .mul_(\n    3))",
            "Write `x.view(2).mul(3)` instead of `x.view(2).mul_(3)`, and use what it returns.",
        ),
    ],
)
def test_it_fits_the_line_that_wrote(line, instead):
    assert program(line).endswith(f". {instead}")


@pytest.mark.parametrize("line", ["x[0] = x[1] * x[0]", "x[0] *= x[1]"])
def test_a_line_that_saves_what_it_writes_has_to_read_a_clone(line):
    told = f"`{line}` saves what it writes. Write `x[0] = …` with `x.clone()` for each `x`"
    assert told in program("y = x", line)


def test_a_line_too_deep_to_be_written_anew_is_told_of_in_general():
    assert program(f"x.mul_({'+'.join(['1'] * 1500)})").endswith("or change a clone().")


def test_a_file_changed_since_it_was_imported_is_not_quoted_as_a_remedy():
    text = "x = tensor([1.0], requires_grad=True) * 1\ny = x.sin()\nx += 1\n"
    names = {"tensor": tensor}
    exec(compile(text, "<changed since>", "exec"), names)
    changed = "import os\n" * 3
    linecache.cache["<changed since>"] = (1, None, changed.splitlines(keepends=True), "")
    with pytest.raises(StaleTensorError, match=r"or change a clone\(\)\.$"):
        names["y"].backward()


def test_after_an_optimizer_it_is_the_order_that_is_wrong():
    message = program(
        "w = tensor([1.0], requires_grad=True)",
        "optimizer = gg.optim.SGD([w], lr=0.1)",
        "w.grad = tensor([1.0])",
        "y = w * w",
        "optimizer.step()",
    )
    assert message.endswith(
        " Call backward() before `optimizer.step()`, and compute the loss anew after it."
    )


@together
@pytest.mark.parametrize("line", ["w -= 1", "w.sub_(1)", "w[0] = 2", "w.view(-1).sub_(1)"])
def test_so_it_is_where_a_leaf_is_written_by_hand(line):
    message = program(
        "w = tensor([1.0], requires_grad=True)", "y = w * w", "with gg.no_grad():", f"    {line}"
    )
    assert message.endswith(
        f" Call backward() before `{line}`, and compute the loss anew after it."
    )


def test_a_long_line_is_not_shown_in_full_once_more():
    message = program(f"x += {' + '.join(['1'] * 50)}")
    assert message.endswith("1 …`.")


def test_a_write_of_nobody_knows_which_line_has_a_remedy_too():
    anywhere = "Write `y = x + …` instead of `x += …` after the op, or change a clone()."
    x = tensor([1.0]) * 1
    assert remedy(None, x) == anywhere
    code = compile("x += 1", "<nowhere>", "exec")
    assert remedy((code, 0), x) == anywhere
    names = {"x": tensor([1.0], requires_grad=True) * 1}
    y = names["x"].sin()
    exec("x += 1", names)
    with pytest.raises(StaleTensorError) as caught:
        y.sum().backward()
    assert str(caught.value).endswith(anywhere)
