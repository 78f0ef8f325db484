"""Saved tensors that are packed, kept elsewhere, or not kept at all."""

from typing import Any


def packed(name: str) -> Any:
    """A block in which saved tensors are kept as lists, and what is packed is noted."""

    def pack(x: Any) -> Any:
        log.append((f"{name} packs", None, seen(x)))
        return x.dtype, x.detach().clone().tolist()

    def unpack(kept: Any) -> Any:
        log.append((f"{name} unpacks", None, kept[1]))
        return lib.tensor(kept[1], dtype=kept[0])

    return lib.autograd.graph.saved_tensors_hooks(pack, unpack)


def again(x: Any, name: str, *, reentrant: bool = False) -> Any:
    """A function of `x` that keeps nothing and runs again in the backward pass."""

    def function(x: Any) -> Any:
        log.append((f"{name} runs", None, None))
        return (x.sin() * x).tanh() * 0.5

    checkpoint = lib.utils.checkpoint.checkpoint
    return checkpoint(function, x, use_reentrant=reentrant, preserve_rng_state=False)


def again_hooked(x: Any, name: str, **options: Any) -> Any:
    """The same with a hook on what is computed inside, and one on what comes out."""

    def function(x: Any) -> Any:
        y = x.sin() * x
        if y.requires_grad:
            y.register_hook(look(name))
        return y.tanh()

    out = lib.utils.checkpoint.checkpoint(function, x, preserve_rng_state=False, **options)
    if out.requires_grad:
        out.register_hook(look(f"{name} out", factor=0.5))
    return out


def writing() -> Any:
    """A block in which what is saved is written by the pack hook, which may not."""
    return lib.autograd.graph.saved_tensors_hooks(lambda x: x.mul_(1.0), lambda x: x)


def elsewhere(name: str) -> Any:
    """A block in which saved tensors are kept as they are, by a number."""
    kept: list[Any] = []

    def pack(x: Any) -> int:
        kept.append(x)
        log.append((f"{name} packs", None, seen(x)))
        return len(kept) - 1

    def unpack(number: int) -> Any:
        log.append((f"{name} unpacks", None, number))
        return kept[number]

    return lib.autograd.graph.saved_tensors_hooks(pack, unpack)


def doubled() -> Any:
    """What is saved is kept as its double, so that the pass shows whether it was unpacked."""
    return lib.autograd.graph.saved_tensors_hooks(lambda x: x * 2, lambda x: x / 2)


def again_with(x: Any, y: Any, name: str, **options: Any) -> Any:
    """A function of two, that stops early, runs again, and has two results."""

    def function(x: Any, y: Any, *, factor: float) -> Any:
        log.append((f"{name} runs", None, None))
        z = (x * y).tanh()
        return z.sin() * factor, z.cos()

    checkpoint = lib.utils.checkpoint.checkpoint
    return checkpoint(function, x, y, preserve_rng_state=False, factor=0.5, **options)


def in_parts(x: Any, name: str, **options: Any) -> Any:
    """Three functions in a row, of which two run again."""

    def function(x: Any) -> Any:
        log.append((f"{name} runs", None, None))
        return (x * x).sin()

    sequential = lib.utils.checkpoint.checkpoint_sequential
    return sequential([function] * 3, 2, x, preserve_rng_state=False, **options)


def noted(kept: Any) -> Any:
    """What a node has saved, noted."""
    log.append(("saved", None, seen(kept) if isinstance(kept, lib.Tensor) else None))
    return kept
