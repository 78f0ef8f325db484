"""Averages of a model's parameters over its training, and what goes with them."""

import copy
import itertools
import math
from collections.abc import Callable, Iterable
from dataclasses import InitVar, dataclass
from typing import Any, Literal

from glassgrad import ops
from glassgrad.autograd.grad_mode import no_grad
from glassgrad.core.errors import ArgumentError, ExpectationError
from glassgrad.core.tensor import Tensor
from glassgrad.nn.module import Module

from .lr_scheduler import LRScheduler, Rate, for_groups, require_count, way_of
from .optimizer import Optimizer

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]

Average = Callable[[Any, Any, Any], Any]
MultiAverage = Callable[[list[Tensor], list[Tensor], Tensor], None]


def get_swa_avg_fn() -> Average:
    """The plain mean of all so far, as a function of (mean, new one, how many there were)."""

    @no_grad()
    def swa_update(averaged: Any, current: Any, num_averaged: Any) -> Any:
        return averaged + (current - averaged) / (num_averaged + 1)

    return swa_update


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """A running mean that forgets: decay·mean + (1 - decay)·new one.

    Raises:
        ArgumentError: if `decay` is not from 0 to 1.
    """
    if not 0.0 <= decay <= 1.0:
        raise ArgumentError(
            f"Invalid decay value {decay} provided. Please provide a value in [0,1] range: it is "
            "the share of the old mean that is kept."
        )

    @no_grad()
    def ema_update(averaged: Any, current: Any, _: Any) -> Any:
        return decay * averaged + (1 - decay) * current

    return ema_update


def get_swa_multi_avg_fn() -> MultiAverage:
    """As `get_swa_avg_fn`, in place and for lists."""
    return _for_lists(get_swa_avg_fn())


def get_ema_multi_avg_fn(decay: float = 0.999) -> MultiAverage:
    """As `get_ema_avg_fn`, in place and for lists."""
    return _for_lists(get_ema_avg_fn(decay))


def _for_lists(average: Average) -> MultiAverage:
    @no_grad()
    def update(averaged: list[Tensor], current: list[Tensor], num_averaged: Tensor) -> None:
        for mean, new in zip(averaged, current, strict=True):
            mean.copy_(average(mean, new, num_averaged))

    return update


class AveragedModel(Module):
    """A copy of a model whose parameters are the mean of those it has had.

    Args:
        model: what is copied.
        device: where the copy lives; None: where the model does.
        avg_fn: makes a mean of (mean, new one, how many there were); None: `get_swa_avg_fn()`.
        multi_avg_fn: the same in place, for lists of them.
        use_buffers: average the buffers, too; else they are copied.

    Raises:
        ExpectationError: for two functions.

    Example:
        >>> model = glassgrad.nn.Linear(1, 1)
        >>> averaged = AveragedModel(model)
        >>> averaged.update_parameters(model)
        >>> equal(averaged.module.weight, model.weight), averaged.n_averaged
        (True, tensor(1))

    See also: Izmailov et al., *Averaging Weights Leads to Wider Optima* (2018).
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: MultiAverage | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise ExpectationError(
                "Only one of avg_fn and multi_avg_fn should be provided: got both. "
                "Each makes the mean. Leave one of them out."
            )
        self.module = copy.deepcopy(model)
        if device is not None:
            self.module.to(device)
        self.register_buffer("n_averaged", ops.tensor(0, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)

    @no_grad()
    def update_parameters(self, model: Module) -> None:
        """Take the parameters that `model` has now into the mean."""
        averaged, current = self._averaged_of(self.module), self._averaged_of(model)
        if int(self.n_averaged) == 0:
            for mean, new in zip(averaged, current, strict=True):
                mean.copy_(new)
        else:
            update = self.multi_avg_fn or _for_lists(self.avg_fn or get_swa_avg_fn())
            update(averaged, current, self.n_averaged)
        if not self.use_buffers:
            for ours, theirs in zip(self.module.buffers(), model.buffers(), strict=True):
                ours.copy_(theirs)
        self.n_averaged += 1

    def _averaged_of(self, model: Module) -> list[Tensor]:
        buffers = model.buffers() if self.use_buffers else ()
        return [each.detach() for each in itertools.chain(model.parameters(), buffers)]


@no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Compute the statistics of all batch normalisations anew, from one pass through the data.

    Args:
        loader: gives batches, or lists and tuples that begin with one.
        model: may have such layers.
        device: where batches are sent; None: they stay.
    """
    layers: list[Any] = [m for m in model.modules() if hasattr(m, "reset_running_stats")]
    if not layers:
        return
    was_training = model.training
    momenta = [layer.momentum for layer in layers]
    for layer in layers:
        layer.reset_running_stats()
        layer.momentum = None  # the plain mean of all batches
    model.train()
    for batch in loader:
        input = batch[0] if isinstance(batch, (list, tuple)) else batch
        model(input if device is None else input.to(device))
    for layer, momentum in zip(layers, momenta, strict=True):
        layer.momentum = momentum
    model.train(was_training)


@dataclass(eq=False, repr=False)
class SWALR(LRScheduler):
    """From the learning rates there are to `swa_lr` in some epochs, which then stays.

    Args:
        optimizer: whose learning rates are set.
        swa_lr: where they go; a number, or a list with one for each group.
        anneal_epochs: in how many epochs.
        anneal_strategy: "cos" or "linear".
        last_epoch: the last epoch that has been; -1: none yet.

    Raises:
        ArgumentError: for another strategy, or a negative number of epochs.
    """

    optimizer: Optimizer
    swa_lr: InitVar[float | list[float]]
    anneal_epochs: int = 10
    anneal_strategy: Literal["cos", "linear"] = "cos"
    last_epoch: int = -1

    _order = ("_anneal_strategy",)

    def __post_init__(self, swa_lr: Any) -> None:
        rates = for_groups("swa_lr", self.optimizer, swa_lr)
        for rate, group in zip(rates, self.optimizer.param_groups, strict=True):
            group["swa_lr"] = rate
        way_of(self.anneal_strategy)
        self._anneal_strategy = self.anneal_strategy  # its name in the states of PyTorch
        said = "anneal_epochs must be equal or greater than 0"
        require_count(said, self.anneal_epochs, least=0)
        super().__post_init__()

    def _rates(self) -> list[Rate]:
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._part(step - 1), self._part(step)
        rates = []
        for group in self.optimizer.param_groups:
            end = group["swa_lr"]
            start = end if before == 1 else (group["lr"] - before * end) / (1 - before)
            rates.append(end * now + start * (1 - now))
        return rates

    def _part(self, step: int) -> float:
        """How far a step is on the way, from 0 to 1."""
        done = max(0.0, min(1.0, step / max(1, self.anneal_epochs)))
        return (1 - math.cos(math.pi * done)) / 2 if self._anneal_strategy == "cos" else done
