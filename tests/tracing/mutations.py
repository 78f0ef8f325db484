"""Traces as somebody else's program may have written them: real ones, changed by chance."""

import copy
import json
import random
from pathlib import Path
from typing import Any

import glassgrad as gg
from glassgrad import nn
from glassgrad.autograd.graph import saved_tensors_hooks
from glassgrad.tracing import Trace
from glassgrad.utils.checkpoint import checkpoint
from glassgrad.viz import text_view

__all__ = ["documents", "looked_at", "mutated"]

DATA = Path(__file__).parents[1] / "data"
IDS = "n0", "n1", "n2", "n999", "t0", "t1", "s0", "a0", "a1", "a999", "c0", "h1", "e1-0", "e9-9"
ODD = [
    None,
    True,
    False,
    -1,
    0,
    1,
    2,
    7,
    1.5,
    2.0,
    10**9,
    2**70,
    1e300,
    "",
    "x",
    "nan",
    "inf",
    "-inf",
]
ODD += [
    "1e999",
    "nanj",
    "1+2j",
    "j",
    "\x1b[2J",
    "a" * 10_000,
    "float32",
    "float99",
    "cell 3, line x: `",
]
ODD += [
    *IDS,
    [],
    {},
    [None],
    ["n0"],
    ["a0", None],
    [0],
    [3, 4],
    [2**40] * 3,
    [1] * 40,
    [[1]],
    {"a": 1},
]
ODD += ["AccumulateGrad", "MulBackward0", "Backward0", "CopySlices", "SelectBackward0"]


def documents() -> list[Any]:
    """Small traces that have all there is in one."""
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    w = gg.tensor([[0.5, 1.0], [2.0, 0.25]], requires_grad=True)
    net = nn.Sequential(nn.Linear(2, 2), nn.Tanh())

    def many():
        h = net(x) @ w + checkpoint(lambda x: x.exp() * x, x, use_reentrant=False)
        h.register_hook(lambda grad: grad * 2)
        h.retain_grad()
        with gg.scope("part"), saved_tensors_hooks(lambda x: (x, 1), lambda x: x[0]):
            h = h * h
        (h,) = (h.clone(),)
        h[0] = x[1] * 2
        return (h * x).sum()

    def again():
        return checkpoint(lambda x: x.exp() * x, x, use_reentrant=True).sum()

    def complex_():
        return (gg.tensor([1 + 2j], requires_grad=True) * x).abs().log().sum() / 0

    def grad_of_grad():
        return gg.record((x**3).sum(), create_graph=True)

    def fails():
        y = x * 1
        z = (y * y).sum()
        with gg.no_grad():
            y.add_(1)
        try:
            gg.record(z)
        except gg.core.errors.StaleTensorError as error:
            return error.trace

    traces = [gg.record(many(), values="full"), gg.record(again()), gg.record(complex_())]
    traces += [grad_of_grad(), fails(), gg.tracing.snapshot(many())]
    found = [json.loads(trace.to_json()) for trace in traces]
    return found + [
        json.loads(path.read_text("utf-8")) for path in sorted(DATA.glob("*.trace.json"))
    ]


def places(value: Any) -> list[tuple[Any, Any]]:
    """All (container, key) of a document."""
    found, stack = [], [value]
    while stack:
        value = stack.pop()
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            found.append((value, key))
            if isinstance(value[key], (dict, list)):
                stack.append(value[key])
    return found


def mutated(document: Any, rng: random.Random) -> Any:
    """A copy with one to three changes."""
    document = copy.deepcopy(document)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        container, key = rng.choice(places(document))
        value, what = container[key], rng.randrange(9)
        if what == 0:
            del container[key]
        elif what == 1 and isinstance(container, list):
            container.insert(rng.randrange(len(container) + 1), copy.deepcopy(value))
        elif what == 2 and isinstance(container, list):
            rng.shuffle(container)
        elif what == 3 and isinstance(container, list):
            del container[key:]
        elif what == 4:  # something of the same kind, from elsewhere
            others = [c[k] for c, k in places(document) if type(c[k]) is type(value) and k == key]
            container[key] = copy.deepcopy(rng.choice(others or [value]))
        elif what == 5:
            others = [c[k] for c, k in places(document) if type(c[k]) is type(value)]
            container[key] = copy.deepcopy(rng.choice(others))
        elif what == 6 and isinstance(value, int) and not isinstance(value, bool):
            container[key] = value + rng.choice((-1, 1, 2, 1000))
        elif what == 7 and isinstance(container, dict):
            other, k = rng.choice([(c, k) for c, k in places(document) if isinstance(c, dict)])
            container[k] = copy.deepcopy(other[k])
        else:
            container[key] = copy.deepcopy(rng.choice(ODD))
        if not isinstance(document, dict) or not places(document):
            break
    events = document.get("events")
    for at, event in enumerate(events if isinstance(events, list) else ()):
        if rng.random() < 0.98 and isinstance(event, dict) and "k" in event:
            event["k"] = at
    return document


def looked_at(trace: Trace, other: Trace) -> None:
    """Have everything look at a trace that reads one."""
    trace.schedule(), trace.grads(), trace.inner()
    for after in {0, len(trace.events) // 2, len(trace.events)}:
        trace.held(after)
    assert Trace.from_json(trace.to_json()).to_json() == trace.to_json()
    text_view(trace)
    text_view(trace, limit=2)
    for options in ({}, {"max_nodes": 3}, {"rankdir": "TB", "flow": bool(trace.events)}):
        drawing = gg.draw(trace, **options)
        drawing.svg, drawing.dot, repr(drawing)
    if len(trace.nodes) <= 60:
        gg.draw(trace, mirror=True).svg  # noqa: B018
    gg.player(trace).html  # noqa: B018
    gg.player(trace, predict=True).html  # noqa: B018
    for found in (gg.compare(trace, other), gg.compare(other, trace), gg.compare(trace, trace)):
        str(found), gg.draw(found).svg
