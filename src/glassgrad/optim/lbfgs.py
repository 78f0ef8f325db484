"""`LBFGS`: Newton steps with a curvature that is guessed from the last few gradients."""

import math
from collections.abc import Callable
from dataclasses import InitVar
from typing import Any, NamedTuple

import numpy as np

from glassgrad.autograd.grad_mode import no_grad
from glassgrad.core.errors import ArgumentError, ArgumentTypeError, GraphError
from glassgrad.core.state import setting
from glassgrad.core.tensor import Tensor, whole, wrap

from .optimizer import Group, Optimizer, Params, State, with_options


class _Point(NamedTuple):
    """A place on the line along which a step is looked for.

    Attributes:
        distance: how many directions it is away.
        loss: the loss there.
        grad: its gradient, flat.
        slope: the derivative of the loss along the line.
    """

    distance: float
    loss: float
    grad: Any
    slope: float


@with_options
class LBFGS(Optimizer):
    r"""Limited-memory BFGS: many evaluations in a step, and few steps.

        y = gₜ - gₜ₋₁,  s = pₜ - pₜ₋₁               remembered for the last steps
        d = -H·g                                    H, the inverse curvature, from all y and s
        p ← p + lr·d                                ("strong_wolfe": as far as is worth it)

    There is one group of parameters. Few of the lines look at one parameter: all are put behind
    each other, as one long vector.

    Args:
        params: tensors to move.
        lr: the step size, or where the search along the line begins.
        max_iter: how many directions to go in a step.
        max_eval: how often to call the closure in a step; None: 1.25·max_iter.
        tolerance_grad: stop where no entry of the gradient is larger.
        tolerance_change: stop when the loss or the parameters change by less.
        history_size: how many y and s to remember.
        line_search_fn: "strong_wolfe", or None for steps of `lr`.

    Raises:
        ArgumentError: for a negative learning rate, or several groups.
        GraphError: in `step`, for another search.

    Example:
        >>> x = tensor(3.0, requires_grad=True)
        >>> optimizer = LBFGS([x], line_search_fn="strong_wolfe")
        >>> def closure():
        ...     optimizer.zero_grad()
        ...     loss = (x - 1) ** 2
        ...     loss.backward()
        ...     return loss
        >>> optimizer.step(closure)
        tensor(4., grad_fn=<PowBackward0>)
        >>> x
        tensor(1., requires_grad=True)

    See also: Nocedal and Wright, *Numerical Optimization* (2006), algorithms 7.4, 3.5 and 3.6.
    """

    params: InitVar[Params]
    lr: InitVar[float | Tensor] = 1
    max_iter: InitVar[int] = 20
    max_eval: InitVar[int | None] = None
    tolerance_grad: InitVar[float] = 1e-7
    tolerance_change: InitVar[float] = 1e-9
    history_size: InitVar[int] = 100
    line_search_fn: InitVar[str | None] = None

    def __post_init__(self, params: Params, *given: Any) -> None:
        super().__post_init__(params, *given)
        if len(self.param_groups) != 1:
            raise ArgumentError(
                "LBFGS doesn't support per-parameter options (parameter groups): got "
                f"{len(self.param_groups)} groups. It has one direction for all. "
                "Pass `model.parameters()`."
            )

    def _completed(self, options: Group) -> Group:
        evaluations = options["max_eval"]
        most = options["max_iter"] * 5 // 4 if evaluations is None else evaluations
        return {**options, "max_eval": most}

    @no_grad()
    @np.errstate(all="ignore")
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Go in several directions, each as far as it is worth.

        Args:
            closure: computes the loss anew, with gradients; called many times.

        Returns:
            What the closure returned first.

        Raises:
            ArgumentTypeError: without a closure.
            GraphError: for an unknown line search.
        """
        if closure is None:
            raise ArgumentTypeError(
                "LBFGS.step() needs a closure. It has to evaluate the loss more than once. "
                "Write a function that calls zero_grad() and backward(), and returns the loss."
            )
        first_loss, here = self._evaluate(closure)
        group = self.param_groups[0]
        lr, evaluations = group["lr"], 1
        kept = self.state[group["params"][0]]
        kept["func_evals"] = kept.get("func_evals", 0) + 1
        kept.setdefault("n_iter", 0)
        for iteration in range(1, group["max_iter"] + 1):
            if np.abs(here.grad).max() <= group["tolerance_grad"]:
                break
            kept["n_iter"] += 1
            direction = _direction(kept, here.grad, group["history_size"])
            kept["t"] = lr
            if kept["n_iter"] == 1:
                kept["t"] = min(1.0, wrap(whole(1 / np.abs(here.grad).sum()))) * lr
            distance = float(kept["t"])
            kept.update(d=wrap(direction), prev_flat_grad=wrap(here.grad), prev_loss=here.loss)
            start = here._replace(distance=0.0, slope=float(here.grad @ direction))
            if start.slope > -group["tolerance_change"]:
                break
            calls = 0
            if group["line_search_fn"] is not None:
                limit = group["max_eval"] - evaluations
                here, calls = self._search(closure, start, direction, distance, limit)
                kept["t"] = distance = here.distance
                self._move(distance, direction)
            else:
                self._move(distance, direction)
                if iteration < group["max_iter"]:
                    _, here = self._evaluate(closure)
                    calls = 1
            evaluations += calls
            kept["func_evals"] += calls
            change = min(float(np.abs(distance * direction).max()), abs(here.loss - start.loss))
            if evaluations >= group["max_eval"] or change < group["tolerance_change"]:
                break
        return first_loss

    def _evaluate(self, closure: Callable[[], Any]) -> tuple[Any, _Point]:
        """The loss and its gradient where the parameters are."""
        with setting(grad=True):
            loss = closure()
        grads = []
        for param in self.param_groups[0]["params"]:
            values = _values_of(param)
            grad = np.zeros_like(values) if param.grad is None else _values_of(param.grad)
            grads.append(grad.reshape(-1))
        number = loss.item() if isinstance(loss, Tensor) else float(loss)
        return loss, _Point(0.0, number, np.concatenate(grads), 0.0)

    def _move(self, distance: float, direction: Any) -> None:
        """Add a multiple of a direction to the parameters."""
        begin = 0
        for param in self.param_groups[0]["params"]:
            values = _values_of(param)
            end = begin + values.size
            values += distance * direction[begin:end].reshape(values.shape)
            param.wrote()
            begin = end

    def _search(
        self,
        closure: Callable[[], Any],
        start: _Point,
        direction: Any,
        distance: float,
        limit: int,
    ) -> tuple[_Point, int]:
        """A point along the line that fulfils the strong Wolfe conditions, if one is found.

        Returns:
            The point, and how often the loss was evaluated; the parameters are where they were.
        """
        group = self.param_groups[0]
        if group["line_search_fn"] != "strong_wolfe":
            raise GraphError(
                f"only 'strong_wolfe' is supported, got {group['line_search_fn']!r}. "
                'Write line_search_fn="strong_wolfe", or None.'
            )
        before = [_values_of(param).copy() for param in group["params"]]

        def look(distance: float) -> _Point:
            self._move(distance, direction)
            _, there = self._evaluate(closure)
            for param, values in zip(group["params"], before, strict=True):
                _values_of(param)[...] = values
            return there._replace(distance=distance, slope=float(there.grad @ direction))

        smallest = group["tolerance_change"] / float(np.abs(direction).max())
        return _strong_wolfe(look, start, distance, smallest, limit)


def _direction(state: dict[str, Any], grad: Any, size: int) -> Any:
    """Where to go: minus the gradient, multiplied by the inverse curvature.

    Args:
        state: the last steps and how the gradient changed along them, by PyTorch's names.
        grad: the gradient, flat.
        size: how many of them to remember.
    """
    if state.get("prev_flat_grad") is None:
        state.update(al=[None] * size, d=None, t=None, old_dirs=[], old_stps=[], ro=[], H_diag=1)
        return -grad
    change = grad - state["prev_flat_grad"].payload
    step = state["d"].payload * float(state["t"])
    bend = change @ step
    if bend > 1e-10:
        for name, new in (("old_dirs", change), ("old_stps", step), ("ro", whole(1 / bend))):
            state[name] = [*state[name], wrap(new)][-size:]
        state["H_diag"] = wrap(whole(bend / (change @ change)))
    kept = zip(state["old_dirs"], state["old_stps"], strict=True)
    pairs = [(change.payload, step.payload) for change, step in kept]
    out, shares = -grad, []
    for change, step in reversed(pairs):
        shares.append(step @ out / (change @ step))
        out -= shares[-1] * change
    out *= float(state["H_diag"])
    shares.reverse()
    state["al"] = [wrap(whole(share)) for share in shares] + [None] * (size - len(shares))
    for (change, step), share in zip(pairs, shares, strict=True):
        out += (share - change @ out / (change @ step)) * step
    return out


def _values_of(tensor: Tensor) -> Any:
    return State(tensor, {}, on_arrays=True).values_of(tensor)


# Along a line -------------------------------------------------------------------------------------


def _strong_wolfe(
    look: Callable[[float], _Point], start: _Point, distance: float, smallest: float, limit: int
) -> tuple[_Point, int]:
    """A point that is low enough (c₁ = 1e-4) and flat enough (c₂ = 0.9).

    Args:
        look: evaluates the loss at a distance.
        start: where the line begins, with a slope below 0.
        distance: where to look first.
        smallest: the length below which an interval is a point.
        limit: how often to look again.
    """

    def is_low(point: _Point) -> bool:
        return point.loss <= start.loss + 1e-4 * point.distance * start.slope

    def is_flat(point: _Point) -> bool:
        return abs(point.slope) <= -0.9 * start.slope

    # First go on until there is a good point between the last two.
    before, point, looks = start, look(distance), 0
    while looks < limit:
        if not is_low(point) or (looks > 1 and point.loss >= before.loss):
            break
        if is_flat(point):
            return point, looks + 1
        if point.slope >= 0:
            break
        further = point.distance - before.distance
        bounds = point.distance + 0.01 * further, 10 * point.distance
        before, point = point, look(_lowest_of_cubic(before, point, bounds))
        looks += 1
    else:
        before = start
    low, high = (before, point) if before.loss <= point.loss else (point, before)

    # Then make the interval smaller, with the good point inside of it.
    was_at_edge = False
    while looks < limit and abs(high.distance - low.distance) >= smallest:
        left, right = sorted((low.distance, high.distance))
        distance = _lowest_of_cubic(low, high, (left, right))
        margin = 0.1 * (right - left)
        is_at_edge = min(right - distance, distance - left) < margin
        if is_at_edge and (was_at_edge or not left < distance < right):
            is_right = abs(distance - right) < abs(distance - left)
            distance = right - margin if is_right else left + margin
            is_at_edge = False
        was_at_edge = is_at_edge
        point = look(distance)
        looks += 1
        if not is_low(point) or point.loss >= low.loss:
            low, high = (low, point) if low.loss <= point.loss else (point, low)
            continue
        if is_flat(point):
            return point, looks + 1
        if point.slope * (high.distance - low.distance) >= 0:
            high = low
        low = point
    return low, looks + 1


def _lowest_of_cubic(a: _Point, b: _Point, bounds: tuple[float, float]) -> float:
    """Where the cubic through two points with their slopes is lowest, within bounds."""
    if a.distance > b.distance:
        a, b = b, a
    bend = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.distance - b.distance)
    squared = bend * bend - a.slope * b.slope
    if not squared >= 0:
        return sum(bounds) / 2
    root = math.sqrt(squared)
    width = b.distance - a.distance
    step = width * ((b.slope + root - bend) / (b.slope - a.slope + 2 * root))
    return min(max(b.distance - step, bounds[0]), bounds[1])
