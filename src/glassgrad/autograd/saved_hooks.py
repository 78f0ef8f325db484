"""Hooks on saved tensors: what is kept for backward, in a form of one's own.

    with saved_tensors_hooks(pack, unpack):      forward:   node keeps pack(x) in the place of x
        y = x.exp()                              backward:  unpack(pack(x)) stands for x again

`save_on_cpu` keeps them in main memory; `mutation.py` keeps copies of what is overwritten.
"""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from glassgrad.core.errors import ArgumentTypeError, GraphError
from glassgrad.core.state import modes, set_modes, setting
from glassgrad.core.tensor import Tensor

__all__ = ["disable_saved_tensors_hooks", "save_on_cpu", "saved_tensors_hooks"]


class saved_tensors_hooks:  # noqa: N801  # PyTorch's name
    """Keep saved tensors in a form of your own: on disk, compressed, or to be computed again.

    Args:
        pack_hook: gets each tensor that an op or a Function saves in this block, and returns
            whatever is to be kept. It runs without recording, and must not write to its tensor.
        unpack_hook: gets what `pack_hook` returned each time the saved tensor is needed, and
            returns a tensor of the same shape.

    Raises:
        ArgumentTypeError: if a hook is not callable, or `unpack_hook` returns no tensor.
        GraphError: inside `disable_saved_tensors_hooks`; or if `pack_hook` writes to its tensor.

    Of nested blocks only the innermost acts. Return `x.detach()` rather than `x` from
    `pack_hook`: an output that its own node keeps is a cycle, which only gc frees.

    Example:
        >>> x = tensor([1.0, 2.0], requires_grad=True)
        >>> with saved_tensors_hooks(lambda x: x.numpy(), lambda array: tensor(array)):
        ...     y = x.exp()
        >>> y.sum().backward()
        >>> x.grad
        tensor([2.7183, 7.3891])

    See also: https://pytorch.org/tutorials/intermediate/autograd_saved_tensors_hooks_tutorial.html
    """

    def __init__(
        self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]
    ) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> None:
        if modes.no_hooks is not None:
            raise GraphError(modes.no_hooks)
        for hook in (self.pack_hook, self.unpack_hook):
            if not callable(hook):
                raise ArgumentTypeError(
                    "saved_tensors_hooks(): incompatible function arguments. Hooks are called "
                    f"with what they convert, and {type(hook).__name__} is not callable. Pass "
                    "two functions."
                )
        set_modes(hook_pairs=(*modes.hook_pairs, (self.pack_hook, self.unpack_hook)))

    def __exit__(self, *exc_info: object) -> None:
        if not modes.hook_pairs:
            raise GraphError(
                "saved_tensors_hooks was left more often than it was entered in this thread. "
                "Write `with saved_tensors_hooks(...):` instead of calling __exit__."
            )
        set_modes(hook_pairs=modes.hook_pairs[:-1])


class save_on_cpu(saved_tensors_hooks):  # noqa: N801  # PyTorch's name
    """Keep saved tensors in main memory; they return to their device when they are needed.

    Args:
        pin_memory: accepted for PyTorch's sake. It makes a copy in pinned memory there, which
            NumPy does not have; here it makes an ordinary copy.
        device_type: accepted for PyTorch's sake, has no effect.

    Example:
        >>> x = tensor([1.0, 2.0], requires_grad=True)
        >>> with save_on_cpu():
        ...     y = x * x
        >>> y.sum().backward()
        >>> x.grad
        tensor([2., 4.])
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        def pack(x: Tensor) -> tuple[Any, Tensor]:
            kept = x.detach().to("cpu")
            return x.device, kept.clone() if pin_memory else kept

        def unpack(packed: tuple[Any, Tensor]) -> Tensor:
            device, kept = packed
            return kept.to(device)

        super().__init__(pack, unpack)


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Refuse `saved_tensors_hooks` in this block, for code that cannot work with them.

    Args:
        error_message: what the error says.

    Raises:
        GraphError: with `error_message`, if hooks are active already, or are entered inside.

    Example:
        >>> with disable_saved_tensors_hooks("not under my transform"):
        ...     with save_on_cpu():
        ...         pass
        Traceback (most recent call last):
        ...
        glassgrad.core.errors.GraphError: not under my transform
    """
    if modes.hook_pairs:
        raise GraphError(error_message)
    with setting(no_hooks=error_message):
        yield
