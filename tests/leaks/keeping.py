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
