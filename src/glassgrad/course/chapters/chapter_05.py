"""Chapter 5, arrays: six vector-Jacobian products, of a quotient, a matrix product, along rows."""

from glassgrad.autograd import Function, enable_grad, grad, gradcheck
from glassgrad.course.task import Case, Mistake, Task, call
from glassgrad.ops.creation import tensor


def _numbers(*values):
    return tensor(values)


def _by_autograd(op):
    """The gradients of two operands, found by glassgrad."""

    def backward(x, y, upstream):
        x, y = (each.detach().requires_grad_() for each in (x, y))
        return grad(op(x, y), (x, y), upstream)

    return backward


def _checked(op, rule_of, *inputs):
    """Whether `gradcheck` finds no difference between the slopes of `op` and an answer's rule."""

    def run(answer):
        rule = rule_of(answer)

        class Own(Function):
            @staticmethod
            def forward(ctx, *operands):
                result = op(*operands)
                ctx.save_for_backward(*operands, result)
                return result

            @staticmethod
            def backward(ctx, upstream):
                found = rule(*ctx.saved_tensors, upstream)
                return tuple(found) if isinstance(found, list) else found

        operands = [each.double().requires_grad_() for each in inputs]
        try:
            return gradcheck(Own.apply, operands, raise_exception=False)
        except Exception:  # noqa: BLE001  # what shapes do not allow is not right, either
            return False

    return run


_COLUMN, _ROW = _numbers([1.0], [2.0]), _numbers(4.0, 5.0, -2.0)
_WIDE = _numbers([1.0, -2.0, 3.0], [0.5, 4.0, -1.0])
_PULL = _numbers([1.0, 2.0, -1.0], [3.0, 0.5, 4.0])

# A quotient --------------------------------------------------------------------------------------


def _divided(x, y):
    return x / y


def _of_operands(answer):
    return lambda x, y, _, upstream: answer(x, y, upstream)


def _quotient_without_upstream(x, y, upstream):
    return 1 / y, -x / y**2


def _quotient_by_y(x, y, upstream):
    return (upstream / y).sum_to_size(x.shape), (-upstream * x / y).sum_to_size(y.shape)


def _as_a_product(x, y, upstream):
    return (upstream * y).sum_to_size(x.shape), (upstream * x).sum_to_size(y.shape)


DIV = Task(
    "05.div",
    "the gradients of a quotient",
    stub='''
def div_backward(x, y, grad):
    """The gradients of x and y, given that of x / y. The shapes of x and y may differ."""
    ...  # your code
''',
    right=_by_autograd(_divided),
    cases=[
        call(_numbers(6.0), _numbers(2.0), _numbers(3.0)),
        call(_numbers(1.0, 2.0), _numbers(4.0, 5.0), _numbers(1.0, 10.0)),
        call(_WIDE, _ROW, _PULL, given="div_backward of shapes (2, 3) and (3,)"),
        call(_COLUMN, _ROW, _PULL, given="div_backward of shapes (2, 1) and (3,)"),
        Case("gradcheck of your rule", _checked(_divided, _of_operands, _COLUMN, _ROW), True),
    ],
    mistakes=[
        Mistake(
            _quotient_without_upstream,
            "The gradient that came in is not used. A slope says how the result changes with an "
            "operand; how the loss changes with the result is in `grad`.",
        ),
        Mistake(
            _quotient_by_y,
            "The gradient of y is off by a power of y. Write x / y as x · y⁻¹. What is the slope "
            "of y⁻¹?",
        ),
        Mistake(
            _as_a_product,
            "These are the gradients of x · y. Of a quotient, what is x multiplied by?",
        ),
    ],
    read="DivBackward0",
)

# A matrix product --------------------------------------------------------------------------------


def _product(a, b):
    return a @ b


def _product_without_upstream(a, b, upstream):
    return b.T, a.T


_A, _B = _numbers([1.0, 2.0], [3.0, 5.0]), _numbers([4.0, -1.0], [0.5, 2.0])
_TALL = _numbers([1.0, -1.0], [2.0, 0.5], [3.0, 4.0])

MATMUL = Task(
    "05.matmul",
    "the gradients of a matrix product",
    stub='''
def matmul_backward(a, b, grad):
    """The gradients of the matrices a and b, given that of a @ b."""
    ...  # your code
''',
    right=_by_autograd(_product),
    cases=[
        call(_numbers([2.0]), _numbers([3.0]), _numbers([5.0])),
        call(_numbers([1.0, 2.0]), _numbers([3.0], [4.0]), _numbers([10.0])),
        call(_A, _B, _numbers([1.0, 0.0], [2.0, -3.0])),
        call(_WIDE, _TALL, _B, given="matmul_backward of shapes (2, 3) and (3, 2)"),
        Case("gradcheck of your rule", _checked(_product, _of_operands, _WIDE, _TALL), True),
    ],
    mistakes=[
        Mistake(
            _product_without_upstream,
            "The gradient that came in is not used. Which numbers of it does one number of a "
            "reach? Go back to the three loops.",
        ),
    ],
    read="MmBackward0",
)

# Along rows --------------------------------------------------------------------------------------


def _mean(x):
    return x.mean(-1)


def _softmax(x):
    return x.softmax(-1)


def _mean_by_autograd(x, upstream):
    with enable_grad():
        x = x.detach().requires_grad_()
        return grad(_mean(x), x, upstream)[0]


def _softmax_by_autograd(y, upstream):
    with enable_grad():  # the softmax of the logarithms of y is y
        x = y.log().detach().requires_grad_()
        return grad(_softmax(x), x, upstream)[0]


def _with_softmax(rule):
    return {"mean": _mean_by_autograd, "softmax": rule}


def _diagonal(y, upstream):
    return upstream * y * (1 - y)


def _over_everything(y, upstream):
    return y * (upstream - (upstream * y).sum())


def _rule(rules, name):
    if rules[name] is ...:
        raise NotImplementedError
    return rules[name]


def _of_mean(x, upstream):
    given = f"the rule of mean, for x of shape {tuple(x.shape)}"
    return Case(given, lambda rules: _rule(rules, "mean")(x.clone(), upstream.clone()))


def _of_softmax(x, upstream):
    given = f"the rule of softmax, for x of shape {tuple(x.shape)}"
    return Case(given, lambda rules: _rule(rules, "softmax")(_softmax(x), upstream.clone()))


def _mean_of(rules):
    return lambda x, _, upstream: _rule(rules, "mean")(x, upstream)


def _softmax_of(rules):
    return lambda _, y, upstream: _rule(rules, "softmax")(y, upstream)


ROWS = Task(
    "05.rows",
    "the gradients of a mean and a softmax",
    stub="""
rules = {
    "mean": ...,  # of x and grad: the gradient of x, given that of y = x.mean(-1)
    "softmax": ...,  # of y and grad: the gradient of x, given that of y = x.softmax(-1)
}
""",
    right={"mean": _mean_by_autograd, "softmax": _softmax_by_autograd},
    cases=[
        _of_mean(_numbers([2.0, 4.0], [1.0, 5.0]), _numbers(1.0, 10.0)),
        _of_mean(_WIDE, _numbers(3.0, -6.0)),
        _of_softmax(_numbers([0.0, 0.0]), _numbers([1.0, 0.0])),
        _of_softmax(_WIDE, _PULL),
        Case("gradcheck of your mean", _checked(_mean, _mean_of, _WIDE), True),
        Case("gradcheck of your softmax", _checked(_softmax, _softmax_of, _WIDE), True),
    ],
    mistakes=[
        Mistake(
            _with_softmax(_diagonal),
            "That is what the diagonal of the Jacobian brings. But each output of softmax changes "
            "with every input of its row, since all are divided by their sum.",
        ),
        Mistake(
            _with_softmax(_over_everything),
            "One row is right, and several are not: the sum goes over all rows, and one row has "
            "nothing to do with the next.",
        ),
    ],
    read="SoftmaxBackward0",
)
