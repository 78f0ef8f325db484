"""Raise at any line of glassgrad's that a program reaches, and look what is left behind."""

import gc
import sys
import threading
from pathlib import Path

import numpy as np

import glassgrad as gg
from glassgrad.core import state
from glassgrad.ops.generator import default_generator

HOME = str(Path(gg.__file__).parent)


class Broken(RuntimeError):
    """Raised at a line of the code under test, as an error may be."""


def interrupted_at(number, run, kind=KeyboardInterrupt):
    """Run, and raise at the given line of glassgrad's that is reached: where that was, or None."""
    count, found = 0, None

    def trace(frame, event, _):
        nonlocal count, found
        if event == "line":
            count += 1
            if count == number:
                code = frame.f_code
                found = f"{code.co_filename.removeprefix(HOME)}:{frame.f_lineno} {code.co_qualname}"
                sys.settrace(None)
                raise kind
        return trace

    def begin(frame, event, arg):
        return trace(frame, event, arg) if frame.f_code.co_filename.startswith(HOME) else None

    sys.settrace(begin)
    try:
        run()
    except (kind, Failed):
        pass
    except Exception:  # what was made of it
        if found is None:
            raise
    finally:
        sys.settrace(None)
    return found


class Failed(Exception):
    """What programs raise themselves."""


# What is there -----------------------------------------------------------------------------------

_GROWING = {"last_write", "is_ours", "_constants"}
"""Counters and caches."""

_SIMPLE = bool, int, tuple, type(None)


def _places():
    """What may be left changed: the variables of glassgrad's modules, each once."""
    seen = set()
    for name, module in sorted(sys.modules.items()):
        if not name.startswith("glassgrad") or not hasattr(module, "__dict__"):
            continue
        for key, value in sorted(vars(module).items()):
            if key.startswith("__") or key in _GROWING or key.isupper():
                continue
            is_kept = isinstance(value, (list, set, dict, threading.local))
            if (is_kept and id(value) not in seen) or type(value) in _SIMPLE:
                seen.add(id(value)) if is_kept else None
                yield name, key, vars(module)


def _locks():
    """The locks of glassgrad's modules."""
    for name, module in sorted(sys.modules.items()):
        if name.startswith("glassgrad"):
            for key, value in sorted(vars(module).items()):
                if isinstance(value, type(threading.RLock())):
                    yield f"{name}.{key}", value


class Now:
    """What is there, of which a program that was interrupted must leave all as it was."""

    def __init__(self):
        self.places = list(_places())
        self.locks = list(_locks())

    def take(self):
        """All of it, by name."""
        taken = {(name, key): _copy(home[key]) for name, key, home in self.places}
        taken["numpy.errstate"] = np.geterr()
        taken["default dtype"] = gg.get_default_dtype()
        taken["profiler"] = sys.getprofile()
        taken["hooks"] = sys.displayhook, sys.excepthook, list(sys.meta_path)
        taken["streams"] = sys.stdout, sys.stderr
        taken["threads"] = threading.active_count()
        taken["class of passes"] = state.plugs.task
        taken["garbage is looked for"] = gc.isenabled()
        taken["locks that are held"] = [name for name, lock in self.locks if lock._is_owned()]
        return taken

    def restore(self, taken):
        """Put back what is not as it was, so that it is told of once."""
        for name, key, home in self.places:
            value, before = home[key], taken[name, key]
            if _same(_copy(value), before):
                continue
            if isinstance(value, threading.local):
                vars(value).clear()
                vars(value).update(before)
            elif isinstance(value, (set, dict)):
                value.clear()
                value.update(before)
            elif isinstance(value, list):
                value[:] = before
            else:
                home[key] = before
        np.seterr(**taken["numpy.errstate"])
        gg.set_default_dtype(taken["default dtype"])
        sys.setprofile(taken["profiler"])
        sys.displayhook, sys.excepthook, sys.meta_path[:] = taken["hooks"]
        sys.stdout, sys.stderr = taken["streams"]
        (gc.enable if taken["garbage is looked for"] else gc.disable)()
        for _, lock in self.locks:
            while lock._is_owned():
                lock.release()
        state.plugs.task = taken["class of passes"]


def _copy(value):
    if isinstance(value, threading.local):
        return dict(vars(value))
    return type(value)(value) if type(value) in (list, set, dict) else value


def changed(before, after):
    """The names of what is not as it was."""
    return [
        "".join(k) if isinstance(k, str) else ".".join(k)
        for k in before
        if not _same(before[k], after.get(k))
    ]


def _same(a, b):
    try:
        return a is b or bool(a == b)
    except Exception:  # noqa: BLE001  # such as the truth of several elements
        return False


# Whether it goes on ------------------------------------------------------------------------------


def plain_pass():
    """What the shortest program gives."""
    x = gg.tensor([1.0, -2.0, 3.0], requires_grad=True)
    y = (x.tanh() * x).sum()
    y.backward()
    return y.item(), x.grad.tolist(), y.grad_fn.name()


def _drawn():
    return default_generator.get_state().payload.tobytes()


class Rehearsal:
    """A program: played, interrupted at any line, and played again.

    Args:
        make: makes what the program needs, and returns what plays it: a function whose results
            are compared.
    """

    def __init__(self, make):
        self.make = make
        gg.manual_seed(0)
        for _ in range(2):  # files of ops are read on first use, and caches filled
            self.play(make())
        gg.manual_seed(0)
        self.wanted = self.play(make())
        self.again = self._twice()
        self.plain = plain_pass()
        self.now = Now()

    def play(self, run):
        try:
            return run()
        except Failed:
            return "failed"

    def _twice(self):
        run = self.make()
        self.play(run)
        gg.manual_seed(0)
        return self.play(run)

    def lines(self):
        """The lines of glassgrad's that it runs, in order: each a code object and a number."""
        found = []

        def trace(frame, event, _):
            if event == "line":
                found.append((frame.f_code, frame.f_lineno))
            return trace

        def begin(frame, event, arg):
            is_ours = frame.f_code.co_filename.startswith(HOME)
            return trace(frame, event, arg) if is_ours else None

        run = self.make()
        gg.manual_seed(0)
        sys.settrace(begin)
        try:
            self.play(run)
        finally:
            sys.settrace(None)
        return found

    def at(self, number, kind):
        """What is wrong after an exception at one line: "" if nothing is; None if none was."""
        run = self.make()
        gg.manual_seed(0)
        before, drawn = self.now.take(), _drawn()
        unheard: list[str] = []
        hook, sys.unraisablehook = sys.unraisablehook, lambda it: unheard.append(repr(it.exc_value))
        try:
            where = interrupted_at(number, run, kind)
        finally:
            sys.unraisablehook = hook
        if where is None:
            return None
        wrong = [f"nobody heard of {error}" for error in unheard]
        wrong += [f"left: {name}" for name in changed(before, self.now.take())]
        if getattr(run, "draws_nothing", False) and _drawn() != drawn:
            wrong.append("left: random numbers")
        try:
            if plain_pass() != self.plain:
                wrong.append("the next plain pass is wrong")
        except Exception as error:  # noqa: BLE001
            wrong.append(f"the next plain pass fails: {error!r:.150}")
        for word, again in (("again", run), ("anew", self.make())):
            gg.manual_seed(0)
            try:
                found = self.play(again)
                if not (_same(found, self.wanted) or (again is run and _same(found, self.again))):
                    wrong.append(f"{word} it gives {found}, not {self.wanted}"[:200])
            except Exception as error:  # noqa: BLE001
                wrong.append(f"{word} it fails: {error!r:.150}")
        after = self.now.take()
        wrong += [f"after that, left: {name}" for name in changed(before, after)]
        if wrong:
            self.now.restore(before)
        return where, wrong
