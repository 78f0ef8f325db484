"""The ops that networks are made of, under the names of `torch.nn.functional`."""

from glassgrad.ops._lookup import of_module

__all__, __getattr__, __dir__ = of_module(__name__, home="nn.functional")
