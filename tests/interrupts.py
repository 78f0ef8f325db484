"""Small programs, one for each feature that enters something, for `tests/test_interrupts.py`.

Each makes what it needs, and returns a function that is interrupted at each of its lines, and then
played again.
"""

import threading
import types
import warnings

import glassgrad as gg
import glassgrad.nn.functional as F
from glassgrad import func, nn
from glassgrad.autograd import forward_ad, functional, gradcheck
from glassgrad.autograd import graph as ag
from glassgrad.autograd.scopes import made_in, open_scopes
from glassgrad.hooks import turn
from glassgrad.nn.modules import module as of_modules
from glassgrad.nn.parallel import DistributedDataParallel
from glassgrad.nn.utils import parametrize
from glassgrad.overrides import TorchFunctionMode
from glassgrad.tracing.watching import watching
from glassgrad.trajectory.kernels import _fused
from glassgrad.utils import checkpoint as cp
from interrupting import Failed

PROGRAMS = {}


def program(make):
    PROGRAMS[make.__name__] = make
    return make


def leaf(*values):
    return gg.tensor(list(values), dtype=gg.float64, requires_grad=True)


# Passes ------------------------------------------------------------------------------------------


@program
def forward_and_backward():
    w, x = leaf(0.5, -1.0, 2.0), leaf(1.0, 2.0, 3.0)

    def run():
        w.grad = x.grad = None
        ((w * x).tanh().sum() * (w - x).exp().mean()).backward()
        return w.grad.tolist(), x.grad.tolist()

    return run


@program
def grad_and_retain_graph():
    x = leaf(1.0, 2.0)

    def run():
        y = (x**3).sum()
        first = gg.autograd.grad(y, x, retain_graph=True)[0]
        second = gg.autograd.grad(y, x, create_graph=True)[0]
        third = gg.autograd.grad(second.sum(), x)[0]
        return first.tolist(), second.tolist(), third.tolist()

    return run


@program
def accumulating():
    x = leaf(1.0, 2.0)
    x.grad = gg.tensor([10.0, 20.0], dtype=gg.float64)
    grad, state = x.grad, {"version": 0, "value": [10.0, 20.0]}

    def run():
        assert grad._version > state["version"] or grad.tolist() == state["value"], (
            "uncounted write"
        )
        grad.zero_()
        state.update(version=grad._version, value=grad.tolist())
        (x * x).sum().backward()
        return x.grad.tolist()

    return run


@program
def writing_in_place():
    x = leaf(1.0, 2.0, 3.0)
    base = gg.zeros(3, dtype=gg.float64)

    def run():
        y = x.clone()
        base.zero_()
        version, value = base._version, base.tolist()
        try:
            base.add_(1.0)[1:].mul_(2.0)
        finally:
            assert base._version > version or base.tolist() == value, "an uncounted write"
        y[1:].mul_(x[:-1])
        v = y.view(3, 1)
        v.add_(1)
        y[0] = 5.0
        x.grad = None
        (y * y).sum().backward()
        return x.grad.tolist(), base.tolist()

    return run


@program
def a_rule_of_a_users():
    class Cube(gg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 3 * x * x * grad

    x = leaf(1.0, 2.0)

    def run():
        x.grad = None
        Cube.apply(x).sum().backward()
        return x.grad.tolist()

    return run


@program
def a_pass_inside_of_a_hook():
    x = leaf(1.0, 2.0)

    def run():
        x.grad = None
        z = leaf(3.0)
        y = x * 2

        def inner(grad):
            with gg.enable_grad():
                return grad + gg.autograd.grad((z * z).sum(), z)[0]

        with y.register_hook(inner):
            y.sum().backward()
        return x.grad.tolist()

    return run


# Hooks -------------------------------------------------------------------------------------------


@program
def hooks_on_gradients():
    x = leaf(1.0, 2.0)

    def run():
        x.grad, told = None, []
        y = x * 3
        y.retain_grad()
        node = y.grad_fn
        with (
            x.register_hook(lambda g: g * 2),
            y.register_hook(lambda g: g + 1),
            node.register_hook(lambda into, out: told.append("node")),
            node.register_prehook(lambda grads: told.append("before")),
            x.register_post_accumulate_grad_hook(lambda p: told.append("leaf")),
            ag.register_multi_grad_hook((x, y), lambda grads: told.append("both")),
        ):
            y.sum().backward()
        return x.grad.tolist(), y.grad.tolist(), told

    return run


@program
def a_hook_that_raises():
    x = leaf(1.0, 2.0)

    def run():
        x.grad = None

        def fail(grad):
            raise Failed

        y = x * 3
        with gg.enable_grad(), y.register_hook(fail):
            y.sum().backward()

    return run


@program
def hooks_of_modules():
    model = nn.Sequential(nn.Linear(2, 2), nn.Tanh()).double()
    with gg.no_grad():
        for p in model.parameters():
            p.fill_(0.5)
    x = leaf(1.0, 2.0)

    def run():
        told = []
        model.zero_grad()
        with (
            model.register_forward_hook(lambda m, args, out: told.append("after")),
            model.register_forward_pre_hook(lambda m, args: told.append("before")),
            model[0].register_full_backward_hook(lambda m, gi, go: told.append("back")),
            model[0].register_full_backward_pre_hook(lambda m, go: told.append("pre")),
            of_modules.register_module_forward_hook(lambda m, args, out: told.append("any")),
            of_modules.register_module_full_backward_hook(
                lambda m, gi, go: told.append("any back")
            ),
        ):
            model(x).sum().backward()
        return model[0].weight.grad.tolist(), told

    return run


# Saved tensors -----------------------------------------------------------------------------------


@program
def hooks_on_saved_tensors():
    x = leaf(1.0, 2.0)

    def run():
        x.grad = None
        with ag.saved_tensors_hooks(lambda t: t.numpy(), lambda a: gg.tensor(a)):
            y = x.exp() * x
        with ag.save_on_cpu():
            z = (y * y).sum()
        z.backward()
        return x.grad.tolist()

    return run


@program
def allowing_mutation():
    x = leaf(1.0, 2.0)

    def run():
        x.grad = None
        with ag.allow_mutation_on_saved_tensors():
            y = x.clone()
            z = (y * y).sum()
            y.zero_()
            z.backward()
        return x.grad.tolist()

    return run


@program
def forbidding_hooks():
    def run():
        with ag.disable_saved_tensors_hooks("not here"):
            try:
                with ag.save_on_cpu():
                    pass
            except RuntimeError as error:
                return "not here" in str(error)

    return run


# Checkpoints -------------------------------------------------------------------------------------


def _checkpointed(**options):
    x = leaf(0.5, 1.0)

    def run():
        x.grad = None
        y = cp.checkpoint(lambda t: F.dropout(t.exp().sin(), 0.5), x, **options)
        (y * y).sum().backward()
        return x.grad.tolist()

    return run


@program
def checkpoint():
    return _checkpointed(use_reentrant=False)


@program
def checkpoint_reentrant():
    return _checkpointed(use_reentrant=True)


@program
def checkpoint_sequential():
    steps = [lambda t: t.exp(), lambda t: t.sin(), lambda t: t * t]
    x = leaf(0.5, 1.0)

    def run():
        x.grad = None
        with cp.set_checkpoint_early_stop(False), cp.set_checkpoint_debug_enabled(False):
            cp.checkpoint_sequential(steps, 2, x, use_reentrant=False).sum().backward()
        return x.grad.tolist()

    return run


# Modes -------------------------------------------------------------------------------------------


@program
def blocks_of_modes():
    x = leaf(1.0, 2.0)

    def run():
        seen = []
        with gg.no_grad(), gg.enable_grad(), gg.set_grad_enabled(False):
            seen.append((x * 2).requires_grad)
            with gg.inference_mode():
                seen.append((x * 2).is_inference())
                with gg.inference_mode(False):
                    seen.append((x * 2).requires_grad)
        return seen

    return run


@program
def decorators_of_modes():
    x = leaf(1.0, 2.0)

    def run():
        @gg.no_grad()
        def first():
            return (x * 2).requires_grad

        @gg.inference_mode
        def second():
            return (x * 2).is_inference()

        @gg.set_grad_enabled(False)
        def third():
            return (x * 2).requires_grad

        @gg.no_grad
        def several():
            yield (x * 2).requires_grad
            yield gg.is_grad_enabled()

        return first(), second(), third(), list(several())

    return run


@program
def a_mode_around_an_error():
    def run():
        with gg.no_grad(), gg.scope("here"):
            raise Failed

    return run


@program
def scopes():
    x, model = leaf(1.0, 2.0), nn.Sequential(nn.Tanh(), nn.Sigmoid())

    def run():
        with gg.scope("outer"):
            with gg.scope("inner"):
                y = x * 2
            y = model(y)
        return made_in(y.grad_fn), open_scopes()

    return run


@program
def other_defaults():
    def run():
        with gg.device("cpu"), gg.device("cpu"):
            return str(gg.ones(2).device)

    return run


@program
def a_torch_function_mode():
    class Doubled(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return 2 * func(*args, **(kwargs or {}))

    def run():
        with Doubled():
            return gg.ones(2).tolist() if False else str(gg.ones(2).shape)

    return run


@program
def random_numbers_apart():
    def run():
        with gg.random.fork_rng():
            gg.manual_seed(5)
            return gg.rand(2).tolist()

    run.draws_nothing = True
    return run


@program
def autocast_and_other_blocks():
    def run():
        with (
            gg.autocast("cpu", enabled=False),
            nn.attention.sdpa_kernel(nn.attention.SDPBackend.MATH),
            gg.backends.cudnn.flags(enabled=True),
            gg.autograd.set_multithreading_enabled(False),
            gg.serialization.safe_globals([dict]),
            nn.utils.parametrize.cached(),
        ):
            return True

    return run


# Forward mode and transforms ---------------------------------------------------------------------


@program
def forward_mode():
    def run():
        with forward_ad.dual_level():
            x = forward_ad.make_dual(leaf(1.0, 2.0), gg.ones(2, dtype=gg.float64))
            first = forward_ad.unpack_dual((x * x).exp()).tangent.tolist()
        forward_ad.enter_dual_level()
        try:
            x = forward_ad.make_dual(leaf(1.0, 2.0), gg.ones(2, dtype=gg.float64))
            return first, forward_ad.unpack_dual(x.sin()).tangent.tolist()
        finally:
            forward_ad.exit_dual_level()

    return run


def _transformed(name, compute):
    def make():
        x = gg.tensor([0.5, 1.5], dtype=gg.float64)
        return lambda: compute(x)

    make.__name__ = name
    program(make)


def _f(x):
    return (x * x.sin()).sum()


def _pair(x):
    return x.exp() * x


_transformed("func_grad", lambda x: func.grad(func.grad(lambda t: t**3))(x[0]).tolist())
_transformed("func_vjp", lambda x: func.vjp(_pair, x)[1](x)[0].tolist())
_transformed("func_jvp", lambda x: func.jvp(_pair, (x,), (x,))[1].tolist())
_transformed("func_vmap", lambda x: func.vmap(lambda t: t * t.exp())(x).tolist())
_transformed(
    "func_vmap_random",
    lambda x: func.vmap(lambda t: t + gg.rand(1), randomness="different")(x).tolist(),
)
_transformed("func_jacrev", lambda x: func.jacrev(_pair)(x).tolist())
_transformed("func_hessian", lambda x: func.hessian(_f)(x).tolist())
_transformed("func_linearize", lambda x: func.linearize(_pair, x)[1](x).tolist())
_transformed("func_vmap_of_grad", lambda x: func.vmap(func.grad(lambda t: t.sin()))(x).tolist())
_transformed("functional_jacobian", lambda x: functional.jacobian(_pair, x).tolist())
_transformed("functional_hvp", lambda x: functional.hvp(_f, x, x)[1].tolist())
_transformed(
    "functional_jacobian_forward",
    lambda x: functional.jacobian(_pair, x, vectorize=True, strategy="forward-mode").tolist(),
)


@program
def a_functional_call():
    model = nn.Linear(2, 1).double()
    given = {n: gg.ones_like(p) for n, p in model.named_parameters()}
    own = dict(model.named_parameters())

    def run():
        for name, p in model.named_parameters():
            assert p is own[name], "a parameter is not the module's own"
        return func.functional_call(model, given, (leaf(1.0, 2.0),)).tolist()

    return run


# Checks ------------------------------------------------------------------------------------------


@program
def checking_gradients():
    x = leaf(0.5, 1.5)

    def run():
        kept = x.tolist()
        assert kept == [0.5, 1.5], "the input was left moved"
        return gradcheck(gg.sin, (x,)), gradcheck(
            lambda t: t * t, (x,), fast_mode=True, check_forward_ad=True, check_batched_grad=True
        )

    return run


@program
def anomalies():
    x = leaf(1.0, 2.0)

    def run():
        x.grad = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with gg.autograd.detect_anomaly(), gg.autograd.set_detect_anomaly(True):
                (x * x).sum().backward()
        return x.grad.tolist()

    return run


@program
def finding_nan():
    x = leaf(1.0, -1.0)
    return lambda: str(gg.find_nan(lambda t: (t.log() * 2).sum(), x).op)


# What watches ------------------------------------------------------------------------------------


@program
def a_session():
    x = leaf(1.0, 2.0)

    def run():
        x.grad = None
        y = (x.exp() * x).sum()
        with gg.step(y, granularity="micro") as s:
            s.next().next().back()
            s.run_until("MulBackward0")
            s.next()
            at = s.current.name()
            s.run()
        return at, x.grad.tolist()

    return run


@program
def a_session_left_in_the_middle():
    x = leaf(1.0, 2.0)

    def run():
        x.grad = None
        s = gg.step((x.exp() * x).sum())
        s.next().next()
        s.close()
        return x.grad

    return run


@program
def recording():
    x = leaf(1.0, 2.0)

    def run():
        x.grad = None
        trace = gg.record((x * x).sum(), values="full")
        return len(trace.events), x.grad.tolist()

    return run


@program
def recording_a_checkpoint():
    x = leaf(1.0, 2.0)

    def run():
        x.grad = None
        y = cp.checkpoint(lambda t: t.exp().sin(), x, use_reentrant=True)
        trace = gg.record((y * y).sum())
        return len(trace.events), x.grad.tolist()

    return run


@program
def watching_passes():
    x = gg.tensor(2.0, dtype=gg.float64)

    def run():
        with watching() as passes:
            found = func.grad(func.grad(lambda t: t**3))(x).item()
        with watching(lambda session: session.next()):
            func.grad(lambda t: t.sin())(x)
        return found, len(passes)

    return run


@program
def the_doctor():
    x = leaf(1.0, 2.0)
    optimizer = gg.optim.SGD([x], lr=0.0)

    def run():
        with gg.watch(lambda finding: None) as found:
            for _ in range(2):
                optimizer.zero_grad()
                (x * x).sum().backward()
                optimizer.step()
        return len(found.findings), x.grad.tolist()

    return run


@program
def players():
    x = leaf(1.0, 2.0)

    def run():
        x.grad = None
        s = gg.step((x * x).sum())
        live = gg.player(s)
        s.next()
        told = len(live.trace.events)
        live.close()
        s.close()
        gg.player(gg.record((x * 2).sum()))
        return told, x.grad.tolist()

    return run


@program
def breakpoints_of_a_session():
    x = leaf(1.0, 2.0)

    def run():
        x.grad = None
        s = gg.step((x.exp() * x).sum())
        with s.break_at(op="ExpBackward0") as there:
            at = s.run().current.name()
        s.close()
        return at, there in s.breakpoints

    return run


@program
def explaining():
    x = leaf(1.0, 2.0)

    class Cube(gg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 3 * x * x * grad

    y = (Cube.apply(x) * F.dropout(x, 0.5)).sum()

    def run():
        return len(str(gg.explain(y)))

    run.draws_nothing = True
    return run


@program
def passes_deep_inside_of_each_other():
    x = leaf(1.0)

    def run():
        told, left = [], [turn.MAX_DEPTH]

        def again(_):
            told.append(threading.current_thread().name.partition("_")[0])
            left[0] -= 1
            if left[0]:
                with gg.enable_grad():
                    y = x * 2
                y.register_hook(again)
                y.backward()

        again(None)
        x.grad = None
        return told

    return run


@program
def a_tensor_that_is_parametrized():
    class Twice(nn.Module):
        def forward(self, x):
            return 2 * x

    def run():
        layer = nn.Linear(1, 1).double()
        parametrize.register_parametrization(layer, "weight", Twice())
        with parametrize.cached():
            same = layer.weight is layer.weight
        return same, layer.weight is layer.weight, len(parametrize._cache)

    return run


@program
def other_numerics():
    def run():
        with _fused.numerics("curobo"):
            inside = _fused.is_literal()
        return inside, _fused.is_literal()

    return run


@program
def sums_of_a_replica():
    ranks = types.SimpleNamespace(require_backward_grad_sync=True)

    def run():
        with DistributedDataParallel.no_sync(ranks):
            inside = ranks.require_backward_grad_sync
        return inside, ranks.require_backward_grad_sync

    return run


# Training ----------------------------------------------------------------------------------------


@program
def a_training_step():
    def run():
        w = nn.Parameter(gg.ones(2, dtype=gg.float64))
        optimizer = gg.optim.Adam([w], lr=0.1)
        scheduler = gg.optim.lr_scheduler.StepLR(optimizer, 1)
        (w * w).sum().backward()
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
        optimizer.step(lambda: (w * w).sum().backward() or 1.0)
        nn.utils.clip_grad_norm_([w], 1.0)
        return w.tolist()

    return run


@program
def profiling():
    x = leaf(1.0, 2.0)

    def run():
        with gg.profiler.profile(), gg.profiler.record_function("square"):
            return (x * x).tolist()

    return run
