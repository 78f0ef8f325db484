"""Programs that transform functions: those that go well, and those that fail half-way."""

from both import leaf, plain
from leaks.letting_go import Owner, Programs, attempt, behind, raising

__all__ = ["OURS", "PROGRAMS"]

PROGRAMS = Programs()
OURS = ours = Programs()  # all of them: torch.func leaves its wrappers to the collector


def _point(lib):
    return plain(lib, [0.3, -0.7])


def _watched(kept, f):
    """`f`, which leaves what it sees and what it returns in `kept`."""

    def watched(*inputs):
        out = f(*inputs)
        kept.extend([*inputs, out])
        return out

    return watched


def _cube(x):
    return (x * x.sin() * x.exp()).sum()


# Those that go well -------------------------------------------------------------------------------


@ours
def gradient(lib):
    kept = []
    lib.func.grad(_watched(kept, _cube))(_point(lib))
    return kept


@ours
def gradient_of_gradient(lib):
    kept = []
    inner = lib.func.grad(_watched(kept, _cube))
    lib.func.grad(_watched(kept, lambda x: inner(x).sum()))(_point(lib))
    return kept


@ours
def pullback_that_is_let_go(lib):
    kept = []
    out, pull = lib.func.vjp(_watched(kept, _cube), _point(lib))
    owner = Owner()
    pull.owner = owner
    pull(out)
    return [*kept, out, owner]


@ours
def tangent(lib):
    kept, x = [], _point(lib)
    lib.func.jvp(_watched(kept, _cube), (x,), (x.cos(),))
    return kept


@ours
def batch(lib):
    kept = []
    lib.func.vmap(_watched(kept, lambda x: x * x.sin()))(_point(lib))
    return kept


@ours
def hessian(lib):
    kept = []
    lib.func.hessian(_watched(kept, _cube))(_point(lib))
    return kept


@ours
def jacobian_above_the_tape(lib):
    x, kept = leaf(lib, [0.3, -0.7]), []
    rows = lib.func.jacrev(_watched(kept, lambda x: x.sin() * x))(x)
    rows.sum().backward()
    return [x, *kept, *behind(rows)]


@ours
def views_and_writes(lib):
    kept = []

    def f(x):
        y = x * 1
        view = y[1:]
        view.mul_(x[:1])
        kept.append(view)
        return y.sum()

    lib.func.vmap(lib.func.grad(_watched(kept, f)))(plain(lib, [[0.3, 0.7], [0.1, 0.2]]))
    lib.func.jvp(_watched(kept, f), (_point(lib),), (_point(lib),))
    return kept


# Those that fail ----------------------------------------------------------------------------------


def _failing(kept):
    def f(x):
        kept.append(x * x.sin())
        raising(x)

    return f


@ours
def gradient_of_what_raises(lib):
    kept = []
    attempt(lib.func.grad(_failing(kept)), _point(lib))
    return kept


@ours
def tangent_of_what_raises(lib):
    kept, x = [], _point(lib)
    attempt(lib.func.jvp, _failing(kept), (x,), (x,))
    return kept


@ours
def batch_of_what_raises(lib):
    kept = []
    attempt(lib.func.vmap(_failing(kept)), _point(lib))
    return kept


@ours
def three_levels_of_what_raises(lib):
    kept, x = [], _point(lib)
    inner = lib.func.vmap(lib.func.grad(_failing(kept)))
    attempt(lib.func.jvp, inner, (x,), (x,))
    return kept


@ours
def backward_of_what_is_transformed_that_raises(lib):
    x, kept = leaf(lib, [0.3, -0.7]), []
    slope = lib.func.grad(_watched(kept, _cube))(x)
    slope.register_hook(raising)
    dying = behind(slope)
    attempt(slope.sum().backward)
    return [x, *kept, *dying]
