"""Members that PyTorch lists of `Function` and of its nodes, and few programs touch.

A mixin, copied onto the node of a user's Function; what a node has, PyTorch shows on the class too.
"""

import inspect
import warnings
from typing import Any, ClassVar

from glassgrad.core.errors import ArgumentTypeError, GraphError
from glassgrad.core.function import BackwardCFunction, Function, FunctionCtx
from glassgrad.core.tensor import Tensor
from glassgrad.hooks.handles import Hooks, RemovableHandle, add_hook
from glassgrad.hooks.on_saved import SavedTensor, raw_saved
from glassgrad.values.calls import CLEARED


def _mark_shared_storage(_self: Any, *_pairs: Any) -> None:
    """Deprecated: views are found without it."""
    warnings.warn(
        "mark_shared_storage is deprecated. Tensors with shared storages are automatically "
        "tracked. Note that calls to `set_()` are not tracked",
        FutureWarning,
        stacklevel=2,
    )


def _made(self: Any, *_args: Any, **_kwargs: Any) -> None:
    warnings.warn(
        f"{type(self)} should not be instantiated. Methods on autograd functions are all "
        "static, so you should invoke them on the class itself. Instantiating an autograd "
        "function will raise an error in a future version of PyTorch.",
        DeprecationWarning,
        stacklevel=2,
    )


def _called(self: Any, *_args: Any, **_kwargs: Any) -> Any:
    raise GraphError(
        "Legacy autograd function with non-static forward method is deprecated. Please use "
        "new-style autograd function with static forward method: write "
        f"`{type(self).__name__}.apply(...)`."
    )


class Members:
    """What few programs ask of the node of a user's Function."""

    requires_grad: ClassVar[bool] = True

    @property
    def saved_variables(self: Any) -> Any:
        """The old name of `saved_tensors`."""
        warnings.warn(
            "'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2
        )
        return self.saved_tensors

    @property
    def _raw_saved_tensors(self: Any) -> tuple[SavedTensor, ...]:
        if self.holders is CLEARED:
            return ()
        return tuple([raw_saved(self, index) for index, _ in enumerate(self.holders)])

    def maybe_clear_saved_tensors(self: Any) -> None:
        """Let go of what was saved, if the class says `clear_saved_tensors_on_access`."""
        if self._forward_cls.clear_saved_tensors_on_access:
            self.holders = CLEARED

    def _set_sequence_nr(self: Any, sequence_nr: int) -> None:
        self.seq = sequence_nr

    @staticmethod
    def _register_hook(backward_hooks: Hooks | None, hook: Any) -> tuple[Hooks, RemovableHandle]:
        """Put `hook` into a dict of hooks, a new one for None: (the dict, a handle)."""
        hooks = Hooks() if backward_hooks is None else backward_hooks
        return hooks, add_hook(hooks, hook)

    def _register_hook_dict(self: Any, tensor: Tensor) -> None:
        """Have the hooks of an output run here: they do, for a tensor's hooks are its node's."""
        if not isinstance(tensor, Tensor):
            raise ArgumentTypeError(
                f"_register_hook_dict expected a Tensor, got {type(tensor).__name__}. It is about "
                "the hooks of an output. Write `node.register_hook(fn)` for a hook of the node."
            )
        if tensor.grad_fn is not self:
            raise GraphError(
                f"_register_hook_dict was given a tensor of {tensor.grad_fn}, and this is "
                f"{self.name()}. A node runs the hooks of its own outputs. Pass one of them."
            )


_SHOWN = """
    saved_tensors saved_for_forward to_save dirty_tensors non_differentiable materialize_grads
    needs_input_grad metadata name next_functions register_hook register_prehook _sequence_nr
    _input_metadata _materialize_non_diff_grads
"""
_ADDED = [name for name in vars(Members) if not name.startswith("__")]
for _name in _ADDED:
    setattr(BackwardCFunction, _name, vars(Members)[_name])
for _name in (*_SHOWN.split(), *_ADDED):
    setattr(Function, _name, inspect.getattr_static(BackwardCFunction, _name))
FunctionCtx.mark_shared_storage = _mark_shared_storage  # type: ignore[attr-defined]  # added here
for _name, _legacy in {"__init__": _made, "__call__": _called}.items():
    setattr(Function, _name, _legacy)
