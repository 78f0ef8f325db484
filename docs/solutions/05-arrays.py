"""Chapter 5: an answer to each task, and three typical wrong ones with words of their hints."""

# 05.div ------------------------------------------------------------------------------------------


def div_backward(x, y, grad):
    return (grad / y).sum_to_size(x.shape), (-grad * x / y**2).sum_to_size(y.shape)


def div_not_summed(x, y, grad):
    return grad / y, -grad * x / y**2


def div_with_the_wrong_sign(x, y, grad):
    return (grad / y).sum_to_size(x.shape), (grad * x / y**2).sum_to_size(y.shape)


def div_without_the_gradient(x, y, grad):
    return 1 / y, -x / y**2


def div_by_y_once(x, y, grad):
    return (grad / y).sum_to_size(x.shape), (-grad * x / y).sum_to_size(y.shape)


def div_as_a_product(x, y, grad):
    return (grad * y).sum_to_size(x.shape), (grad * x).sum_to_size(y.shape)


# 05.matmul ---------------------------------------------------------------------------------------


def matmul_backward(a, b, grad):
    return grad @ b.T, a.T @ grad


def matmul_without_transposing(a, b, grad):
    return grad @ b, a @ grad


def matmul_swapped(a, b, grad):
    return a.T @ grad, grad @ b.T


def matmul_without_the_gradient(a, b, grad):
    return b.T, a.T


def matmul_one_alone(a, b, grad):
    return grad @ b.T


# 05.rows -----------------------------------------------------------------------------------------

rules = {
    "mean": lambda x, grad: grad.unsqueeze(-1).expand(x.shape) / x.shape[-1],
    "softmax": lambda y, grad: y * (grad - (grad * y).sum(-1, keepdim=True)),
}

mean_as_a_sum = rules | {"mean": lambda x, grad: grad.unsqueeze(-1).expand(x.shape)}
mean_not_spread = rules | {"mean": lambda x, grad: grad / x.shape[-1]}
softmax_diagonal = rules | {"softmax": lambda y, grad: grad * y * (1 - y)}
softmax_over_everything = rules | {"softmax": lambda y, grad: y * (grad - (grad * y).sum())}


WRONG = {
    "05.div": [
        (div_not_summed, "What was used several times gets a sum"),
        (div_with_the_wrong_sign, "its sign is wrong"),
        (div_without_the_gradient, "The gradient that came in is not used"),
        (div_by_y_once, "off by a power of y"),
        (div_as_a_product, "the gradients of x · y"),
    ],
    "05.matmul": [
        (matmul_without_transposing, "it raises ShapeError"),
        (matmul_swapped, "in the opposite order"),
        (matmul_without_the_gradient, "The gradient that came in is not used"),
        (matmul_one_alone, "There should be 2 results"),
    ],
    "05.rows": [
        (mean_as_a_sum, "twice what it should be"),
        (mean_not_spread, "A gradient has the shape of what it is the gradient of"),
        (softmax_diagonal, "the diagonal of the Jacobian"),
        (softmax_over_everything, "the sum goes over all rows"),
    ],
}
