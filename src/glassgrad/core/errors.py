"""The errors glassgrad raises: each is also the builtin that PyTorch users catch.

    GlassgradError
    ├── GraphError (RuntimeError)         something is wrong with a graph or a backward pass
    │   ├── FreedGraphError                 the saved tensors are gone: a second backward
    │   ├── StaleTensorError                a saved tensor was changed in place
    │   ├── LeafWriteError                  an in-place write on a leaf that requires grad
    │   ├── GradientError                   a gradient of the wrong shape, type or number
    │   ├── UnusedInputError                an input the outputs do not depend on
    │   ├── HookError                       a hook returned something that cannot be used
    │   ├── ReentrancyError (RecursionError)   passes inside each other without end
    │   ├── TransformError                  a tensor used where its transform does not allow it
    │   ├── CheckpointError                 a checkpointed function cannot be recomputed
    │   └── GradcheckError                  the gradient disagrees with differences
    ├── ShapeError (RuntimeError)         shapes that do not fit together
    ├── LinAlgError (RuntimeError)        matrices that a problem has no solution for
    ├── DTypeError (RuntimeError)         a dtype an op cannot take
    │   └── KernelError (NotImplementedError)   one that PyTorch has no kernel for
    ├── DeviceError (RuntimeError)        arrays on different devices
    ├── DimError (IndexError)             a dim outside the tensor's dims
    ├── ArgumentError (ValueError)        a value no op can take
    ├── ArgumentTypeError (TypeError)     an object of a kind no op can take
    ├── MissingRuleError (NotImplementedError)   a class without the method or rule that is needed
    ├── ExpectationError (AssertionError) what gradcheck was given cannot be checked
    └── DataError (ValueError)            a file or a data set that cannot be used

A message has three parts: what happened, why that is wrong, what to write instead. Names in it may
hold what a terminal would obey: it reads as text.
"""


class GlassgradError(Exception):
    """The root of the family: `except GlassgradError` catches all of it."""

    printable = str
    """Escapes what a terminal would obey (`glassgrad/_words.py`)."""

    def __str__(self) -> str:
        return self.printable(super().__str__())


class GraphError(GlassgradError, RuntimeError):
    """Something is wrong with a graph, or with a backward pass over it."""


class FreedGraphError(GraphError):
    """A backward pass needs saved tensors that an earlier pass has freed."""


class StaleTensorError(GraphError):
    """A tensor saved for backward was changed in place after it was saved."""


class LeafWriteError(GraphError):
    """A leaf that requires grad is written in place while the tape records."""


class GradientError(GraphError):
    """A gradient has the wrong shape, dtype, kind, or there are too many or too few of them."""


class UnusedInputError(GraphError):
    """A gradient was asked for with respect to a tensor the outputs do not depend on."""


class HookError(GraphError):
    """A hook returned something that cannot take the gradient's place."""


class ReentrancyError(GraphError, RecursionError):
    """A backward pass is begun inside of so many others that there seems to be no end."""


class TransformError(GraphError):
    """A tensor of a transform (`vmap`, `grad`, `jvp` …) is used in a way that it does not allow."""


class CheckpointError(GraphError):
    """A checkpointed function did not save the same tensors when it ran again."""


class GradcheckError(GraphError):
    """A backward formula disagrees with finite differences."""


class ShapeError(GlassgradError, RuntimeError):
    """Shapes that do not fit together."""


class LinAlgError(GlassgradError, RuntimeError):
    """Matrices for which a problem of linear algebra has no solution, or a problem that is none."""


class DTypeError(GlassgradError, RuntimeError):
    """A dtype that an op cannot take."""


class KernelError(DTypeError, NotImplementedError):
    """A dtype for which an op is "not implemented"."""


class DeviceError(GlassgradError, RuntimeError):
    """Operands on different devices, or a device that is not there."""


class DimError(GlassgradError, IndexError):
    """A dim that the tensor does not have, or an index outside of it."""


class ArgumentError(GlassgradError, ValueError):
    """A value that no op can take."""


class RangeError(ArgumentError, RuntimeError):
    """A number outside of its range, for which PyTorch raises one or the other."""


class ArgumentTypeError(GlassgradError, TypeError):
    """An object of a kind that cannot be taken."""


class MissingRuleError(GlassgradError, NotImplementedError):
    """A Function or another class lacks the method or rule that is needed here."""


class ExpectationError(GlassgradError, AssertionError):
    """What gradcheck was given cannot be checked: the options, or a function of varying shape."""


class DataError(GlassgradError, ValueError):
    """A file or a data set that cannot be used."""


__all__ = [name for name in dir() if name.endswith("Error")]
