"""The formulas in the docstrings of ops, evaluated on the ops' rows and held against the rules."""

from dataclasses import replace

import numpy as np
import pytest

import glassgrad
from checks import together
from formula_values import Evaluation, Unfitting
from glassgrad.ops._declaring import plain
from glassgrad.ops.indexing import IndexPutImpl
from glassgrad.viz.explaining.formulas import NotationError, latex_of, letters_of, read, terms
from glassgrad.viz.explaining.mathml import mathml
from opcase import Run, all_primitives, weights_for
from opcases import CASES

DRAWN = "it draws random numbers"
COMPLEX = "its vectors are complex, and its formulas those of real ones"
OVER = "its parameters say over which dims the means go"
CUT = "the places of a slice are counted by no index"
REDUCED = "its formula depends on `reduce`"
STEPS = "each step begins with what the one before it ended with"
WINDOWS = "it speaks of windows, and of what slides over an image"
TAPS = "its weights follow from the sizes alone; they are no operands"
NOT_EVALUATED = {
    **dict.fromkeys(
        (
            "AdaptiveMaxPool2d",
            "AdaptiveMaxPool3d",
            "AvgPool2d",
            "AvgPool3d",
            "Col2Im",
            "Convolution",
            "ConvolutionTransposed",
            "ConvolutionWeight",
            "Im2Col",
            "MaxPool2d",
            "MaxPool3dWithIndices",
            "MaxPoolIndices",
            "MaxPoolPut",
        ),
        WINDOWS,
    ),
    **dict.fromkeys(
        (
            "AdaptiveAvgPool2d",
            "AdaptiveAvgPool3d",
            "ReflectionPad1d",
            "ReflectionPad2d",
            "ReflectionPad3d",
            "ReplicationPad1d",
            "ReplicationPad2d",
            "ReplicationPad3d",
            "Resample",
            "ResampleTransposed",
            "UpsampleBicubic2d",
            "UpsampleBicubic2dAa",
            "UpsampleBilinear2d",
            "UpsampleBilinear2dAa",
            "UpsampleLanczos2dAa",
            "UpsampleLinear1d",
            "UpsampleNearest1d",
            "UpsampleNearest2d",
            "UpsampleNearest3d",
            "UpsampleNearestExact1d",
            "UpsampleNearestExact2d",
            "UpsampleNearestExact3d",
            "UpsampleTrilinear3d",
        ),
        TAPS,
    ),
    "Bernoulli": DRAWN,
    "BernoulliEach": DRAWN,
    "Cauchy": DRAWN,
    "CtcLoss": "it speaks of ways to spell, and of what two recurrences end with",
    "DiagonalScatter": CUT,
    "Exponential": DRAWN,
    "Geometric": DRAWN,
    "IndexReduce": REDUCED,
    "LinalgEig": COMPLEX,
    "LogNormal": DRAWN,
    "Multinomial": DRAWN,
    "NativeBatchNorm": OVER,
    "NativeGroupNorm": OVER,
    "NativeLayerNorm": OVER,
    "Normal": DRAWN,
    "Random": DRAWN,
    "RandomFrom": DRAWN,
    "RandomTo": DRAWN,
    "GRU": STEPS,
    "LSTM": STEPS,
    "RNN": STEPS,
    "ScaledDotProductAttention": "a softmax of matrices, along their rows",
    "ScatterReduce": REDUCED,
    "SelectScatter": CUT,
    "SliceScatter": CUT,
    "Uniform": DRAWN,
}
"""The ops whose formulas say no numbers, and why."""

SPOKEN_OF = {
    "reduction": "mean",
    "label_smoothing": 0,
    "approximate": "none",
    "invert": False,
    "equal_nan": False,
    "rounding_mode": "trunc",
    "normalization": 0,
    "upper": False,
}
"""What the parameters have to be, that a formula does not mention."""

ADVICE = (
    "Begin its docstring with its formulas, as `y = tanh x        x̄ = ȳ·(1 − y²)` does: the "
    "value, the gradient of each operand, and the tangent (`dy = …`) if that does not follow; "
    "glassgrad/viz/explaining/formulas.py tells how they are written"
)

ALL = sorted(all_primitives().items())
Tanh = dict(ALL)["Tanh"]


@together
@pytest.mark.parametrize("cls", [pytest.param(cls, id=name) for name, cls in ALL])
def test_an_op_begins_with_formulas_of_what_its_rule_computes(cls, monkeypatch):
    said = problem(cls, monkeypatch)
    assert not said, f"{cls.__name__}: {said}. {ADVICE}."


def problem(cls, monkeypatch):
    """What is wrong with the formulas of an op, in words; None if nothing is."""
    try:
        found = read(cls)
    except NotationError as error:
        return f"its docstring does not begin with formulas: {error}"
    if not str(found).isprintable() or any("<mtext>\\" in mathml(tex) for tex in latex_of(cls)):
        return f"its formulas cannot be typeset: {latex_of(cls)}"
    targets = {term.sign for equation in found.gradient for term in terms(equation.left)}
    missing = set(list(found.operands)[cls.differentiates]) - targets
    if missing and cls.differentiable:
        return f"no formula says what the gradient of `{missing.pop()}` is"
    nameless = set(cls.saves) - set(letters_of(cls).values())
    if nameless:
        return f"none of its letters is what it saves as {nameless.pop()!r}"
    rows = [case for case in CASES if cls.__name__ in case.rule_names]
    if cls.__name__ in NOT_EVALUATED or not rows:
        return None  # test_opcases.py says that each op needs a row
    fitting = 0
    for operands, parameters in calls_of(cls, rows, monkeypatch):
        try:
            wrong = compared(cls, found, operands, parameters)
        except KeyError as error:
            return error.args[0]
        except Unfitting:
            continue
        fitting += 1
        if wrong:
            return f"on {[np.shape(x) for x in operands]} {parameters} {'; '.join(wrong)}"
    if fitting:
        return None
    return (
        "no sample of its row in tests/oprows_*.py is one that its formulas are about. Add one, or "
        "a line with the reason to NOT_EVALUATED"
    )


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("y = tanh x        x̄ = ȳ·(1 − y)", ["x̄ is", "dy is"]),
        ("y = tan x        x̄ = ȳ·(1 − y²)", ["y is"]),
        ("y = tanh x        dy = dx        x̄ = ȳ·(1 − y²)", ["dy is"]),
        ("y = tanh x        x̄ = ȳ·(1 − y²)", []),
    ],
)
def test_a_wrong_formula_is_found(said, wrong, monkeypatch):
    monkeypatch.setattr(Tanh, "__doc__", said)
    found = compared(Tanh, read(Tanh), [np.array([0.5, -1.0])], {})
    assert [each[: len(start)] for each, start in zip(found, wrong, strict=True)] == wrong


def test_a_letter_that_is_nobodys_is_found(monkeypatch):
    monkeypatch.setattr(Tanh, "__doc__", "y = tanh u        x̄ = ȳ·(1 − y²)")
    with pytest.raises(KeyError, match="'u' is neither an operand's nor the result's letter"):
        compared(Tanh, read(Tanh), [np.array([0.5, -1.0])], {})


def test_most_formulas_are_evaluated():
    assert set(NOT_EVALUATED) <= set(dict(ALL))
    assert len(NOT_EVALUATED) <= len(ALL) / 5


def calls_of(cls, rows, monkeypatch):
    """The operands, as arrays, and the parameters that the op is given when its rows run."""
    calls, apply = [], cls.apply

    def noted(*operands, **parameters):
        arrays = [np.asarray(getattr(x, "payload", x)) for x in operands]
        spoken_of = SPOKEN_OF | {"accumulate": cls is IndexPutImpl}  # which only adds
        if all(parameters.get(name, value) == value for name, value in spoken_of.items()):
            calls.append((arrays, parameters))
        return apply(*operands, **parameters)

    monkeypatch.setattr(cls, "apply", staticmethod(noted))
    monkeypatch.setattr(cls, "as_operator", staticmethod(noted))
    for case in rows:
        case = replace(case, op=plain(case.op))  # the function as written looks `apply` up
        for given in case.samples:
            run = Run(case, given, case.arrays(given))
            if not calls:
                run.double()  # some are ops of backward passes
    monkeypatch.undo()
    return [call for call in calls if all(isinstance(x, np.ndarray) for x in call[0])]


def compared(cls, found, operands, parameters):
    """What the formulas say otherwise than the rules, in words."""
    arrays, more, constants = {}, {}, {}

    has_dots = any(term.sign == "…" for each in found.value for term in terms(each))

    def bind(kind, letters, values):
        if len(values) > len(letters) and not has_dots:
            raise Unfitting
        arrays.update({(kind, x): a for x, a in zip(letters, values, strict=False)})
        more[kind, letters[0]] = values[len(letters) :]
        return letters[len(values) :]

    letters = list(found.operands)
    if 0 in [x.size for x in operands]:
        raise Unfitting  # of nothing the mean is nan, whatever its sum is
    if np.isin(parameters.get("ignore_index"), operands[1:2]).any():
        raise Unfitting
    if parameters.get("ord") in (0, np.inf, -np.inf):
        raise Unfitting  # they are limits
    leaves = [glassgrad.tensor(x) for x in operands]
    moving = []
    if cls.differentiable:
        moving = [x for x in leaves[cls.differentiates] if x.is_floating_point()]
        for x in moving:
            x.requires_grad_()
    outputs = cls.apply(*leaves, **parameters)
    outputs = list(outputs) if isinstance(outputs, tuple) else [outputs]
    moved_letters = {x for x, leaf in zip(letters, leaves, strict=False) if leaf.requires_grad}
    moved_letters |= set(found.results)
    missing = bind("name", letters, operands)
    constants |= {letter: 0.0 if letter == "b" else 1.0 for letter in missing}
    bind("name", found.results, [y.numpy(force=True) for y in outputs])
    for (_, letter), array in arrays.items():
        if letter.isupper() and array.ndim < 2:
            raise Unfitting  # no matrix
    roots = [y for y in outputs if y.requires_grad]
    if roots:
        weights = weights_for(roots)
        grads = glassgrad.autograd.grad(
            roots, moving, [glassgrad.tensor(w) for w in weights], allow_unused=True
        )
        named = dict(zip(map(id, moving), grads, strict=True))
        values = [named.get(id(x)) for x in leaves]
        values = [
            np.zeros(x.shape) if g is None else g.numpy(force=True)
            for g, x in zip(values, leaves, strict=True)
        ]
        bind("gradient", letters, values)
        bind("gradient", found.results, weights)
        tangents = weights_for(moving)

        def moved(*some):
            by = dict(zip(map(id, moving), some, strict=True))
            made = cls.apply(*[by.get(id(x), x.detach()) for x in leaves], **parameters)
            parts = made if isinstance(made, tuple) else (made,)
            return tuple([y for y, out in zip(parts, outputs, strict=True) if out.requires_grad])

        _, slopes = glassgrad.func.jvp(
            moved,
            tuple([x.detach() for x in moving]),
            tuple([glassgrad.tensor(t) for t in tangents]),
        )
        by = dict(zip(map(id, moving), tangents, strict=True))
        bind("tangent", letters, [by.get(id(x), np.zeros(x.shape)) for x in leaves])
        bind("tangent", found.results, [s.numpy(force=True) for s in slopes])
    evaluation = Evaluation(found, arrays, more, constants, parameters)
    wrong = []
    groups = [("name", found.value)]
    groups += [("gradient", found.gradient), ("tangent", found.tangent)] if roots else []
    for kind, equations in groups:
        with np.errstate(all="ignore"):
            results = evaluation.results(equations)
        for letter, value in results.items():
            expected = arrays[kind, letter]
            if kind == "gradient" and letter not in moved_letters:
                continue
            value = np.where(np.isfinite(value), value, expected)  # a rule may say more: a limit
            close = 1e-3 if np.dtype("f2") in [a.dtype for a in arrays.values()] else 1e-6
            if not np.allclose(value, expected, rtol=close, atol=1e-8, equal_nan=True):
                mark = {"name": "{}", "gradient": "{}̄", "tangent": "d{}"}[kind].format(letter)
                wrong.append(
                    f"{mark} is {value.tolist()} by the formula, {expected.tolist()} by the rule"
                )
    return wrong
