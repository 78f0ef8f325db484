"""All programs: those that both libraries play, and those of glassgrad alone."""

from leaks import failing, hooking, keeping, transforming

__all__ = ["OURS", "PROGRAMS"]

PROGRAMS = [*hooking.PROGRAMS, *failing.PROGRAMS, *keeping.PROGRAMS, *transforming.PROGRAMS]
"""Functions of a library that return what must be dead once nobody refers to it."""

OURS = [*hooking.OURS, *failing.OURS, *keeping.OURS, *transforming.OURS]
"""Those where PyTorch leaves something to the garbage collector."""
