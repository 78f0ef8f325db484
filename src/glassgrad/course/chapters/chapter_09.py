"""Chapter 9, in place: a view that knows its places, a part written, five snippets mended."""

import math
from types import SimpleNamespace

import numpy as np

from glassgrad.autograd import grad
from glassgrad.core.tensor import Tensor
from glassgrad.course.task import Case, Mistake, Task, call, kind
from glassgrad.ops.creation import tensor, zeros
from glassgrad.ops.joining import stack
from glassgrad.tracing import snapshot

# A saved view that checks its places -------------------------------------------------------------


class _View:
    """A window onto a storage; the storage knows which places each write wrote."""

    def __init__(self, storage, places):
        self.storage, self.places = storage, places
        self.reads = 0

    def __getitem__(self, part):
        return _View(self.storage, self.places[part])

    def read(self):
        self.reads += 1
        return [self.storage.numbers[place] for place in self.places]

    def write(self, numbers):
        for place, number in zip(self.places, numbers, strict=True):
            self.storage.numbers[place] = number
        self.storage.writes.append(self.places)


def _six():
    numbers = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    return _View(SimpleNamespace(numbers=numbers, writes=[]), tuple(range(6)))


def _unpacked(view, *, before=(), since=()):
    """What an answer unpacks of a view of six numbers, which are written before and since."""

    def run(answer):
        whole = _six()
        for part in before:
            whole[part].write([10.0] * len(whole[part].places))
        saved = answer(whole[view])
        for part in since:
            whole[part].write([10.0] * len(whole[part].places))
        try:
            return saved.unpack()
        except RuntimeError:
            return RuntimeError

    return run


def _must_be(numbers):
    def complains(found):
        if found == numbers:
            return None
        if found is RuntimeError:
            return "it raises, and none of its numbers was written since it was saved."
        return f"unpack() returns {found}, and should return {numbers}."

    return complains


def _must_raise(found):
    if found is RuntimeError:
        return None
    return (
        f"unpack() returns {found}, and should raise: one of its numbers was written since, maybe "
        "by another view."
    )


def _reads(answer):
    view = _six()[:3]
    answer(view)
    return view.reads


def _no_copy(reads):
    if not reads:
        return None
    return (
        "it reads the numbers when they are saved. That is the copy which was to be spared: what "
        "does a storage tell of its writes?"
    )


_HALF, _REST = slice(0, 2), slice(2, 6)

SAVED = Task(
    "09.saved",
    "a saved view that complains of writes to its own numbers only",
    stub='''
class SavedPlaces:
    """What a node saved: a view, and whether its numbers are still the same.

    A view has `.places`, which its numbers have in the storage; `.storage`; and `.read()`.
    A storage has `.writes`: for each write so far the places that were written, oldest first.
    """

    def __init__(self, view):
        self.view = view  # your code: when is it saved?

    def unpack(self):
        """The numbers; or RuntimeError, if one of them was written since. Nothing is copied."""
        return self.view.read()  # your code
''',
    cases=[
        Case("y[0:2], and no write", _unpacked(_HALF), complains=_must_be([0.0, 1.0])),
        Case("y[0:2], written since", _unpacked(_HALF, since=[_HALF]), complains=_must_raise),
        Case(
            "y[0:2], and y[2:6] written since",
            _unpacked(_HALF, since=[_REST]),
            complains=_must_be([0.0, 1.0]),
        ),
        Case(
            "y[0:2], written before it was saved",
            _unpacked(_HALF, before=[_HALF]),
            complains=_must_be([10.0, 10.0]),
        ),
        Case(
            "y[0:2], and y[1:3] written since",
            _unpacked(_HALF, since=[slice(1, 3)]),
            complains=_must_raise,
        ),
        Case(
            "y[::2], and y[1::2] written since",
            _unpacked(slice(None, None, 2), since=[slice(1, None, 2)]),
            complains=_must_be([0.0, 2.0, 4.0]),
        ),
        Case(
            "y[0:2], and since then y[1:2] and y[2:6] written",
            _unpacked(_HALF, since=[slice(1, 2), _REST]),
            complains=_must_raise,
        ),
        Case("what is read when y[0:3] is saved", _reads, complains=_no_copy),
    ],
    read="check_version in src/glassgrad/memory/saved.py, which compares two counts and no places.",
)

# The gradient before a part was written ----------------------------------------------------------


def _by_ten(g):
    return g * 10


def _to_nothing(g):
    return g * 0


def _inside_only(upstream, part, rule):
    before = zeros(upstream.shape)
    before[part] = rule(upstream[part])
    return before


def _on_all(upstream, part, rule):
    return rule(upstream)


def _added(upstream, part, rule):
    before = upstream.clone()
    before[part] += rule(upstream[part])
    return before


_COLUMN = (slice(None), 1)
_THREE, _WIDE = tensor([1.0, 2.0, 3.0]), tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

REBASE = Task(
    "09.rebase",
    "the gradient before a part was written",
    stub='''
def before_the_write(grad, part, rule):
    """The gradient of y as it was before `y[part]` was written.

    grad is the gradient of y after the write. rule is that of the write: it takes the gradient of
    the part after the write, and returns that of the part before it.
    """
    return grad  # your code
''',
    cases=[
        call(tensor([1.0]), slice(0, 1), _by_ten, expects=tensor([10.0]), given="y[0:1].mul_(10)"),
        call(
            _THREE,
            slice(0, 2),
            _by_ten,
            expects=tensor([10.0, 20.0, 3.0]),
            given="y[0:2].mul_(10), where [1, 2, 3] comes in,",
        ),
        call(
            _THREE,
            slice(1, 3),
            _to_nothing,
            expects=tensor([1.0, 0.0, 0.0]),
            given="y[1:3].zero_(), where [1, 2, 3] comes in,",
        ),
        call(
            _WIDE,
            _COLUMN,
            _by_ten,
            expects=tensor([[1.0, 20.0, 3.0], [4.0, 50.0, 6.0]]),
            given="y[:, 1].mul_(10), where [[1, 2, 3], [4, 5, 6]] comes in,",
        ),
    ],
    mistakes=[
        Mistake(
            _inside_only,
            "The part is right, and the rest is zero. Nobody wrote to the rest: how much does y "
            "after the write change there with y before it?",
        ),
        Mistake(
            _on_all,
            "The rule of the write is used for all of y. Which numbers went through the write?",
        ),
        Mistake(
            _added,
            "In the part there are two gradients in one: that of the write, and that which came "
            "in. Does what was there before reach the result by a way around the write?",
        ),
    ],
    read="class CopySlices in src/glassgrad/memory/views.py.",
)

# Five snippets mended ----------------------------------------------------------------------------

_FIRST, _STEPS = 16, 20 * 12  # bytes of a row; of each row once


def _shifted(x):
    return (x.exp() + 1).sum()


def _clipped(x):
    return (x.clamp(min=0) ** 2).sum()


def _halves(x):
    left, right = (x * 2).chunk(2)
    return ((left + right) * right).sum()


def _row(x):
    h = x * 2
    return (h[0] ** 2).sum() + h[1:].exp().sum() + h.shape[1]


def _steps(x):
    states = [zeros(3)]
    for row in x:
        states.append(states[-1].sin() + row)
    return stack(states).sum()


def _numbers(*shape):
    """Numbers of both signs, from -1 to 1."""
    count = math.prod(shape)
    return [math.sin(3.0 * k) for k in range(count)], shape


def _leaf(of):
    numbers, shape = of
    return tensor(numbers).reshape(shape).detach().requires_grad_()


def _cloned(loss):
    """The bytes that the graph of a loss has cloned."""
    nodes = snapshot(loss).nodes
    return sum(4 * math.prod(each["shape"]) for each in nodes if each["op"] == "CloneBackward0")


def _mended(name, of):
    def run(answer):
        x = _leaf(of)
        loss = getattr(answer, name)(x)
        if not (isinstance(loss, Tensor) and loss.requires_grad):
            return loss, None, 0, x
        cloned = _cloned(loss)
        return loss.detach(), grad(loss, x, allow_unused=True)[0], cloned, x.detach()

    return run


def _judged(right, of, enough):
    def complains(found):
        loss, gradient, cloned, x = found
        other = _leaf(of)
        expected = right(other)
        (wanted,) = grad(expected, other)
        if not isinstance(loss, Tensor):
            return f"it returns {kind(loss)}, and should return the loss, a tensor."
        if not _near(x, other):
            return (
                "it changes its argument, where no count and no graph can see it. The loss should "
                "be computed from x as it is."
            )
        if not _near(loss, expected):
            return f"the loss is {loss.item():.6g}, and should be {expected.item():.6g}."
        if gradient is None or not _near(gradient, wanted):
            return (
                "the loss is right, and its gradient is not. Is something written where nobody "
                "counts, or cut off from the graph?"
            )
        if cloned > enough:
            suffices = f"{enough} are enough" if enough else "none has to be"
            return (
                f"all is right, and it clones {cloned} bytes, where {suffices}. Which numbers are "
                "needed after the write, and who could simply make new ones?"
            )
        return None

    return complains


def _near(one, other):
    one, other = (each.detach().numpy() for each in (one, other))
    return one.shape == other.shape and np.allclose(one, other, 1e-4, 1e-4)


MEND = Task(
    "09.mend",
    "five snippets that work, and clone no more than needed",
    stub='''
class Mended:
    """Five programs, none of which gets as far as a gradient. Mend each where it is broken."""

    @staticmethod
    def shifted(x):
        y = x.exp()
        y += 1
        return y.sum()

    @staticmethod
    def clipped(x):
        x.clamp_(min=0)
        return (x * x).sum()

    @staticmethod
    def halves(x):
        left, right = (x * 2).chunk(2)
        left += right
        return (left * right).sum()

    @staticmethod
    def row(x):
        h = x * 2
        first = h[0]
        energy = (first * first).sum()
        h[0] = 0.0
        return energy + h.exp().sum()

    @staticmethod
    def steps(x):
        states = gg.zeros(21, 3)
        for k in range(20):
            states[k + 1] = states[k].sin() + x[k]
        return states.sum()
''',
    cases=[
        Case(f"Mended.{name}", _mended(name, of), complains=_judged(right, of, enough))
        for name, right, of, enough in (
            ("shifted", _shifted, _numbers(40), 0),
            ("clipped", _clipped, _numbers(40), 0),
            ("halves", _halves, _numbers(40), 0),
            ("row", _row, _numbers(50, 4), _FIRST),
            ("steps", _steps, _numbers(20, 3), _STEPS),
        )
    ],
    read="remedy in src/glassgrad/reasons/stale.py, which finds what an error tells you to write.",
)
