"""Lines that write in place: to plain values, to views and what they show, to parts."""

from typing import Any

from fuzz.lines import LineMaker, broadcasts, has_dims, is_inner, is_matrix, is_small
from fuzz.program import Step

__all__ = ["WRITES"]


def _write(op: str, template: str, feature: str = "writes", want: Any = is_small) -> LineMaker:
    """A line that writes to `{a}`, of `{b}` (of its shape), `{c}` (of a shape that broadcasts)
    or `{r}` (of the shape of its first row)."""

    def build(g: Any) -> Step | None:
        def allowed(x: Any) -> bool:
            if not is_small(x) or x.dim() == 0 or not want(x):
                return False
            return g.may_fail or feature == "no_grad" or not (x.is_leaf and x.requires_grad)

        a = g.pick(allowed)
        if a is None:
            return None
        shape, sharing = tuple(g.of(a).shape), g.sharing(a)
        others = [g.of(name) for name in sharing]  # of which the result is anybody's guess

        def fits(x: Any) -> bool:
            return is_small(x) and not any(x is other for other in others)

        given = {
            "b": g.pick(lambda x: fits(x) and tuple(x.shape) == shape),
            "c": g.pick(lambda x: fits(x) and x.dim() < 2 and broadcasts(x.shape, shape)),
            "r": g.pick(lambda x: fits(x) and tuple(x.shape) == shape[1:]),
        }
        used = {letter: name for letter, name in given.items() if f"{{{letter}}}" in template}
        if None in used.values():
            return None
        if op == "data_mul" and any({a, *sharing} & {*step.uses} for step in g.steps):
            return None  # nobody notices that what was saved has changed: rules differ in its use
        if sharing and "shared_writes" not in g.features:
            return None
        shares = sharing and feature == "writes"
        return Step(
            op,
            "shared_writes" if shares else feature,
            f"looked({a}); " * g.of(a)._is_view() + template.format(a=a, **used),
            (),
            (a, *used.values()),
            changes=(a, *sharing),
        )

    return LineMaker(op, feature, build)


def _may_detach(x: Any) -> bool:
    """Values with a node; PyTorch trips over a retained gradient that lost its tensor."""
    return is_inner(x) and not x.retains_grad


def _has_own_places(x: Any) -> bool:
    """Values whose elements share no memory: PyTorch is about to refuse to write to others."""
    return 0 not in x.stride()


def _may_turn(want: Any) -> Any:
    """Those of the values whose gradient is not kept: PyTorch would keep it in the old shape."""
    return lambda x: want(x) and not x.retains_grad


WRITES = [
    _write("dirty_function", "Dirty.apply({a})"),
    _write("add_", "{a}.add_({b})"),
    _write("add_broadcast_", "{a}.add_({c})"),
    _write("sub_", "{a}.sub_({b})"),
    _write("mul_", "{a}.mul_({b})"),
    _write("mul_number_", "{a}.mul_(0.75)"),
    _write("div_", "{a}.div_(1.25)"),
    _write("copy_", "{a}.copy_({b})", want=_has_own_places),
    _write("zero_", "{a}.zero_()"),
    _write("fill_", "{a}.fill_(0.375)"),
    _write("iadd", "{a} += 0.5"),
    _write("imul", "{a} *= {c}"),
    _write("item_number", "{a}[0] = 0.25"),
    _write("item_tensor", "{a}[0] = {r}"),
    _write("item_slice", "{a}[..., 1:] = {b}[..., 1:]", want=_has_own_places),
    _write("item_list", "{a}[[0, -1]] = 0.125", want=_has_own_places),
    _write("item_mask", "{a}[{a} > 0.5] = 0.625", want=_has_own_places),
    _write("item_add", "{a}[..., -1] += 0.25"),
    _write("sin_", "{a}.sin_()", "inplace_ops"),
    _write("tanh_", "{a}.tanh_()", "inplace_ops"),
    _write("sigmoid_", "{a}.sigmoid_()", "inplace_ops"),
    _write("relu_", "{a}.relu_()", "inplace_ops"),
    _write("neg_", "{a}.neg_()", "inplace_ops"),
    _write("abs_", "{a}.abs_()", "inplace_ops"),
    _write("cos_", "{a}.cos_()", "inplace_ops"),
    _write("lerp_", "{a}.lerp_({b}, 0.25)", "inplace_ops"),
    _write("addcmul_", "{a}.addcmul_({b}, {c})", "inplace_ops"),
    _write(
        "index_add_",
        "{a}.index_add_(0, places([0]), {b}[:1].clone())",
        "inplace_ops",
        _has_own_places,
    ),
    _write(
        "index_copy_",
        "{a}.index_copy_(0, places([0]), {b}[:1].clone())",
        "inplace_ops",
        _has_own_places,
    ),
    _write("index_fill_", "{a}.index_fill_(0, places([0]), 0.5)", "inplace_ops", _has_own_places),
    _write("requires_grad_", "{a}.requires_grad_()", "inplace_ops"),
    _write("pow_", "{a}.pow_(2)", "inplace_ops"),
    _write("clamp_", "{a}.clamp_(-0.75, 0.75)", "inplace_ops"),
    _write("masked_fill_", "{a}.masked_fill_({a} > 0.5, 0.5)", "inplace_ops", _has_own_places),
    _write("t_", "{a}.t_()", "inplace_ops", _may_turn(is_matrix)),
    _write("unsqueeze_", "{a}.unsqueeze_(0)", "inplace_ops", _may_turn(lambda x: x.dim() < 3)),
    _write("squeeze_", "{a}.squeeze_()", "inplace_ops", _may_turn(has_dims(3))),
    _write("detach_", "{a}.detach_()", "inplace_ops", _may_detach),
    _write("silent_add", "exec('with lib.no_grad(): {a}.add_(0.125)')", "no_grad"),
    _write("silent_item", "exec('with lib.no_grad(): {a}[0] = 0.25')", "no_grad"),
    _write("detached_mul", "{a}.detach().mul_(0.5)", "detach"),
    _write("data_mul", "{a}.data.mul_(0.5)", "detach"),
    _write("bump", "lib.autograd.graph.increment_version({a})", "inplace_ops"),
]
