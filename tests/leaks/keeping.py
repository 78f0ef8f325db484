"""Programs that save tensors in other forms, compute them again, or overwrite them."""

import importlib

from both import leaf, plain
from leaks.letting_go import Owner, Programs, attempt, behind, function, raising

__all__ = ["OURS", "PROGRAMS"]

PROGRAMS = program = Programs()
OURS = ours = Programs()


# Saved tensors ------------------------------------------------------------------------------------


def _packing(lib, pack, unpack, *, fails=False):
    x, owner = leaf(lib, [0.3, 0.7]), Owner()
    hooks = lib.autograd.graph.saved_tensors_hooks(
        lambda x, _=owner: pack(x), lambda x, _=owner: unpack(x)
    )
    with hooks:
        y = function(lib, "SavesItsOutput").apply(x.exp()).sin()
    dying = [x, owner, *behind(y)]
    if fails:
        attempt(y.sum().backward)
    else:
        lib.autograd.grad(y.sum(), x, create_graph=True)
        y.sum().backward()
    return dying


@program
def packed_tensors(lib):
    return _packing(lib, lambda x: x.detach().tolist(), lambda numbers: plain(lib, numbers))


@program
def unpack_hook_that_raises(lib):
    return _packing(lib, lambda x: x.detach(), raising, fails=True)


@program
def pack_hook_that_raises(lib):
    x = leaf(lib, [0.3, 0.7])
    y = x.sin()
    with lib.autograd.graph.saved_tensors_hooks(raising, raising):
        attempt(y.exp)
        attempt(function(lib, "SavesItsOutput").apply, y)
    return [x, *behind(y)]


@program
def hooks_of_one_saved_tensor(lib):
    x, owner = leaf(lib, [0.3, 0.7]), Owner()
    y = x.exp()
    y.grad_fn._raw_saved_result.register_hooks(
        lambda y, _=owner: y.detach() * 2, lambda twice, _=owner: twice / 2
    )
    dying = [x, owner, *behind(y)]
    y.sum().backward()
    return dying


@program
def tensors_saved_in_main_memory(lib):
    x = leaf(lib, [0.3, 0.7])
    with lib.autograd.graph.save_on_cpu():
        y = x.exp().sin()
    dying = behind(y)
    y.sum().backward()
    return [x, *dying]


@program
def saved_tensors_that_may_be_overwritten(lib):
    x = leaf(lib, [0.3, 0.7])
    with lib.autograd.graph.allow_mutation_on_saved_tensors():
        y = x.clone()
        z = (y * y).sum()
        y.mul_(0)
        dying = [*behind(z), *behind(y)]
        z.backward()
    return [x, *dying]


# Checkpoints --------------------------------------------------------------------------------------


def _checkpointed(lib, then, function, **options):
    x = leaf(lib, [0.3, 0.7])
    y = importlib.import_module(f"{lib.__name__}.utils.checkpoint").checkpoint(
        function, x * 1, **options
    )
    dying = [x, *behind(y)]
    then(lib, y.sum(), x)
    return dying


def _twice(x):
    return x.sin().exp()


def _second_order(lib, root, x):
    (grad,) = lib.autograd.grad(root, x, create_graph=True)
    grad.sum().backward()


@ours
def checkpoint_that_is_never_used(lib):
    return _checkpointed(lib, lambda lib, root, x: None, _twice, use_reentrant=False)


@ours
def checkpoint(lib):
    return _checkpointed(lib, lambda lib, root, x: root.backward(), _twice, use_reentrant=False)


@ours
def checkpoint_with_a_pass_inside(lib):
    return _checkpointed(lib, lambda lib, root, x: root.backward(), _twice, use_reentrant=True)


@ours
def gradients_of_gradients_of_a_checkpoint(lib):
    return _checkpointed(lib, _second_order, _twice, use_reentrant=False)


@ours
def checkpoint_that_fails_when_it_runs_again(lib):
    runs = []

    def fails_later(x):
        runs.append(1)
        y = x.sin()
        return raising(y) if len(runs) > 1 else y.exp()

    def then(lib, root, x):
        attempt(root.backward)

    return _checkpointed(lib, then, fails_later, use_reentrant=False)


# In place and views -------------------------------------------------------------------------------


@program
def tensor_written_in_place(lib):
    x = leaf(lib, [0.3, 0.7])
    y = x * 2
    y.retain_grad()
    y.mul_(3)
    y += x
    y.copy_(x.sin())
    dying = [x, *behind(y)]
    y.sum().backward()
    return dying


@program
def views(lib):
    x = leaf(lib, [[0.3, 0.7], [0.1, 0.2]])
    y = x * 2
    row, turned = y[0], y.t()
    first, second = y.unbind()
    dying = [x, *behind(y, row, turned, first, second)]
    (row.sum() + turned.sum() + first.sum() * second.sum()).backward()
    return dying


@program
def view_written_in_place(lib):
    x = leaf(lib, [[0.3, 0.7], [0.1, 0.2]])
    y = x * 2
    row, turned = y[0], y.t()
    row.sin_()
    row.retain_grad()
    row.mul_(x[1])
    dying = [x, *behind(y, row, turned)]
    (turned.exp().sum() + row.sum()).backward()
    return dying


@program
def base_written_below_its_views(lib):
    x = leaf(lib, [[0.3, 0.7], [0.1, 0.2]])
    y = x * 2
    row, part = y[0], y[0][1:]
    y.mul_(3)
    y[1] = part
    dying = [x, *behind(y, row, part)]
    (row.sum() * y.sum()).backward()
    return dying


@program
def constant_written_with_a_gradient(lib):
    x = leaf(lib, [0.3, 0.7])
    base = plain(lib, [[0.0, 0.0], [1.0, 1.0]])
    row = base[0]
    row.copy_(x)
    base[1:].mul_(x)
    dying = [x, *behind(base, row)]
    lib.autograd.grad(base.sin().sum(), x, create_graph=True)
    return dying


@program
def view_of_a_base_that_is_gone(lib):
    x = leaf(lib, [0.3, 0.7])
    part = (x * 2)[:1]
    part.mul_(3)
    dying = [x, *behind(part)]
    part.sum().backward()
    return dying


@program
def write_that_is_refused(lib):
    x = leaf(lib, [[0.3, 0.7], [0.1, 0.2]])
    first, second = (x * 2).unbind()
    attempt(first.mul_, 2)
    attempt(x.mul_, 2)
    attempt(x[0].mul_, 2)
    return [x, *behind(first, second)]


@program
def input_written_by_a_function(lib):
    x = leaf(lib, [[0.3, 0.7], [0.1, 0.2]])
    y = x * 2
    row = y[0]
    function(lib, "ChangesItsInput").apply(row)
    dying = [x, *behind(y, row)]
    y.sum().backward()
    return dying
