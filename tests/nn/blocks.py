"""Modules with one of everything, in both libraries, and a tree of them."""

import torch

import glassgrad as gg
from glassgrad import nn

__all__ = ["Block", "TorchBlock", "names", "nested"]


class Block(nn.Module):
    """A module with one of everything."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 3)
        self.act = nn.ReLU()
        self.scale = nn.Parameter(gg.tensor(2.0))
        self.register_parameter("absent", None)
        self.register_buffer("mean", gg.zeros(3))
        self.register_buffer("cache", gg.zeros(1), persistent=False)
        self.label = "plain"

    def forward(self, x, *, shift=0.0):
        return self.act(self.inner(x)) * self.scale + shift


class TorchBlock(torch.nn.Module):
    """The same in PyTorch."""

    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(2, 3)
        self.act = torch.nn.ReLU()
        self.scale = torch.nn.Parameter(torch.tensor(2.0))
        self.register_parameter("absent", None)
        self.register_buffer("mean", torch.zeros(3))
        self.register_buffer("cache", torch.zeros(1), persistent=False)


def names(pairs):
    return [name for name, _ in pairs]


def nested(lib, block):
    """A tree with a shared part and a hole."""
    tree = lib.nn.Sequential(block, lib.nn.Sequential(lib.nn.Tanh(), lib.nn.Linear(3, 1)))
    tree.register_module("again", block)
    tree.register_module("hole", None)
    return tree
