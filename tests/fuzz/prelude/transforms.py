"""What is differentiated, mapped and pushed forward: functions of one tensor, and their transforms.

A transform takes a function of a tensor and gives one, so they go inside each other.
"""

from typing import Any

levels: list[Any] = []  # of forward mode, that a program has opened


def whole(*outs: Any) -> Any:
    """One number of some tensors."""
    return sum(out.sum() for out in outs)


def gradient(f: Any, has_aux: bool = False, argnums: Any = 0) -> Any:
    """x ↦ the gradient of the sum of f."""
    if has_aux:
        take = lib.func.grad(lambda x: (f(x).sum(), x * 2.0), has_aux=True)
        return lambda x: whole(*take(x)) * x
    return lib.func.grad(lambda x: f(x).sum())


def gradients(f: Any) -> Any:
    """x ↦ the gradients with respect to two arguments, and the value, together."""
    take = lib.func.grad_and_value(lambda x, y: (f(x) * f(y)).sum(), argnums=(0, 1))

    def together(x: Any) -> Any:
        (dx, dy), value = take(x, x * 0.5)
        return dx + dy * value

    return together


def pulled(f: Any, has_aux: bool = False) -> Any:
    """x ↦ a cotangent, pulled back."""

    def pull_back(x: Any) -> Any:
        if has_aux:
            out, pull, aux = lib.func.vjp(lambda x: (f(x), x.sin()), x, has_aux=True)
            return pull(out.cos())[0] + aux
        out, pull = lib.func.vjp(f, x)
        return pull(out.cos())[0]

    return pull_back


def pushed(f: Any, has_aux: bool = False) -> Any:
    """x ↦ a tangent, pushed forward."""

    def push(x: Any) -> Any:
        if has_aux:
            out, tangent, aux = lib.func.jvp(
                lambda x: (f(x), x.sin()), (x,), (x.cos(),), has_aux=True
            )
            return out + tangent + aux.sum()
        out, tangent = lib.func.jvp(f, (x,), (x.cos(),))
        return out * tangent

    return push


def linear(f: Any) -> Any:
    """x ↦ a tangent, pushed forward by the linear map at x."""

    def push(x: Any) -> Any:
        out, push_forward = lib.func.linearize(f, x)
        return out + push_forward(x.detach().sin())

    return push


def mapped(f: Any, **options: Any) -> Any:
    """x ↦ f of each part."""
    return lib.vmap(f, **options)


def mapped_with(f: Any, y: Any, **options: Any) -> Any:
    """x ↦ f of each part and of all of y."""
    return lambda x: lib.vmap(lambda x, y: f(x) * y.sum(), **options)(x, y)


def mapped_trees(f: Any) -> Any:
    """x ↦ two results of each part, from a dict and to a dict."""
    run = lib.vmap(lambda d: {"a": f(d["x"]), "b": d["x"].sum()}, in_dims=({"x": 0},))

    def together(x: Any) -> Any:
        out = run({"x": x})
        return out["a"] * out["b"].sum()

    return together


def jacobian(f: Any, kind: str, **options: Any) -> Any:
    """x ↦ its Jacobian, of `jacrev`, `jacfwd` or `hessian`."""
    if kind == "hessian":
        return lib.func.hessian(lambda x: f(x).sum())
    return getattr(lib.func, kind)(f, **options)


def jacobians(f: Any, kind: str, has_aux: bool = False) -> Any:
    """x ↦ the Jacobians with respect to two arguments, together."""

    def both(x: Any, y: Any) -> Any:
        return (f(x) * f(y), x.sin()) if has_aux else f(x) * f(y)

    take = getattr(lib.func, kind)(both, argnums=(0, 1), has_aux=has_aux)

    def together(x: Any) -> Any:
        found = take(x, x * 0.5)
        (dx, dy), aux = found if has_aux else (found, x)
        return dx + dy * aux.sum()

    return together


def functional(f: Any, kind: str, **options: Any) -> Any:
    """x ↦ what a function of `autograd.functional` says."""
    take = getattr(lib.autograd.functional, kind)
    if kind == "jacobian":
        return lambda x: take(f, x, **options)
    if kind == "hessian":
        return lambda x: take(lambda x: f(x).sum(), x, **options)
    if kind in ("vjp", "jvp"):
        return lambda x: take(f, x, (f(x) if kind == "vjp" else x).detach().clone(), **options)[1]
    return lambda x: take(lambda x: f(x).sum(), x, x.detach().clone(), **options)[1]


def taped(f: Any, **options: Any) -> Any:
    """x ↦ a gradient, by the tape."""

    def take(x: Any) -> Any:
        with lib.enable_grad():
            y = f(x)
            return lib.autograd.grad(y.sum(), x, create_graph=True, **options)[0]

    return take


def batched(y: Any, x: Any, **options: Any) -> Any:
    """The gradients of x for three gradients of y at once."""
    seeds = lib.stack([weights(y), weights(y) * 0.5, weights(y) - 1.0])
    return lib.autograd.grad(y, x, seeds, is_grads_batched=True, **options)[0]


# Forward mode -------------------------------------------------------------------------------------


def enter_level() -> None:
    """Open a level."""
    levels.append(lib.autograd.forward_ad.enter_dual_level())


def exit_level() -> None:
    """Close it."""
    lib.autograd.forward_ad.exit_dual_level(level=levels.pop())


def close_levels() -> None:
    """Close what an error left open."""
    while levels:
        exit_level()


def dual(x: Any) -> Any:
    """With a tangent."""
    return lib.autograd.forward_ad.make_dual(x, weights(x))


def tangent(x: Any) -> Any:
    """What it has, None or a tensor."""
    return lib.autograd.forward_ad.unpack_dual(x).tangent


def tell(name: str, x: Any) -> None:
    """Note the tangent."""
    log.append((name, None, seen(tangent(x))))
