"""What a program needs to show that all it made is gone: owners, Functions, and failing calls."""

import contextlib
import gc
import weakref

from both import reachable

__all__ = ["Owner", "Programs", "attempt", "behind", "function", "raising", "survivors"]


class Programs(list):
    """A list of functions, filled by using it as a decorator."""

    def __call__(self, function):
        """Add one."""
        self.append(function)
        return function


def survivors(play, *, was_played=False):
    """What of that which `play()` returns is alive afterwards, and how much waits for gc."""
    if not was_played:
        play()  # caches fill the first time
    gc.freeze()  # what is there already is left out, for good: only what `play` made is looked at
    gc.disable()
    try:
        refs = [weakref.ref(x) for x in play() if type(x).__weakrefoffset__]  # not PyTorch's nodes
        alive = [x for ref in refs if (x := ref()) is not None]
        return alive, gc.collect()
    finally:
        gc.enable()


class Owner:
    """What a hook holds: as long as it lives, so does the hook."""


def behind(*roots):
    """The roots and the nodes behind them."""
    return [*roots, *reachable(*[y.grad_fn for y in roots])]


def attempt(call, *args, **options):
    """Make a call that is expected to fail, and forget how."""
    failed = False
    with contextlib.suppress(Exception):
        call(*args, **options)
        failed = True
    assert not failed, "the call was expected to raise"


def raising(*args, **options):
    """A hook or a rule that fails, with what it was given in its hands."""
    raise ValueError(args)


# Functions ----------------------------------------------------------------------------------------


def function(lib, name):
    """One of the Functions below, made once for each library."""
    if (lib, name) not in _made:
        rules = globals()[name]
        body = {key: rule for key, rule in vars(rules).items() if isinstance(rule, staticmethod)}
        _made[lib, name] = type(name, (lib.autograd.Function,), body)
    return _made[lib, name]


_made = {}


class SavesItsOutput:
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * y


class SavesEverything:
    @staticmethod
    def forward(ctx, x):
        middle = x.sin()
        low, high = middle * 2, middle * 3
        ctx.save_for_backward(x, middle, low, high)
        return low, high

    @staticmethod
    def backward(ctx, low_grad, high_grad):
        x, _, low, high = ctx.saved_tensors
        return (low_grad * 2 + high_grad * 3) * x.cos() + 0 * low * high


class ReturnsItsInput:
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.saved_tensors[0]


class ChangesItsInput:
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.mul_(2)
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * 2 + 0 * ctx.saved_tensors[0]


class FailsInBackward:
    @staticmethod
    def forward(ctx, x):
        y = x * 2
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        raise ValueError(x, y)


class FailsInForward:
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        raise ValueError(x)
