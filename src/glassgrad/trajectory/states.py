"""What the functions of this package hand around: a device with a dtype, and the state of joints.

`TensorDeviceType` says where tensors are made, and of which dtype. `JointState` holds the position
of some joints and its derivatives: of one moment `(B, D)`, or of a whole trajectory `(B, H, D)`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from glassgrad import _dtypes
from glassgrad._dtypes import float32, get_default_dtype, public
from glassgrad.core.errors import ArgumentError, ArgumentTypeError
from glassgrad.core.tensor import Tensor
from glassgrad.ops import zeros_like
from glassgrad.ops.conversion import clone
from glassgrad.ops.creation import as_tensor, zeros
from glassgrad.values.backend import CPU, Device
from glassgrad.values.dtypes import as_dtype


@dataclass(frozen=True, slots=True)
class TensorDeviceType:
    """The device and the dtype that new tensors get.

    Args:
        device: a device or its name. The default is the CPU.
        dtype: a dtype or its name; None for the default dtype of the moment.

    Raises:
        DeviceError: if there is no such device.
        ArgumentTypeError, DTypeError: if `dtype` is no dtype that tensors have.

    Example:
        >>> TensorDeviceType(dtype=float64).as_torch_dict()
        {'device': device(type='cpu'), 'dtype': glassgrad.float64}
    """

    device: Device = CPU
    dtype: _dtypes.dtype = float32

    def __post_init__(self) -> None:
        object.__setattr__(self, "device", Device(self.device))
        object.__setattr__(self, "dtype", dtype_of(self.dtype))

    def as_torch_dict(self) -> dict[str, Any]:
        """Device and dtype as keyword arguments: `zeros(3, **tensor_args.as_torch_dict())`."""
        return {"device": self.device, "dtype": self.dtype}

    def to_device(self, data: Any) -> Tensor:
        """Data as a tensor of this device and dtype; a tensor that is one already comes back."""
        return as_tensor(data, **self.as_torch_dict())


def dtype_of(dtype: Any) -> _dtypes.dtype:
    """The dtype that is meant; None means the default dtype, as in `zeros(3, dtype=None)`."""
    return get_default_dtype() if dtype is None else public(as_dtype(dtype))


def settings_of(tensor_args: TensorDeviceType) -> dict[str, Any]:
    """Device and dtype for what a function makes.

    Raises:
        ArgumentTypeError: if `tensor_args` is no TensorDeviceType.
    """
    if not isinstance(tensor_args, TensorDeviceType):
        raise ArgumentTypeError(
            f"tensor_args must be a TensorDeviceType, got {tensor_args!r}. It says which device "
            "and dtype new tensors get. Write `TensorDeviceType()` for float32 on the CPU."
        )
    return tensor_args.as_torch_dict()


@dataclass(eq=False, slots=True)
class JointState:
    """Positions of joints, with as many derivatives as are known.

    Args:
        position: shape `(B, D)`, `(B, H, D)` or any other with the joints last; or nested lists,
            which become a tensor by `tensor_args`. None makes a blank state, to be filled.
        velocity, acceleration: the first two derivatives, of the same shape, or None.
        joint_names: a name for each joint, or None.
        jerk: the third derivative, or None. It stands behind the names.
        tensor_args: what lists are made into.

    Raises:
        ArgumentError: for lists that are ragged.

    Example:
        >>> start = JointState(tensor([[0.1, 0.4]]), velocity=zeros(1, 2))
        >>> start.unsqueeze(1).position.shape, start.acceleration
        (glassgrad.Size([1, 1, 2]), None)
    """

    position: Any = None
    velocity: Any = None
    acceleration: Any = None
    joint_names: list[str] | None = None
    jerk: Any = None
    tensor_args: TensorDeviceType = field(default_factory=TensorDeviceType)

    def __post_init__(self) -> None:
        for name in _FIELDS:
            value = getattr(self, name)
            if value is not None and not isinstance(value, Tensor):
                setattr(self, name, as_tensor(value, **settings_of(self.tensor_args)))

    @classmethod
    def zeros(
        cls,
        size: Sequence[int],
        tensor_args: TensorDeviceType,
        joint_names: list[str] | None = None,
    ) -> Self:
        """A state at rest at the origin: four tensors of zeros, none sharing memory.

        Args:
            size: their shape, the joints last.
            tensor_args: their device and dtype.
            joint_names: a name for each joint, or None.

        Raises:
            ShapeError: for a negative size.

        Example:
            >>> JointState.zeros((2, 3), TensorDeviceType()).jerk.shape
            glassgrad.Size([2, 3])
        """
        made = {name: zeros(size, **settings_of(tensor_args)) for name in _FIELDS}
        return cls(**made, joint_names=joint_names, tensor_args=tensor_args)

    @classmethod
    def from_position(cls, position: Any, joint_names: list[str] | None = None) -> Self:
        """A state at rest at `position`: its derivatives are zeros of that shape.

        Args:
            position: kept as it is, not copied.
            joint_names: a name for each joint, or None.

        Example:
            >>> JointState.from_position(tensor([[0.1, 0.4]])).velocity
            tensor([[0., 0.]])
        """
        position = cls(position).position  # of lists, a tensor
        velocity, acceleration, jerk = [zeros_like(position) for _ in range(3)]
        settings = TensorDeviceType(position.device, position.dtype)
        return cls(position, velocity, acceleration, joint_names, jerk, settings)

    def __len__(self) -> int:
        return 0 if self.position is None else len(self.position)

    def __iter__(self) -> Iterator[Self]:
        for idx in range(len(self)):
            yield self[idx]

    def __getitem__(self, idx: Any) -> Self:
        """The state at some places of the first axis.

        Args:
            idx: an int, which takes that axis away, or a tensor of integers, which may repeat.

        Raises:
            ArgumentError: if a place is outside of the axis or no integer, or the state is blank.

        Example:
            >>> moving = JointState(tensor([[0.1, 0.4], [0.2, 0.5]]))
            >>> moving[1].position
            tensor([0.2000, 0.5000])
            >>> moving[tensor([1, 1, 0])].position.shape
            glassgrad.Size([3, 2])
        """
        if self.position is None:
            raise ArgumentError(
                f"index {idx} was asked of a JointState without a position. It is blank, so that "
                "there is nothing to choose from. Fill it first: `state.position = …`."
            )
        try:
            return self._each(lambda value: value[idx])
        except IndexError:
            raise ArgumentError(
                f"index {idx} is out of range for a JointState of length {len(self)}, or no index. "
                f"It chooses along the first axis of fields like {tuple(self.position.shape)}. "
                f"Write an int from {-len(self)} to {len(self) - 1}, or a tensor of them."
            )

    def unsqueeze(self, idx: int) -> Self:
        """The same state with an axis of size 1 at `idx`; views, and None stays None."""
        return self._each(lambda value: value.unsqueeze(idx))

    def detach(self) -> Self:
        """The same values outside of the graph; they share their memory."""
        return self._each(lambda value: value.detach())

    def clone(self) -> Self:
        """A copy with memory of its own; gradients flow through it."""
        return self._each(clone)

    def _each(self, change: Callable[[Any], Any]) -> Self:
        """A new state of what `change` makes of each tensor that is there."""
        held = {name: getattr(self, name) for name in _FIELDS}
        made = {name: None if value is None else change(value) for name, value in held.items()}
        names = None if self.joint_names is None else list(self.joint_names)
        return type(self)(**made, joint_names=names, tensor_args=self.tensor_args)


_FIELDS = ("position", "velocity", "acceleration", "jerk")


def check_state(name: str, state: Any) -> None:
    """Raise if an argument is no JointState.

    Raises:
        ArgumentTypeError: if it is none.
    """
    if not isinstance(state, JointState):
        raise ArgumentTypeError(
            f"{name} must be a JointState, got {type(state).__name__}. Its fields are the position "
            "and its derivatives. Write `JointState(position, velocity, acceleration)`."
        )


def field_of(state: JointState, of: str, name: str) -> Tensor:
    """A field of a state that has to be there.

    Raises:
        ArgumentError: if it is None.
        ArgumentTypeError: if `state` is no JointState.
    """
    check_state(of, state)
    value: Tensor | None = getattr(state, name)
    if value is None:
        raise ArgumentError(
            f"{of}.{name} is None. The step needs a tensor there. "
            f"Write `JointState.zeros(…)`, or `{of}.{name} = …`."
        )
    return value
