"""`torch.utils.tensorboard`: what a program reports of its training, as lines of JSON in a file.

TensorBoard's own files are not written. Each line of `scalars.jsonl` is a dict: the tag, the step,
the time and the value; of what is no number or text, only what kind it is.
"""

import json
import time
from pathlib import Path
from typing import Any, Self

__all__ = ["SummaryWriter"]

_KINDS = "figure graph histogram image images mesh embedding audio video pr_curve hparams"


class SummaryWriter:
    """Writes what it is told to `log_dir/scalars.jsonl`.

    Args:
        log_dir: the folder; None: one below `runs`, named by the time.
        comment: the end of that name.
        purge_step, max_queue, flush_secs, filename_suffix: accepted, without effect.
    """

    def __init__(self, log_dir: Any = None, comment: str = "", **_others: Any) -> None:
        name = Path("runs") / (time.strftime("%b%d_%H-%M-%S") + comment)
        self.log_dir = str(log_dir or name)
        Path(self.log_dir).mkdir(parents=True, exist_ok=True)
        self._file = (Path(self.log_dir) / "scalars.jsonl").open("a", encoding="utf-8")

    def _write(self, tag: str, value: Any, step: Any, walltime: float | None) -> None:
        record = {"tag": tag, "value": value, "step": step, "time": walltime or time.time()}
        self._file.write(json.dumps(record, default=float) + "\n")

    def add_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        **_others: Any,
    ) -> None:
        """Write a number."""
        self._write(tag, float(scalar_value), global_step, walltime)

    def add_scalars(
        self,
        main_tag: str,
        tag_scalar_dict: dict[str, Any],
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Write several numbers."""
        for tag, value in tag_scalar_dict.items():
            self.add_scalar(f"{main_tag}/{tag}", value, global_step, walltime)

    def add_text(
        self,
        tag: str,
        text_string: str,
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Write a text."""
        self._write(tag, text_string, global_step, walltime)

    def __getattr__(self, name: str) -> Any:
        kind = name.removeprefix("add_")
        if kind == name or kind not in _KINDS.split():
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

        def add(tag: Any = "", *_given: Any, global_step: Any = None, **_named: Any) -> None:
            self._write(tag if isinstance(tag, str) else "", {"kind": kind}, global_step, None)

        return add

    def get_logdir(self) -> str:
        """The folder."""
        return self.log_dir

    def flush(self) -> None:
        """See that all is in the file."""
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()
