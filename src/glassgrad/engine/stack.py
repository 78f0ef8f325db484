"""A fresh stack for a backward pass that runs deep inside others."""

import threading
from collections.abc import Callable

from glassgrad.core.state import modes_to_hand_over, take_over

__all__ = ["MAX_DEPTH", "on_fresh_stack"]

MAX_DEPTH = 20
"""How many passes may run inside each other before the next one gets a stack of its own."""


def on_fresh_stack(run: Callable[[], None]) -> None:
    """Call `run` in another thread and wait: backward inside backward may go deeper than a stack.

    The thread has this one's modes, and the transforms that are open here are open there; an
    exception arrives here.
    """
    given, failed = modes_to_hand_over(), []

    def work() -> None:
        take_over(given)
        try:
            run()
        except BaseException as error:  # noqa: BLE001  # raised again below, whatever it is
            failed.append(error)

    thread = threading.Thread(target=work, name="glassgrad-backward")
    thread.start()
    thread.join()
    if failed:
        raise failed.pop()
