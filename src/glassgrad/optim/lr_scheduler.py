"""Schedulers: how the learning rate of each group goes on from epoch to epoch.

    for epoch in range(100):
        train(…)              # optimizer.step() for each batch
        scheduler.step()      # writes group["lr"], and counts in scheduler.last_epoch

Most multiply the learning rate, by the quotient of what a closed form says now and said before, so
that several of them can be chained. What such a scheduler is made with, its class declares, as a
dataclass does; `LRScheduler.__post_init__` begins the schedule.
"""

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import InitVar, dataclass
from types import FunctionType
from typing import Any, ClassVar, Literal

from glassgrad.core.errors import (
    ArgumentError,
    ArgumentTypeError,
    DataError,
    GraphError,
    MissingRuleError,
)
from glassgrad.core.tensor import Tensor
from glassgrad.memory.calls import warn
from glassgrad.ops import _checks as check

from .optimizer import Group, Optimizer

EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where "
    "possible. Please use `scheduler.step()` to step the scheduler."
)
"""What schedulers of programs warn of."""

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]

Rate = float | Tensor
Factor = Callable[[int], float]
SavedState = dict[str, Any]


class _MissingRateError(DataError, KeyError):
    """A scheduler goes on without knowing where the learning rate began."""


class LRScheduler:
    """The base of all schedulers. Subclasses define `get_lr`, or `multiplier`.

    Args:
        optimizer: whose learning rates are set; the first ones are written at once.
        last_epoch: the last epoch that has been; -1: none yet.

    Attributes:
        base_lrs: the learning rates at first, one for each group.
        last_epoch: how many steps there have been.

    Raises:
        ArgumentTypeError: if `optimizer` is none.
        KeyError: for an epoch to go on from, and an optimiser that has forgotten where it began.

    Example:
        >>> class Halving(LRScheduler):
        ...     def multiplier(self, epoch):
        ...         return 0.5**epoch
        >>> optimizer = glassgrad.optim.SGD([tensor(1.0, requires_grad=True)], lr=0.4)
        >>> scheduler = Halving(optimizer)
        >>> optimizer.step()
        >>> scheduler.step()
        >>> scheduler.get_last_lr()
        [0.2]
    """

    _get_lr_called_within_step = False
    _is_initial = False
    _stays_when_resumed = True  # leaves the learning rate that an optimiser was loaded with
    _order: ClassVar[tuple[str, ...]] = ()  # what comes first in PyTorch's states
    _with_states: ClassVar[
        tuple[str, ...]
    ] = ()  # the names of attributes of which only what they remember is saved

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        self.optimizer = optimizer
        self.last_epoch = last_epoch
        LRScheduler.__post_init__(self)

    def __post_init__(self, *given: Any) -> None:
        """Begin: remember where the learning rates were, and write those of the first epoch."""
        optimizer = _require_optimizer(self.optimizer)
        for number, group in enumerate(optimizer.param_groups):
            if self.last_epoch == -1:
                lr = group["lr"]
                group.setdefault("initial_lr", lr.clone() if isinstance(lr, Tensor) else lr)
            elif "initial_lr" not in group:
                raise _MissingRateError(
                    f"param 'initial_lr' is not specified in param_groups[{number}] when resuming "
                    f"scheduler with last_epoch >= 0, here {self.last_epoch}. It says where that "
                    "began. Load the state of the optimiser that was scheduled first."
                )
        self.base_lrs = _values_of(optimizer, "initial_lr")
        self.last_epoch = vars(self).pop("last_epoch")  # it comes next in a state of PyTorch
        if optimizer._opt_called is None:
            optimizer._opt_called = False
        self._initial_step()

    def _initial_step(self) -> None:
        """Write the learning rates of the first epoch."""
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def multiplier(self, epoch: int) -> float:
        """By what the first learning rates are multiplied in an epoch."""
        raise MissingRuleError(
            f"{type(self).__name__} is missing the method `get_lr`. It says which learning rates "
            "come next. Write `def get_lr(self): …`, or `def multiplier(self, epoch): …`."
        )

    def get_lr(self) -> list[Rate]:
        """The next learning rates, one for each group; see `get_last_lr` for those that are set."""
        if not self._get_lr_called_within_step:
            warn(
                "To get the last learning rate computed by the scheduler, please use "
                "`get_last_lr()`."
            )
        return self._rates()

    def _rates(self) -> list[Rate]:
        """The next learning rates: those that are set, times what has changed since."""
        if self.last_epoch == 0:
            first = self.multiplier(0)
            return [group["lr"] * first for group in self.optimizer.param_groups]
        if self._is_initial and self._stays_when_resumed:
            return _values_of(self.optimizer, "lr")
        change = self._change()
        if change == 1:
            return _values_of(self.optimizer, "lr")
        return [group["lr"] * change for group in self.optimizer.param_groups]

    def _change(self) -> float:
        """What the learning rates are multiplied by from the epoch before; rounded as PyTorch's."""
        now, before = self.multiplier(self.last_epoch), self.multiplier(self.last_epoch - 1)
        return 1.0 if now == before else now / before

    def _get_closed_form_lr(self) -> list[Rate]:
        """The learning rates of an epoch, whatever was before."""
        if type(self).multiplier is LRScheduler.multiplier:
            return self.get_lr()
        return [base * self.multiplier(self.last_epoch) for base in self.base_lrs]

    def get_last_lr(self) -> list[Rate]:
        """The learning rates that this scheduler has set last."""
        return self._last_lr

    def step(self, epoch: int | None = None) -> None:
        """Go on by an epoch; after `optimizer.step()`.

        Args:
            epoch: go there instead (PyTorch advises against it).
        """
        if self._step_count == 1 and "step" in vars(self.optimizer):
            warn(
                "Seems like `optimizer.step()` has been overridden after learning rate scheduler "
                "initialization. Please, make sure to call `optimizer.step()` before "
                "`lr_scheduler.step()`."
            )
        elif self._step_count == 1 and not self.optimizer._opt_called:
            warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch "
                "1.1.0 and later, you should call them in the opposite order: `optimizer.step()` "
                "before `lr_scheduler.step()`. Failure to do this will result in PyTorch skipping "
                "the first value of the learning rate schedule. Here "
                f"{type(self).__name__}.step() comes before {type(self.optimizer).__name__}.step()."
            )
        self._step_count += 1
        if epoch is not None:
            warn(_EPOCH_GIVEN)
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self._write(self.get_lr if epoch is None else self._get_closed_form_lr)

    def _write(self, rates: Callable[[], Iterable[Rate]]) -> None:
        self._get_lr_called_within_step = True
        try:
            pairs = zip(self.optimizer.param_groups, rates(), strict=True)
        finally:
            self._get_lr_called_within_step = False
        for group, rate in pairs:
            _set_rate(group, rate)
        self._last_lr = _values_of(self.optimizer, "lr")

    def state_dict(self) -> SavedState:
        """What must be saved to go on later: all attributes but the optimiser."""
        apart = ("optimizer", *self._with_states)
        kept = {**dict.fromkeys(self._order), **vars(self)}
        kept = {key: value for key, value in kept.items() if key not in apart}
        return kept | {name: _state_of(vars(self)[name]) for name in self._with_states}

    def load_state_dict(self, state_dict: SavedState) -> None:
        """Go on from what `state_dict` returned."""
        stay = {name: vars(self)[name] for name in self._with_states}
        vars(self).update(state_dict, **stay)
        for name, part in stay.items():
            _load(part, state_dict[name])


_LRScheduler = LRScheduler  # its name in older programs


def _state_of(part: Any) -> Any:
    """What a scheduler, a callable object or a list of them remembers; a plain function nothing."""
    if isinstance(part, list):
        return [_state_of(each) for each in part]
    if isinstance(part, LRScheduler):
        return part.state_dict()
    return None if part is None or isinstance(part, FunctionType) else dict(vars(part))


def _load(part: Any, saved: Any) -> None:
    """Let it remember that again."""
    if isinstance(part, list):
        for each, kept in zip(part, saved, strict=True):
            _load(each, kept)
    elif isinstance(part, LRScheduler):
        part.load_state_dict(saved)
    elif saved is not None:
        vars(part).update(saved)


def _require_optimizer(optimizer: object) -> Any:
    if not isinstance(optimizer, Optimizer):
        raise ArgumentTypeError(
            f"{type(optimizer).__name__} is not an Optimizer. A scheduler sets the learning rates "
            "of one. Pass the optimiser that makes the steps."
        )
    return optimizer


def _values_of(optimizer: Optimizer, key: str) -> list[Any]:
    values = [group[key] for group in optimizer.param_groups]
    return [value.clone() if isinstance(value, Tensor) else value for value in values]


def _set_rate(group: Group, rate: Rate) -> None:
    if isinstance(group["lr"], Tensor):
        group["lr"].fill_(float(rate))
    else:
        group["lr"] = rate


_EPOCH_GIVEN = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where "
    "possible. Please use `scheduler.step()` to step the scheduler. During the deprecation, if "
    "epoch is different from None, the closed form is used instead of the new chainable form, "
    "where available."
)


# What a schedule is made of -----------------------------------------------------------------------


def _require(is_right: bool, said: str, remedy: str) -> None:
    if not is_right:
        raise ArgumentError(f"{said}. The schedule is made of it. {remedy}")


def _require_fraction(what: str, name: str, value: float, *, is_zero_right: bool = True) -> None:
    bounds = "between 0 and 1" if is_zero_right else "greater than 0 and less or equal to 1"
    is_right = 0 <= value <= 1 and (is_zero_right or value > 0)
    said = f"{what} multiplicative factor expected to be {bounds}, got {name}={value}"
    _require(is_right, said, "Write a fraction.")


def require_count(said: str, value: object, least: int = 1) -> None:
    """Raise unless `value` is an integer, and as large as it has to be."""
    is_count = isinstance(value, int) and value >= least
    _require(is_count, f"{said}, but got {value}", f"Write a number from {least} up.")


def for_groups(name: str, optimizer: Optimizer, value: Any, said: str | None = None) -> list[Any]:
    """One value for each group.

    Raises:
        ArgumentError: for lists of another length; with `said`, PyTorch's sentence about that.
    """
    groups = len(optimizer.param_groups)
    values = list(value) if isinstance(value, (list, tuple)) else [value] * groups
    if len(values) != groups:
        usual = f"{name} must have the same length as optimizer.param_groups"
        raise ArgumentError(
            f"{said or usual}. {name} has {len(values)} values, param_groups has {groups}. "
            "Write one for each, or one for all."
        )
    return values


# Factors of the first learning rate ---------------------------------------------------------------


@dataclass(eq=False, repr=False)
class _ByFunctions(LRScheduler):
    """What schedulers with a function for each group share.

    Args:
        optimizer: whose learning rates are set.
        lr_lambda: a function of the epoch, or a list of them, one for each group.
        last_epoch: the last epoch that has been; -1: none yet.
    """

    optimizer: Optimizer
    lr_lambda: InitVar[Factor | list[Factor]]
    last_epoch: int = -1
    _with_states = ("lr_lambdas",)

    def __post_init__(self, lr_lambda: Any) -> None:
        groups = len(_require_optimizer(self.optimizer).param_groups)
        count = len(lr_lambda) if isinstance(lr_lambda, (list, tuple)) else groups
        said = f"Expected {groups} lr_lambdas, but got {count}"
        self.lr_lambdas = for_groups("lr_lambda", self.optimizer, lr_lambda, said)
        for function in self.lr_lambdas:
            why = "It is called with the epoch. Write `lambda epoch: 0.9**epoch`."
            check.kind("lr_lambda should be a function, but got", function, Callable, why)
        super().__post_init__()


class LambdaLR(_ByFunctions):
    """The first learning rate, times a function of the epoch.

    Example:
        >>> optimizer = glassgrad.optim.SGD([tensor(1.0, requires_grad=True)], lr=0.4)
        >>> LambdaLR(optimizer, lambda epoch: 0.5 ** (epoch + 1)).get_last_lr()
        [0.2]
    """

    def _rates(self) -> list[Rate]:
        pairs = zip(self.base_lrs, self.lr_lambdas, strict=True)
        return [base * function(self.last_epoch) for base, function in pairs]


class MultiplicativeLR(_ByFunctions):
    """The last learning rate, times a function of the epoch; from epoch 1 on."""

    def _rates(self) -> list[Rate]:
        if self._is_initial:
            return _values_of(self.optimizer, "lr")
        pairs = zip(self.optimizer.param_groups, self.lr_lambdas, strict=True)
        return [group["lr"] * function(self.last_epoch) for group, function in pairs]


@dataclass(eq=False, repr=False)
class StepLR(LRScheduler):
    """lr·gammaᵏ, where k grows by one every `step_size` epochs.

    Example:
        >>> optimizer = glassgrad.optim.SGD([tensor(1.0, requires_grad=True)], lr=0.5)
        >>> scheduler = StepLR(optimizer, step_size=2, gamma=0.5)
        >>> for _ in range(4):
        ...     optimizer.step()
        ...     scheduler.step()
        >>> scheduler.get_last_lr()
        [0.125]
    """

    optimizer: Optimizer
    step_size: int
    gamma: float = 0.1
    last_epoch: int = -1
    _stays_when_resumed = False

    def multiplier(self, epoch: int) -> float:
        return self.gamma ** (epoch // self.step_size)

    def _change(self) -> float:
        return self.gamma if self.last_epoch % self.step_size == 0 else 1.0


@dataclass(eq=False, repr=False)
class MultiStepLR(LRScheduler):
    """lr·gammaᵏ, where k is how many of the milestones have been reached."""

    optimizer: Optimizer
    milestones: Iterable[int]
    gamma: float = 0.1
    last_epoch: int = -1
    _stays_when_resumed = False

    def __post_init__(self) -> None:
        why = "The rate changes at each. Write a list of epochs: `[30, 80]`."
        check.kind("milestones must be several ints", self.milestones, Iterable, why)
        self.milestones = Counter(self.milestones)
        super().__post_init__()

    def multiplier(self, epoch: int) -> float:
        reached: Any = self.milestones
        return self.gamma ** bisect_right(sorted(reached.elements()), epoch)

    def _change(self) -> float:
        reached: Any = self.milestones
        return float(self.gamma ** reached[self.last_epoch])


@dataclass(eq=False, repr=False)
class ConstantLR(LRScheduler):
    """lr·factor for `total_iters` epochs, then lr."""

    optimizer: Optimizer
    factor: float = 1.0 / 3
    total_iters: int = 5
    last_epoch: int = -1
    _stays_when_resumed = False

    def __post_init__(self) -> None:
        _require_fraction("Constant", "factor", self.factor)
        super().__post_init__()

    def multiplier(self, epoch: int) -> float:
        return self.factor if epoch < self.total_iters else 1.0


@dataclass(eq=False, repr=False)
class LinearLR(LRScheduler):
    """lr times a factor that goes from `start_factor` to `end_factor` in `total_iters` epochs."""

    optimizer: Optimizer
    start_factor: float = 1.0 / 3
    end_factor: float = 1.0
    total_iters: int = 5
    last_epoch: int = -1

    def __post_init__(self) -> None:
        _require_fraction("Starting", "start_factor", self.start_factor, is_zero_right=False)
        _require_fraction("Ending", "end_factor", self.end_factor)
        super().__post_init__()

    def multiplier(self, epoch: int) -> float:
        done = min(self.total_iters, epoch) / self.total_iters
        return self.start_factor + (self.end_factor - self.start_factor) * done

    def _change(self) -> float:
        if self.last_epoch > self.total_iters:
            return 1.0
        rise = self.end_factor - self.start_factor
        return 1.0 + rise / (self.total_iters * self.start_factor + (self.last_epoch - 1) * rise)


@dataclass(eq=False, repr=False)
class ExponentialLR(LRScheduler):
    """lr·gammaᵗ in epoch t."""

    optimizer: Optimizer
    gamma: float
    last_epoch: int = -1

    def multiplier(self, epoch: int) -> float:
        return self.gamma**epoch

    def _change(self) -> float:
        return self.gamma


@dataclass(eq=False, repr=False)
class PolynomialLR(LRScheduler):
    """lr·(1 - t/total_iters)^power, then 0."""

    optimizer: Optimizer
    total_iters: int = 5
    power: float = 1.0
    last_epoch: int = -1

    def multiplier(self, epoch: int) -> float:
        return math.pow(1.0 - min(self.total_iters, epoch) / self.total_iters, self.power)

    def _change(self) -> float:
        if self.last_epoch > self.total_iters:
            return 1.0
        left, before = (1.0 - t / self.total_iters for t in (self.last_epoch, self.last_epoch - 1))
        return math.pow(left / before, self.power)


# Along a cosine -----------------------------------------------------------------------------------


def _eased(start: Any, end: Any, part: float, whole: float = 1.0) -> Any:
    """From start to end along half a cosine."""
    return end + (start - end) / 2.0 * (1 + math.cos(math.pi * part / whole))


def _straight(start: Any, end: Any, part: float) -> Any:
    return (end - start) * part + start


_WAYS: dict[str, Callable[[Any, Any, float], Any]] = {"cos": _eased, "linear": _straight}


def way_of(anneal_strategy: str) -> Callable[[Any, Any, float], Any]:
    """How to go from a start to an end, by its name: "cos" or "linear"."""
    said = f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
    _require(anneal_strategy in _WAYS, said, "Write one of them.")
    return _WAYS[anneal_strategy]


@dataclass(eq=False, repr=False)
class CosineAnnealingLR(LRScheduler):
    """From lr to `eta_min` along half a cosine in `T_max` epochs, and back again.

    See also: Loshchilov and Hutter, *SGDR: Stochastic Gradient Descent with Warm Restarts* (2017).
    """

    optimizer: Optimizer
    T_max: int
    eta_min: float = 0.0
    last_epoch: int = -1

    def _rates(self) -> list[Rate]:
        epoch, low = self.last_epoch, self.eta_min
        groups = self.optimizer.param_groups
        if self._is_initial:
            return _values_of(self.optimizer, "lr")
        if self._step_count == 1 and epoch > 0:
            return self._get_closed_form_lr()
        if (epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # the last one was the lowest
            rise = (1 - math.cos(math.pi / self.T_max)) / 2
            pairs = zip(groups, self.base_lrs, strict=True)
            return [group["lr"] + (base - low) * rise for group, base in pairs]
        now, before = (1 + math.cos(math.pi * t / self.T_max) for t in (epoch, epoch - 1))
        return [now / before * (group["lr"] - low) + low for group in groups]

    def _get_closed_form_lr(self) -> list[Rate]:
        epoch, whole = self.last_epoch, self.T_max
        return [_eased(base, self.eta_min, epoch, whole) for base in self.base_lrs]


@dataclass(eq=False, repr=False)
class CosineAnnealingWarmRestarts(LRScheduler):
    """From lr to `eta_min` along half a cosine, again and again.

    Args:
        optimizer: whose learning rates are set.
        T_0: how many epochs the first one takes.
        T_mult: how many times as many the next one takes.
        eta_min: the lowest learning rate.
        last_epoch: the last epoch that has been; -1: none yet.

    See also: Loshchilov and Hutter, *SGDR: Stochastic Gradient Descent with Warm Restarts* (2017).
    """

    optimizer: Optimizer
    T_0: int
    T_mult: int = 1
    eta_min: float = 0.0
    last_epoch: int = -1

    _order = ("T_0", "T_i")

    def __post_init__(self) -> None:
        require_count("Expected positive integer T_0", self.T_0)
        require_count("Expected integer T_mult >= 1", self.T_mult)
        kind = type(self.eta_min)
        said = f"Expected float or int eta_min, but got {self.eta_min} of type {kind}"
        _require(isinstance(self.eta_min, (float, int)), said, "Write a number.")
        self.T_i = self.T_0
        self.T_cur: float = self.last_epoch
        super().__post_init__()

    def _rates(self) -> list[Rate]:
        return [_eased(base, self.eta_min, self.T_cur, self.T_i) for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Go on by an epoch, or to one, which may be a fraction: `epoch + batch / batches`."""
        if epoch is None and self.last_epoch >= 0:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        else:
            epoch = 0 if epoch is None else epoch
            _require(epoch >= 0, f"Expected non-negative epoch, but got {epoch}", "Count from 0.")
            self._go_to(epoch)
        self.last_epoch = math.floor(epoch)
        self._write(self.get_lr)

    def _go_to(self, epoch: float) -> None:
        """Find the round in which an epoch is, and how far into it."""
        first, growth = self.T_0, self.T_mult
        if epoch < first:
            self.T_i, self.T_cur = first, epoch
        elif growth == 1:
            self.T_cur = epoch % first
        else:
            rounds = int(math.log(epoch / first * (growth - 1) + 1, growth))
            self.T_cur = epoch - first * (growth**rounds - 1) / (growth - 1)
            self.T_i = first * growth**rounds


# Up and down, the momentum against it -------------------------------------------------------------


class _WithMomentum(LRScheduler):
    """What schedulers share that lower the momentum while the learning rate is high."""

    def _begin_momentum(self, base: Any, highest: Any, last_epoch: int) -> None:
        """Remember the bounds in the groups, and begin at the upper one."""
        defaults = self.optimizer.defaults
        if "momentum" not in defaults and "betas" not in defaults:
            raise ArgumentError(
                "optimizer must support momentum or beta1 with `cycle_momentum` option enabled: "
                f"{type(self.optimizer).__name__} has neither. Write cycle_momentum=False."
            )
        self.use_beta1 = "betas" in defaults
        self.base_momentums = for_groups("base_momentum", self.optimizer, base)
        self.max_momentums = for_groups("max_momentum", self.optimizer, highest)
        for group, low, high in self._momenta() if last_epoch == -1 else ():
            self._set_momentum(group, high)
            group["max_momentum"], group["base_momentum"] = high, low

    def _momenta(self) -> Iterable[tuple[Group, float, float]]:
        """Each group, with the bounds of its momentum."""
        groups = self.optimizer.param_groups
        return zip(groups, self.base_momentums, self.max_momentums, strict=True)

    def _set_momentum(self, group: Group, momentum: float) -> None:
        if self.use_beta1:
            group["betas"] = (momentum, *group["betas"][1:])
        else:
            group["momentum"] = momentum


class CyclicLR(_WithMomentum):
    """Between two learning rates, up and down, step by step.

    Args:
        optimizer: whose learning rates are set.
        base_lr, max_lr: the bounds; numbers, or lists with one for each group.
        step_size_up, step_size_down: how many steps up, and how many down (None: as many).
        mode: "triangular", "triangular2" (half as high each time) or "exp_range" (times gammaᵗ).
        gamma: for "exp_range".
        scale_fn: scales the height instead of `mode`: a function of the cycle, or of the step.
        scale_mode: "cycle" or "iterations": of which.
        cycle_momentum: move the momentum against the learning rate.
        base_momentum, max_momentum: its bounds.
        last_epoch: the last step that has been; -1: none yet.

    See also: Smith, *Cyclical Learning Rates for Training Neural Networks* (2017).
    """

    _stays_when_resumed = False
    _with_states = ("_scale_fn_custom",)

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: Literal["triangular", "triangular2", "exp_range"] = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: Literal["cycle", "iterations"] = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.8,
        max_momentum: float | list[float] = 0.9,
        last_epoch: int = -1,
    ) -> None:
        self.optimizer = _require_optimizer(optimizer)
        base_lrs = for_groups("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for rate, group in zip(base_lrs, optimizer.param_groups, strict=True):
                _set_rate(group, rate)
        self.max_lrs = for_groups("max_lr", optimizer, max_lr)
        down = step_size_up if step_size_down is None else step_size_down
        self.total_size = float(step_size_up + down)
        self.step_ratio = step_size_up / self.total_size
        is_known = mode in ("triangular", "triangular2", "exp_range")
        said = f"mode is invalid and scale_fn is None: got mode={mode!r}"
        _require(is_known or scale_fn is not None, said, "Write 'triangular', or a scale_fn.")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        if scale_fn is None:
            scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self.scale_mode = scale_mode
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._begin_momentum(base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def scale_fn(self, x: float) -> float:
        """How high a cycle is, by its number or that of the step."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "exp_range":
            return math.pow(self.gamma, x)
        return 1 / 2.0 ** (x - 1) if self.mode == "triangular2" else 1.0

    def _rates(self) -> list[Rate]:
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        part = 1.0 + self.last_epoch / self.total_size - cycle
        is_up = part <= self.step_ratio
        height = part / self.step_ratio if is_up else (part - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            for group, low, high in self._momenta():
                self._set_momentum(group, high - (high - low) * height * scale)
        rates = zip(self.base_lrs, self.max_lrs, strict=True)
        return [low + (high - low) * height * scale for low, high in rates]


class OneCycleLR(_WithMomentum):
    """Once up to `max_lr` and far down, over a whole training.

    Args:
        optimizer: whose learning rates are set.
        max_lr: the highest one; a number, or a list with one for each group.
        total_steps: how many steps there will be; or:
        epochs, steps_per_epoch: their product is that.
        pct_start: which part of them goes up.
        anneal_strategy: "cos" or "linear".
        cycle_momentum: move the momentum against the learning rate.
        base_momentum, max_momentum: its bounds.
        div_factor: begin at max_lr / div_factor.
        final_div_factor: end at the beginning / final_div_factor.
        three_phase: go down to the beginning as long as up, then to the end.
        last_epoch: the last step that has been; -1: none yet.

    Raises:
        ArgumentError: for options that give no schedule; in `step`, after the last one.

    See also: Smith and Topin, *Super-Convergence* (2018).
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: Literal["cos", "linear"] = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        self.optimizer = _require_optimizer(optimizer)
        parts: dict[str, Any] = {"total_steps": total_steps}
        if total_steps is None:
            parts = {"epochs": epochs, "steps_per_epoch": steps_per_epoch}
        said = "You must define either total_steps OR (epochs AND steps_per_epoch)"
        _require(None not in parts.values(), said, "Say how long the training is.")
        for name, number in parts.items():
            require_count(f"Expected positive integer {name}", number)
        self.total_steps: int = math.prod(parts.values())
        part: Any = pct_start
        is_fraction = isinstance(part, (float, int)) and 0 <= part <= 1
        said = f"Expected float between 0 and 1 pct_start, but got {pct_start}"
        _require(is_fraction, said, "Write a fraction, such as 0.3.")
        way_of(anneal_strategy)
        up = pct_start * self.total_steps
        phases = [
            (up - 1, "initial_lr", "max_lr", "max_momentum", "base_momentum"),
            (self.total_steps - 1, "max_lr", "min_lr", "base_momentum", "max_momentum"),
        ]
        if three_phase:
            phases[1:] = [
                (2 * up - 2, "max_lr", "initial_lr", "base_momentum", "max_momentum"),
                (self.total_steps - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum"),
            ]
        names = "end_step", "start_lr", "end_lr", "start_momentum", "end_momentum"
        self._schedule_phases: list[Any] = [
            dict(zip(names, phase, strict=True)) for phase in phases
        ]
        self._anneal_func_type = anneal_strategy
        highest = zip(optimizer.param_groups, for_groups("max_lr", optimizer, max_lr), strict=True)
        for group, rate in highest if last_epoch == -1 else ():
            group["initial_lr"] = rate / div_factor
            group["max_lr"] = rate
            group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._begin_momentum(base_momentum, max_momentum, last_epoch)
            del self.base_momentums, self.max_momentums  # the groups have them
        super().__init__(optimizer, last_epoch)

    def _rates(self) -> list[Rate]:
        step, most = self.last_epoch, self.total_steps
        said = f"Tried to step {step} times. The specified number of total steps is {most}"
        _require(step <= most, said, "Give the scheduler as many steps as the training has.")
        begin: Any = 0.0
        for phase in self._schedule_phases[:-1]:
            if step <= phase["end_step"]:
                break
            begin = phase["end_step"]
        else:
            phase = self._schedule_phases[-1]
        part = (step - begin) / (phase["end_step"] - begin)
        between = way_of(self._anneal_func_type)
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(between(group[phase["start_lr"]], group[phase["end_lr"]], part))
            if self.cycle_momentum:
                bounds = group[phase["start_momentum"]], group[phase["end_momentum"]]
                self._set_momentum(group, between(*bounds, part))
        return rates


# Schedulers of schedulers, and by results ---------------------------------------------------------


class _OfSchedulers(LRScheduler):
    """What schedulers share that hold others."""

    _schedulers: list[Any]
    _with_states = ("_schedulers",)

    def _take(self, schedulers: Sequence[Any], optimizer: Optimizer | None) -> None:
        name = type(self).__name__
        said = f"{name} expects at least one scheduler, but got no scheduler"
        _require(len(schedulers) > 0, said, "Pass at least one.")
        self.optimizer = schedulers[0].optimizer if optimizer is None else optimizer
        for index, scheduler in enumerate(schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise ArgumentTypeError(
                    f"{name} at index {index} should have `optimizer` as its attribute: got "
                    f"{type(scheduler).__name__}. It is no scheduler. Pass schedulers."
                )
            _require(
                not isinstance(scheduler, ReduceLROnPlateau),
                f"{name} does not support `ReduceLROnPlateau` scheduler as it requires "
                "additional kwargs to be specified when calling `step`, but got one at index "
                f"{index} in the given schedulers sequence",
                "Step it by itself.",
            )
            _require(
                scheduler.optimizer is self.optimizer,
                f"{name} expects all schedulers to belong to the same optimizer, but got "
                f"scheduler {type(scheduler).__name__} at index {index} has "
                f"{scheduler.optimizer}, which is different from "
                f"{type(self.optimizer).__name__}",
                "Make all of them for one optimiser.",
            )
        self._schedulers = list(schedulers)


class SequentialLR(_OfSchedulers):
    """One scheduler after the other.

    Args:
        optimizer: that of all schedulers.
        schedulers: which begin at epoch 0, each in its turn.
        milestones: at which epochs the next one takes over.
        last_epoch: the last epoch that has been; -1: none yet.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: list[LRScheduler],
        milestones: list[int],
        last_epoch: int = -1,
    ) -> None:
        self._take(schedulers, optimizer)
        _require(
            len(milestones) == len(schedulers) - 1,
            "Sequential Schedulers expects number of schedulers provided to be one more than "
            f"the number of milestone points, but got number of schedulers {len(schedulers)} "
            f"and the number of milestones to be equal to {len(milestones)}",
            "Write one milestone between each two.",
        )
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        for group in optimizer.param_groups:
            _set_rate(group, group["initial_lr"])
        _step_back(self)
        current = self._schedulers[bisect_right(milestones, 0)]
        current._initial_step()
        self._last_lr = current.get_last_lr()

    def step(self) -> None:  # type: ignore[override]
        self.last_epoch += 1
        index = bisect_right(self._milestones, self.last_epoch)
        current = self._schedulers[index]
        if index > 0 and self._milestones[index - 1] == self.last_epoch:
            current._update_lr(0)
        else:
            current.step()
        self._last_lr = current.get_last_lr()


def _step_back(scheduler: Any) -> None:
    """Undo the first step of the schedulers inside, which each made when it was built."""
    for inner in getattr(scheduler, "_schedulers", ()):
        _step_back(inner)
    if not hasattr(scheduler, "_schedulers"):
        scheduler.last_epoch -= 1


class ChainedScheduler(_OfSchedulers):
    """Several schedulers at once: each changes what the one before has left.

    Args:
        schedulers: those.
        optimizer: that of all schedulers; None: that of the first.
    """

    def __init__(
        self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None
    ) -> None:
        self._take(schedulers, optimizer)
        self._last_lr = _values_of(self.optimizer, "lr")

    def step(self) -> None:  # type: ignore[override]
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = _values_of(self.optimizer, "lr")


@dataclass(eq=False, repr=False)
class ReduceLROnPlateau(LRScheduler):
    """Multiply the learning rate by `factor` when a result has not become better for a while.

    Args:
        optimizer: whose learning rates are set.
        mode: "min" or "max": which results are better.
        factor: by what to multiply.
        patience: how many epochs without a better result are nothing to worry about.
        threshold: by how much a result has to be better.
        threshold_mode: "rel" or "abs": a fraction of the best one, or a difference.
        cooldown: how many epochs to wait after a change.
        min_lr: not to go below; a number, or a list with one for each group.
        eps: changes smaller than that are not made.

    Example:
        >>> optimizer = glassgrad.optim.SGD([tensor(1.0, requires_grad=True)], lr=0.1)
        >>> scheduler = ReduceLROnPlateau(optimizer, patience=1, factor=0.5)
        >>> for loss in (1.0, 2.0, 2.0):
        ...     scheduler.step(loss)
        >>> scheduler.get_last_lr()
        [0.05]
    """

    optimizer: Optimizer
    mode: Literal["min", "max"] = "min"
    factor: float = 0.1
    patience: int = 10
    threshold: float = 1e-4
    threshold_mode: Literal["rel", "abs"] = "rel"
    cooldown: int = 0
    min_lr: InitVar[float | Sequence[float]] = 0
    eps: float = 1e-8

    _order = (
        "factor",
        "default_min_lr",
        "min_lrs",
        "patience",
        "cooldown",
        "eps",
        "last_epoch",
        "_last_lr",
        "mode_worse",
    )

    def __post_init__(self, min_lr: Any) -> None:
        said = f"Factor should be < 1.0, got {self.factor}"
        _require(self.factor < 1.0, said, "It has to make the rate smaller.")
        remedy = 'Write "min" for losses, "max" for scores.'
        _require(self.mode in ("min", "max"), f"mode {self.mode} is unknown!", remedy)
        said = f"threshold mode {self.threshold_mode} is unknown!"
        _require(self.threshold_mode in ("rel", "abs"), said, 'Write "rel" or "abs".')
        groups = len(_require_optimizer(self.optimizer).param_groups)
        is_list = isinstance(min_lr, (list, tuple))
        said = f"expected {groups} min_lrs, got {len(min_lr) if is_list else 1}"
        self.min_lrs = for_groups("min_lr", self.optimizer, min_lr, said)
        self.default_min_lr = None if is_list else min_lr
        self.last_epoch = 0
        self._last_lr = _values_of(self.optimizer, "lr")
        self.mode_worse = math.inf if self.mode == "min" else -math.inf
        self._reset()

    def _reset(self) -> None:
        """Forget all results."""
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    @property
    def in_cooldown(self) -> bool:
        """Whether results are not looked at now."""
        return self.cooldown_counter > 0

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """Go on by an epoch with the result `metrics`, a number or a tensor of one."""
        result = float(metrics)
        if epoch is not None:
            warn(_EPOCH_GIVEN)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self.num_bad_epochs += 1
        if self._is_better(result, self.best):
            self.best = result
            self.num_bad_epochs = 0
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr()
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = _values_of(self.optimizer, "lr")

    def _is_better(self, result: float, best: float) -> bool:
        sign = -1 if self.mode == "min" else 1
        if self.threshold_mode == "rel":
            bar = best * (1.0 + sign * self.threshold)
        else:
            bar = best + sign * self.threshold
        return result < bar if self.mode == "min" else result > bar

    def _reduce_lr(self) -> None:
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise GraphError(
                    f"The number of param groups in the `optimizer` ({len(groups)}) differs from "
                    "when `ReduceLROnPlateau` was initialized "
                    f"({len(self.min_lrs)}), usually due to a new param group being added to the "
                    "optimizer. Please modify the `min_lrs` field to match the length of the "
                    "`optimizer` param groups."
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, lowest in zip(groups, self.min_lrs, strict=True):
            before = float(group["lr"])
            after = max(before * self.factor, lowest)
            if before - after > self.eps:
                _set_rate(group, after)
