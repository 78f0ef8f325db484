"""What can be asked of a tensor inside of a transform, and how it prints; also asked of PyTorch."""

import numpy as np
import pytest
import torch

import glassgrad as gg
from both import LIBRARIES, plain
from checks import together

both = pytest.mark.parametrize("lib", LIBRARIES)

X = np.arange(6.0).reshape(2, 3) + 1
CUBE = np.arange(24.0).reshape(2, 3, 4) + 1


# Inside of grad -----------------------------------------------------------------------------------

REFUSED = [
    (lambda x: x.requires_grad_(), r"attempting to call Tensor.requires_grad_\(\)"),
    (lambda x: x.requires_grad_(False), r"attempting to call Tensor.requires_grad_\(\)"),
    (lambda x: (x * 2).retain_grad(), r"attempting to call Tensor.retain_grad\(\)"),
    (lambda x: x.sum().backward(), r"backward\(\) called inside a functorch transform"),
    (lambda x: x.numpy(), r"Can't call numpy\(\) on Tensor that requires grad"),
    (lambda x: x.detach().numpy(), "Cannot access data pointer of Tensor that doesn't have stor"),
    (lambda x: setattr(x, "data", x), "mutating directly with `.data` inside functorch transform"),
]


@together
@both
@pytest.mark.parametrize(("act", "text"), REFUSED)
def test_what_would_tell_the_tape_is_refused_inside(lib, act, text):
    def f(x):
        act(x)
        return x.sum()

    with pytest.raises(RuntimeError, match=text):
        lib.func.grad(f)(plain(lib, [1.0, 2.0]))


@both
def test_the_functions_of_autograd_functional_are_refused_inside(lib):
    def f(x):
        return lib.autograd.functional.jacobian(lambda x: (x * x).sum(), x)

    with pytest.raises(RuntimeError, match=r"torch\.autograd\.functional"):
        lib.func.grad(f)(plain(lib, 1.0))


@both
def test_numbers_can_be_read_inside(lib):
    def f(x):
        y = x.sum()
        if y > 0:
            number = y.detach()
            y = y * float(number) * int(number) * number.item() * x.tolist()[0]
        return y

    assert lib.func.grad(f)(plain(lib, [1.0, 1.0])).tolist() == [8.0, 8.0]


# Inside of vmap -----------------------------------------------------------------------------------


@together
@both
@pytest.mark.parametrize(
    ("act", "text"),
    [
        (lambda x: x.sum().item(), r"calling .item\(\) on a Tensor"),
        (lambda x: float(x.sum()), r"calling .item\(\) on a Tensor"),
        (lambda x: int(x.sum()), r"calling .item\(\) on a Tensor"),
        (lambda x: complex(x.sum()), r"calling .item\(\) on a Tensor"),
        (lambda x: f"{x.sum():.2f}", r"calling .item\(\) on a Tensor"),
        (lambda x: [1, 2][x.sum().long()], r"calling .item\(\) on a Tensor"),
        (lambda x: bool(x.sum()), "use a Tensor in some data-dependent control flow"),
        (lambda x: 1 if x.sum() > 0 else 2, "use a Tensor in some data-dependent control flow"),
        (lambda x: x.tolist(), "Cannot access data pointer of Tensor that doesn't have storage"),
        (lambda x: x.numpy(), "Cannot access data pointer of Tensor that doesn't have storage"),
        (lambda x: np.asarray(x), "Cannot access data pointer of Tensor that doesn't have storage"),
        (lambda x: x.data, "accessing `data` under vmap transform is not allowed"),
        (lambda x: setattr(x, "data", x), "mutating directly with `.data` under vmap transform"),
        (lambda x: x.requires_grad_(), r"attempting to call Tensor.requires_grad_\(\)"),
        (lambda x: x.sum().backward(), r"backward\(\) called inside a functorch transform"),
        (lambda x: x[x > 0], "We do not support batching operators that can support dynamic shape"),
    ],
)
def test_what_cannot_be_done_to_all_at_once_is_refused(lib, act, text):
    def f(x):
        act(x)
        return x

    with pytest.raises(RuntimeError, match=text):
        lib.vmap(f)(plain(lib, X))


@both
def test_one_tensor_for_all_cannot_be_written_with_one_for_each(lib):
    y = plain(lib, [1.0, 2.0, 3.0])
    with pytest.raises(RuntimeError, match="is not possible because there exists a Tensor `other`"):
        lib.vmap(lambda x: y.mul_(x))(plain(lib, X))


@both
def test_numbers_that_are_the_same_for_all_can_be_read(lib):
    y = plain(lib, 2.0)
    assert (
        lib.vmap(lambda x: x * y.item() if y > 1 else x)(plain(lib, X)).tolist() == (X * 2).tolist()
    )


@both
def test_forms_can_be_asked_for(lib):
    seen = []

    def f(x):
        seen.append((tuple(x.shape), x.ndim, len(x), x.numel(), x.dtype, x.is_contiguous()))
        return x

    lib.vmap(f)(plain(lib, CUBE))
    lib.vmap(f, 2)(plain(lib, CUBE))
    assert seen[0] == ((3, 4), 2, 3, 12, lib.float64, True)
    assert seen[1] == ((2, 3), 2, 2, 6, lib.float64, False)


# How a tensor prints inside -----------------------------------------------------------------------


def printed(lib):
    """What tensors look like inside of transforms, and of nests of them."""
    found, func, x = [], lib.func, lib.tensor(X)

    def look(x):
        found.append(repr(x))
        return x.sum()

    lib.vmap(look)(x)
    lib.vmap(look, 1)(x)
    lib.vmap(lambda x: look(x * 2), 1)(x)
    func.grad(look)(x)
    func.jvp(look, (x,), (x,))
    lib.vmap(lib.vmap(look, 1), 2)(lib.tensor(CUBE))
    lib.vmap(func.grad(look))(x)
    func.grad(lambda x: lib.vmap(look)(x).sum())(x)
    func.grad(look)(lib.tensor(X, requires_grad=True))
    escaped = []
    func.grad(lambda x: escaped.append(x) or x.sum())(x)
    return [*found, repr(escaped[0])]


def test_tensors_print_as_pytorch_prints_them():
    expected = [text.replace("torch.", "glassgrad.") for text in printed(torch)]
    assert printed(gg) == expected


def test_layers_print_one_inside_of_the_other():
    seen = []
    gg.vmap(gg.func.grad(lambda x: seen.append(repr(x)) or x))(gg.tensor([1.0, 2.0]))
    expected = (
        "GradTrackingTensor(lvl=2, value=\n"
        "    BatchedTensor(lvl=1, bdim=0, value=\n"
        "        tensor([1., 2.])\n"
        "    )\n"
        ")"
    )
    assert seen == [expected]


@together
@both
@pytest.mark.parametrize("transform", ["grad", "vmap"])
def test_messages_speak_of_tensors(lib, transform):
    with pytest.raises(AttributeError, match="'Tensor' object has no attribute 'nothing'"):
        getattr(lib.func, transform)(lambda x: x.nothing)(plain(lib, [1.0, 2.0]))
