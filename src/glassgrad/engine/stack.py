"""A fresh stack for a backward pass that runs deep inside others."""

import threading
from collections.abc import Callable

from glassgrad.core.state import modes, set_hook_pairs, set_modes

__all__ = ["MAX_DEPTH", "on_fresh_stack"]

MAX_DEPTH = 20
"""How many passes may run inside each other before the next one gets a stack of its own."""


def on_fresh_stack(run: Callable[[], None]) -> None:
    """Call `run` in another thread and wait: backward inside backward may go deeper than a stack.

    The thread starts in this one's grad mode and with its saved-tensor hooks; an exception
    arrives here.
    """
    grad_mode, pairs, failed = (modes.grad, modes.inference), modes.hook_pairs, []

    def work() -> None:
        set_modes(*grad_mode)
        set_hook_pairs(pairs)
        try:
            run()
        except BaseException as error:  # noqa: BLE001  # raised again below, whatever it is
            failed.append(error)

    thread = threading.Thread(target=work, name="glassgrad-backward")
    thread.start()
    thread.join()
    if failed:
        raise failed.pop()
