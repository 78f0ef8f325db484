"""What the error about a changed saved tensor tells: who saved it, who wrote it, and where."""

import linecache
import re

import pytest

import glassgrad as gg
from checks import together
from glassgrad.core.errors import StaleTensorError
from glassgrad.core.state import here
from glassgrad.source.lines import shown


def message_of(backward):
    with pytest.raises(StaleTensorError) as caught:
        backward()
    return str(caught.value)


def line_with(message, words):
    """The source line that the message shows behind `words`."""
    return re.search(re.escape(words) + r".*?test_stale\.py, line \d+: `(.*?)`", message).group(1)


def test_it_names_the_tensor_the_node_and_both_lines():
    w, x = gg.tensor([1.0, 2.0], requires_grad=True), gg.tensor([3.0], requires_grad=True)
    loss = (w * x).sum()
    with gg.no_grad():
        w -= 1
    message = message_of(loss.backward)
    assert "`w` was saved by MulBackward0 as 'self'" in message
    assert "at version 0 and is now at version 1" in message
    assert line_with(message, "saved by") == "loss = (w * x).sum()"
    assert line_with(message, "The last write was in") == "w -= 1"


def test_a_name_that_was_given_is_used():
    x = gg.tensor([1.0], requires_grad=True) * 1
    x.name = "weights of layer 3"
    y = x * x
    x.zero_()
    assert "`weights of layer 3` was saved" in message_of(y.sum().backward)


def test_an_output_is_found_by_its_memory():
    hidden = (gg.tensor([1.0], requires_grad=True) * 2).sigmoid()
    hidden.add_(1)
    message = message_of(hidden.sum().backward)
    assert "`hidden` was saved by SigmoidBackward0 as 'result'" in message
    assert line_with(message, "was saved by").endswith(".sigmoid()")


def test_a_tensor_without_any_name_is_it():
    def graph():
        x = gg.tensor([1.0], requires_grad=True) * 1
        y = x.sin().sum()
        x[0] = 3.0
        return y

    message = message_of(graph().backward)
    assert "It was saved by SinBackward0" in message
    assert line_with(message, "The last write was in") == "x[0] = 3.0"


@together
@pytest.mark.parametrize(
    "save",
    [
        lambda x: x.exp(),
        lambda x: gg.nn.functional.softmax(x, dim=0),
        lambda x: x.prod(),
        lambda x: x @ x,
        lambda x: gg.nn.functional.linear(x, gg.ones(1, 2, requires_grad=True)),
        lambda x: gg.mul(x, x),
        lambda x: x * x,
        lambda x: x / x,
    ],
    ids=["fast door", "parameters", "reduction", "matmul", "layer", "function", "mul", "div"],
)
def test_the_line_is_the_users_own(save):
    x = gg.tensor([1.0, 2.0], requires_grad=True) * 1
    y = save(x)
    (y if y is not x and "result" in y.grad_fn._saved_names else x).add_(1)
    message = message_of(y.sum().backward)
    assert line_with(message, "was saved by").startswith("lambda x:")


def test_a_users_function_is_shown_where_it_is_called():
    class Square(gg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * 2 * x

    x = gg.tensor([1.0], requires_grad=True) * 1
    y = Square.apply(x)
    x.mul_(2)
    message = message_of(y.sum().backward)
    assert line_with(message, "was saved by SquareBackward") == "y = Square.apply(x)"


def test_an_op_in_place_is_shown_where_it_is_called():
    x = gg.tensor([1.0, 2.0], requires_grad=True) * 1
    x.exp_()
    x.add_(1)
    message = message_of(x.sum().backward)
    assert line_with(message, "was saved by ExpBackward0") == "x.exp_()"
    assert line_with(message, "The last write was in") == "x.add_(1)"


def test_a_write_through_a_view_is_the_last_write():
    x = gg.tensor([1.0, 2.0], requires_grad=True) * 1
    y = x.cos().sum()
    x[1:].detach().fill_(0)
    assert line_with(message_of(y.backward), "The last write was in") == "x[1:].detach().fill_(0)"


def test_a_notebooks_cell_is_shown_by_its_number():
    source = "place = here()\n"
    name = "<ipython-input-7-abc>"
    linecache.cache[name] = (len(source), None, [source], name)
    space = {"here": here}
    exec(compile(source, name, "exec"), space)
    assert shown(space["place"]) == "cell 7, line 1: `place = here()`"


def test_a_place_without_source_is_its_file_and_line():
    space = {"here": here}
    exec(compile("\n\nplace = here()", "gone.py", "exec"), space)
    assert shown(space["place"]) == "gone.py, line 3"
