"""Programs that fail half-way."""

from both import leaf
from leaks.letting_go import Owner, Programs, attempt, behind, function, raising

__all__ = ["OURS", "PROGRAMS"]

PROGRAMS = program = Programs()
OURS = ours = Programs()


def _fails_in(lib, register):
    x, owner = leaf(lib, [0.3, 0.7]), Owner()
    y = x.sin() * x.exp()
    register(x, y, owner)
    dying = [x, owner, *behind(y)]
    attempt(y.sum().backward)
    return dying


@program
def hook_that_raises(lib):
    return _fails_in(lib, lambda x, y, owner: y.register_hook(lambda g, _=owner: raising(g)))


@program
def hook_before_a_node_that_raises(lib):
    def register(x, y, owner):
        y.grad_fn.register_prehook(lambda g, _=owner: raising(g))

    return _fails_in(lib, register)


@program
def hook_after_a_node_that_raises(lib):
    def register(x, y, owner):
        y.grad_fn.register_hook(lambda i, o, _=owner: raising(i, o))

    return _fails_in(lib, register)


@program
def hook_after_accumulation_that_raises(lib):
    def register(x, y, owner):
        x.register_post_accumulate_grad_hook(lambda x, _=owner: raising(x))

    return _fails_in(lib, register)


@ours
def hook_on_several_tensors_that_raises(lib):
    def register(x, y, owner):
        lib.autograd.graph.register_multi_grad_hook((x, y), lambda g, _=owner: raising(g))

    return _fails_in(lib, register)


@program
def hook_that_returns_the_wrong_shape(lib):
    def register(x, y, owner):
        y.register_hook(lambda g, _=owner: g.sum())

    return _fails_in(lib, register)


@program
def rule_that_raises(lib):
    x = leaf(lib, [0.3, 0.7])
    y = function(lib, "FailsInBackward").apply(x.sin())
    dying = behind(y)
    attempt(y.sum().backward)
    attempt(lib.autograd.grad, y.sum(), x, create_graph=True)
    return [x, *dying]


@program
def forward_that_raises(lib):
    x = leaf(lib, [0.3, 0.7])
    y = x.sin()
    attempt(function(lib, "FailsInForward").apply, y)
    return [x, *behind(y)]


@program
def second_pass_that_is_refused(lib):
    x = leaf(lib, [0.3, 0.7])
    y = x.exp().sin().sum()
    dying = behind(y)
    y.backward()
    attempt(y.backward)
    return [x, *dying]


@program
def saved_tensor_that_was_overwritten(lib):
    x = leaf(lib, [0.3, 0.7])
    y = x * 2
    z = y.sin()
    dying = behind(z)
    y.mul_(2)
    attempt(z.sum().backward)
    return [x, *behind(y), *dying]
