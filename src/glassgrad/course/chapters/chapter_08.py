"""Chapter 8, hooks: the order in which they run, a hook that clips, one limit for all gradients."""

import math

from glassgrad.course.task import Case, Mistake, Task, value
from glassgrad.ops.creation import tensor

# The exact order ---------------------------------------------------------------------------------


def _puzzle_order():
    letters = []

    def says(letter):
        return lambda *_: letters.append(letter)

    x = tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    z = y.sin()
    x.register_post_accumulate_grad_hook(says("A"))
    z.grad_fn.register_hook(says("B"))
    y.grad_fn.register_prehook(says("C"))
    y.register_hook(says("D"))
    y.grad_fn.register_hook(says("E"))
    x.register_hook(says("F"))
    z.register_hook(says("G"))
    y.register_hook(says("H"))
    z.sum().backward()
    return letters


ORDER = Task(
    "08.order",
    "the order in which hooks run",
    stub="""
order = ["A"]  # … and then? your code
""",
    cases=[value(_puzzle_order(), given="your order")],
    mistakes=[
        Mistake(
            list("ABCDEFGH"),
            "This is the order in which they were registered. That matters only among hooks of one "
            "kind: first comes the question which gradient arrives first.",
        ),
        Mistake(
            list("GBCDHEFA"),
            "The pre-hook of a node is about the node. The gradient is still being completed while "
            "the hooks of the tensor itself run. Which of the two comes first?",
        ),
        Mistake(
            list("GDHCFABE"),
            "A post-hook does not wait for the end of the pass: it runs after its own node, and "
            "before anything happens at the next.",
        ),
    ],
    read="the first lines of src/glassgrad/hooks/turn.py: a node's turn, phase by phase.",
)

# A hook that clips -------------------------------------------------------------------------------


def _passed(scale, limit=5.0):
    """The gradient of a leaf that the hook is on, where (3, 4) times `scale` arrives."""

    def run(clip_to):
        a = tensor([0.0, 0.0], requires_grad=True)
        a.register_hook(clip_to(limit, []))
        (a * tensor([3.0, 4.0]) * scale).sum().backward()
        return a.grad

    return run


def _beside(clip_to):
    a, b = (tensor([0.0, 0.0], requires_grad=True) for _ in range(2))
    a.register_hook(clip_to(5.0, []))
    ((a + b) * tensor([30.0, 40.0])).sum().backward()
    return b.grad


def _logged(clip_to):
    log = []
    a = tensor([0.0, 0.0], requires_grad=True)
    a.register_hook(clip_to(5.0, log))
    for scale in (30.0, 0.5):
        (a * tensor([3.0, 4.0]) * scale).sum().backward()
    kinds = (norm if isinstance(norm, float) else type(norm).__name__ for norm in log)
    return ", ".join(kind if isinstance(kind, str) else f"{kind:.4g}" for kind in kinds)


def _always_scaled(limit, log):
    def hook(grad):
        norm = (grad * grad).sum().sqrt().item()
        log.append(norm)
        return grad * (limit / norm)

    return hook


def _each_number(limit, log):
    def hook(grad):
        log.append((grad * grad).sum().sqrt().item())
        return grad.clamp(-limit, limit)

    return hook


def _in_place(limit, log):
    def hook(grad):
        norm = (grad * grad).sum().sqrt().item()
        log.append(norm)
        if norm > limit:
            grad.mul_(limit / norm)

    return hook


def _tensors_logged(limit, log):
    def hook(grad):
        norm = (grad * grad).sum().sqrt()
        log.append(norm)
        return grad * (limit / norm) if norm > limit else grad

    return hook


def _shorter_one_logged(limit, log):
    def hook(grad):
        norm = (grad * grad).sum().sqrt().item()
        log.append(min(norm, limit))
        return grad * (limit / norm) if norm > limit else grad

    return hook


CLIP = Task(
    "08.clip-to",
    "a hook that clips, and writes down",
    stub='''
def clip_to(limit, log):
    """A hook that clips to the norm `limit` and writes down the norm that arrived."""

    def hook(grad):
        return grad  # your code

    return hook
''',
    cases=[
        Case("a gradient of norm 5, limit 5:", _passed(1.0), tensor([3.0, 4.0])),
        Case("a gradient of norm 2.5, limit 5:", _passed(0.5), tensor([1.5, 2.0])),
        Case("a gradient of norm 150, limit 5:", _passed(30.0), tensor([3.0, 4.0])),
        Case("a gradient of norm 10, limit 1:", _passed(2.0, 1.0), tensor([0.6, 0.8])),
        Case("b.grad of a + b, the hook on a:", _beside, tensor([30.0, 40.0])),
        Case("the log, where norms of 150 and 2.5 arrive,", _logged, "150, 2.5"),
    ],
    mistakes=[
        Mistake(
            _always_scaled,
            "Short gradients were made longer. To clip is to scale down, and only what is longer "
            "than the limit.",
        ),
        Mistake(
            _each_number,
            "Each number was cut off by itself, so the gradient points elsewhere. It is its length "
            "that is limited: all numbers are scaled by one factor.",
        ),
        Mistake(
            _in_place,
            "The gradient of b has changed, and the hook is on a: the rule of the sum handed both "
            "the same tensor, and it was written to. Return a new one.",
        ),
        Mistake(
            _tensors_logged,
            "The log should hold plain floats. `.item()` makes one of a tensor.",
        ),
        Mistake(
            _shorter_one_logged,
            "The log has the norm that the gradient has now. Wanted is the one that it had.",
        ),
    ],
    read="`clip` of this chapter; `clip_grad_norm_` in src/glassgrad/nn/utils/.",
)

# One limit for all -------------------------------------------------------------------------------


def _clipped(shapes, limit, passes=1):
    """The `.grad` of leaves of zeros: 3 and 4 in turn, as far as nothing is clipped."""

    def run(clip_all):
        leaves = [tensor(zeros, requires_grad=True) for zeros in shapes]
        clip_all(leaves, limit)
        for _ in range(passes):
            loss = 0.0
            for each, factor in zip(leaves, (3.0, 4.0, 12.0), strict=False):
                each.grad = None
                loss = loss + (each * factor).sum()
            loss.backward()
        return tuple(each.grad for each in leaves)

    return run


def _of_all(leaves, limit, *, is_counting_anew=True, most=1.0):
    arrived = []

    def hook(leaf):
        arrived.append(leaf)
        if len(arrived) == len(leaves):
            norm = math.sqrt(sum(float((each.grad * each.grad).sum()) for each in leaves))
            for each in leaves:
                each.grad = each.grad * min(most, limit / norm)
            if is_counting_anew:
                arrived.clear()

    for leaf in leaves:
        leaf.register_post_accumulate_grad_hook(hook)


def _nothing_done(leaves, limit):
    return None


def _each_for_itself(leaves, limit):
    for leaf in leaves:
        _of_all([leaf], limit)


def _in_the_first_pass_only(leaves, limit):
    _of_all(leaves, limit, is_counting_anew=False)


def _always_to_the_limit(leaves, limit):
    _of_all(leaves, limit, most=math.inf)


ALL = Task(
    "08.clip-all",
    "one limit for the norm of all gradients",
    stub='''
def clip_all(leaves, limit):
    """From now on each pass leaves gradients whose norm, taken together, is at most `limit`."""
    ...  # your code
''',
    right=_of_all,
    cases=[
        Case("one leaf, gradient 3, limit 5", _clipped([0.0], 5.0)),
        Case("one leaf, gradient 3, limit 1", _clipped([0.0], 1.0)),
        Case("two leaves, gradients 3 and 4, limit 1", _clipped([0.0, 0.0], 1.0)),
        Case("the same, in the second pass", _clipped([0.0, 0.0], 1.0, passes=2)),
        Case("three leaves, of 1, 2 and 4 numbers", _clipped([0.0, [0.0] * 2, [[0.0] * 4]], 2.0)),
    ],
    mistakes=[
        Mistake(_nothing_done, "These are the gradients of a plain pass: no hook changed them."),
        Mistake(
            _each_for_itself,
            "Each gradient was clipped by itself. It is the norm of all of them together that is "
            "limited, so the hook needs all: which call of it is the first that has them?",
        ),
        Mistake(
            _in_the_first_pass_only,
            "It is right in the first pass, and does nothing in the second: what counts the leaves "
            "that have arrived goes on counting.",
        ),
        Mistake(
            _always_to_the_limit,
            "Gradients that were short enough have been made longer.",
        ),
    ],
    read="AccumulateGrad",
)
