"""What errors add about the user's line: a note below the message, which stays what it is."""

import traceback

import pytest

import glassgrad as gg
from glassgrad import nn
from glassgrad.autograd import Function


def notes_of(program, *args):
    with pytest.raises(gg.errors.GlassgradError) as caught:
        program(*args)
    return caught.value.__notes__


def test_tensors_and_layers_of_the_line_are_named_with_their_shapes():
    layer, x = nn.Softmax(dim=2), gg.ones(4, 8)
    (said,) = notes_of(lambda: layer(x) + 1)
    assert said == "In this line: layer is Softmax(dim=2); x is float32 of shape (4, 8)."


def test_attributes_and_entries_are_named_as_they_are_written():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(gg.ones(3, 2))
            self.parts = {"a": [gg.ones(5)]}

        def forward(self):
            return gg.stack([self.w, self.w]).sum(7), self.parts

        def late(self):
            return self.parts["a"][0].sum(dim=7)

    net = Net()
    assert notes_of(net) == ["In this line: self.w is float32 of shape (3, 2)."]
    assert notes_of(net.late) == ["In this line: self.parts['a'][0] is float32 of shape (5,)."]


def test_what_the_message_names_is_not_named_again():
    error = gg.errors.ShapeError("`x` is too long.")
    x, y = gg.ones(3), gg.ones(2)

    def refuse(*_):
        raise error

    assert notes_of(refuse) == []  # no tensor is in that line

    def named():
        raise error if x is y or len(x) else x + y

    error.__traceback__ = None
    vars(error).clear()
    assert notes_of(named) == ["In this line: y is float32 of shape (2,)."]


def test_no_code_of_the_program_runs_to_name_its_tensors():
    class Shy:
        @property
        def x(self):
            asked.append(1)
            return gg.ones(2)

    asked, shy = [], Shy()
    assert notes_of(lambda: shy.x @ gg.ones(3)) == []
    assert asked == [1]  # by the program itself


def test_the_function_whose_gradients_were_refused_is_named_with_its_line():
    class Times(Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * y

        @staticmethod
        def backward(ctx, grad):
            return grad

    x = gg.ones(2, requires_grad=True)
    loss = Times.apply(x, x).sum()
    line = Times.backward.__code__.co_firstlineno + 1  # the decorator's is the first
    *_, said = notes_of(loss.backward)
    assert said.endswith(f"Times.backward` is in test_situation.py, line {line}.")


def test_a_hook_that_was_refused_is_named_with_its_line():
    def shrink(grad):
        return grad.sum()

    x = gg.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(shrink)
    loss = y.sum()
    *_, said = notes_of(loss.backward)
    assert said.endswith(f"in test_situation.py, line {shrink.__code__.co_firstlineno}.")


def test_python_shows_the_note_below_the_message_and_adds_others_behind_it():
    x = gg.ones(2)
    with pytest.raises(gg.errors.DimError) as caught:
        x.sum(2)
    caught.value.add_note("while adding")
    *_, said, added = traceback.format_exception_only(caught.value)
    assert said.startswith("In this line: x is float32 of shape (2,)")
    assert added == "while adding\n"
    assert "In this line" not in str(caught.value)


def test_of_a_gradient_without_a_graph_one_reads_how_it_would_have_one():
    x = gg.ones(2, requires_grad=True)
    (slope,) = gg.autograd.grad((x**3).sum(), x)
    said = notes_of(lambda: slope.backward(x))[-1]
    assert "only if it was made with create_graph=True: `slope` is made in" in said


def test_a_layer_that_cannot_be_shown_spoils_no_error():
    class Odd(nn.Module):
        def __repr__(self):
            raise KeyError("odd")

        def forward(self, x):
            return x.sum(dim=9)

    odd = Odd()
    assert notes_of(lambda: odd(gg.ones(2))) == ["In this line: x is float32 of shape (2,)."]
    assert notes_of(lambda: gg.optim.SGD(odd.parameters(), lr=1)) == []


def test_what_was_added_on_the_way_to_the_users_line_comes_behind():
    error = gg.errors.ShapeError("wrong")
    error.add_note("on the way")
    x = gg.ones(2)

    def refuse():
        raise error if len(x) else x

    assert notes_of(refuse) == ["In this line: x is float32 of shape (2,).", "on the way"]
    assert error.__notes__ is error.__notes__


def test_an_error_that_was_never_raised_has_no_note():
    assert gg.errors.ShapeError("wrong").__notes__ == []
