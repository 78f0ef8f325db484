"""What a node keeps of a tensor until backward, and the errors of coming too late for it."""

from collections.abc import Iterator
from typing import Any, NoReturn, final

from .errors import FreedGraphError, GraphError, StaleTensorError
from .graph import GradientEdge, Node, edge_of
from .tensor import LEAF, Tensor, wrap

__all__ = ["FREED", "SavedTensor", "inference_error", "stale_error", "unpacked"]


class _Freed:
    """Stands in for the saved tensors of a node that has let them go."""

    def __iter__(self) -> Iterator[NoReturn]:
        raise FreedGraphError(
            "Trying to backward through the graph a second time (or directly access saved tensors "
            "after they have already been freed). Saved intermediate values of the graph are "
            "freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you "
            "need to backward through the graph a second time or if you need to access saved "
            "tensors after calling backward."
        )

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> NoReturn:
        next(iter(self))
        raise AssertionError("iterating over freed tensors raises")

    def __getitem__(self, index: object) -> NoReturn:
        next(iter(self))
        raise AssertionError("iterating over freed tensors raises")


FREED: Any = _Freed()


@final
class SavedTensor:
    """What a node keeps of one tensor until backward.

    An output of the node itself is kept as its array and rebuilt when asked for: a reference to
    the tensor would be a cycle, tensor → node → tensor.
    """

    __slots__ = ("array", "edge", "expected", "output_nr", "tensor", "version")

    def __init__(self, tensor: Tensor, *, output_nr: int | None = None) -> None:
        if tensor.is_inference():
            raise inference_error()
        self.output_nr = output_nr
        self.array = tensor.payload
        if output_nr is None:
            self.tensor: Tensor | None = tensor
            self.edge = edge_of(tensor)
            self.version = tensor.cold and tensor.cold.version  # a later one starts at 0
        else:
            self.tensor = self.edge = None
            self.version = tensor.version_counter()
        self.expected = self.version.count if self.version else 0

    def unpack(self, node: Node) -> Tensor:
        """The tensor as it was saved, or StaleTensorError if it was changed in place."""
        tensor = self.tensor
        version = self.version
        if version is None and tensor is not None and tensor.cold is not None:
            version = tensor.cold.version
        if version is not None and version.count != self.expected:
            now = tensor if tensor is not None else self._rebuilt(node)
            raise stale_error(node.name(), "", now, version.count, self.expected)
        if tensor is None:
            return self._rebuilt(node)
        edge = tensor.edge
        if edge is self.edge or edge is LEAF or edge == self.edge:
            return tensor
        return wrap(self.array, self.edge, version=tensor.version_counter())

    @property
    def versions(self) -> tuple[int, int]:
        """The version of the tensor's storage when it was saved, and now."""
        version = self.version or (self.tensor and self.tensor.cold and self.tensor.cold.version)
        return self.expected, version.count if version else 0

    def _rebuilt(self, node: Node) -> Tensor:
        edge: Any = self.edge
        if self.output_nr is not None:
            edge = node if node.num_outputs == 1 else GradientEdge(node, self.output_nr)
        return wrap(self.array, edge, version=self.version)


def unpacked(node: Node, saved: Tensor | SavedTensor | None) -> Tensor | None:
    """What `node` saved: a tensor that was never written to is kept as it is."""
    if isinstance(saved, Tensor):
        version = saved.cold and saved.cold.version
        if version and version.count:
            raise stale_error(node.name(), "", saved, version.count, 0)
        return saved
    return saved and saved.unpack(node)


def stale_error(saver: str, saved_as: str, tensor: Tensor, now: int, expected: int) -> Exception:
    """The error for a saved tensor that was written since: `tensor` shows what it is now."""
    kind = _TENSOR_TYPE_NAMES.get(str(tensor.dtype), f"{tensor.dtype} tensor")
    shape = ", ".join(str(n) for n in tensor.shape)
    maker = tensor.grad_fn
    origin = ""
    if maker is not None:
        maker_name = maker.name().partition("Backward")[0]
        origin = f", which is output {tensor.output_nr} of {maker_name},"
    return StaleTensorError(
        "one of the variables needed for gradient computation has been modified by an inplace "
        f"operation: [{kind} [{shape}]]{origin} is at version {now}; expected version {expected} "
        f"instead. {saver} saved it{saved_as} and would compute its gradient from values that are "
        "gone. Write `y = x + …` instead of `x += …` after the op, or change a clone()."
    )


_TENSOR_TYPE_NAMES = {
    "float32": "torch.FloatTensor",
    "float64": "torch.DoubleTensor",
    "float16": "torch.HalfTensor",
    "int64": "torch.LongTensor",
    "int32": "torch.IntTensor",
    "bool": "torch.BoolTensor",
}


def inference_error() -> Exception:
    """The error for saving a tensor that has no version to be checked by."""
    return GraphError(
        "Inference tensors cannot be saved for backward: nobody would see it if they were written. "
        "Please do not use tensors made in inference_mode() where the tape records. "
        "Write `x.clone()` to get a normal tensor."
    )
