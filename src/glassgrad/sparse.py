"""Sparse tensors, under the names of `torch.sparse`."""

from glassgrad.ops._lookup import of_module

__all__, __getattr__, __dir__ = of_module(__name__, home="sparse")
