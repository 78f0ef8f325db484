"""The story of a pass: for each node one sentence of what it did, in words and with its numbers.

    tanh (line 6) got 1, times 1 − 0.762² = 0.42, sends 0.42 to mul.
    mul (line 6) got 0.42, sends 0.42·2 = 0.84 to w and 0.42·0.5 = 0.21 to x.
    w got 0.84: w.grad was 0.5, now 0.5 + 0.84 = 1.34.

A sentence is made of the events of the node's turn alone, and of those before it. So it is the same
in the log of a pass that is paused there, and says nothing of what has not happened.

Who checks the arithmetic by hand finds it right: all numbers of a sentence have as many digits as
that takes. Where no number of digits does, or an array has more than four elements, there are
shapes, norms and the formula instead.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from glassgrad._words import listed, one_line, plain, shape_text
from glassgrad.tracing.events import Trace
from glassgrad.tracing.graph import Entry
from glassgrad.tracing.summary import examples_in_words
from glassgrad.viz.explaining.entries import op_named
from glassgrad.viz.explaining.formulas import (
    BAR,
    LEAVES,
    Term,
    as_written,
    formulas_of,
    letters_of,
    signs_of,
    terms,
    text,
)
from glassgrad.viz.explaining.in_numbers import TooMuchError, names_of_letters
from glassgrad.viz.memory import completed
from glassgrad.viz.results import Parts
from glassgrad.viz.whose import Whose
from glassgrad.viz.wording import op_word, recomputing, tensor_name

from .numbers import (
    TRIED,
    Digits,
    Rule,
    array_words,
    bare,
    comes_out,
    in_digits,
    is_small,
    numbers_text,
    rule_of,
    summed,
    value_of,
    values_of,
)
from .turns import ArrayName, Turn, turns_of

PASSED_ON = "passes it on"
WRITTEN = "applies the rule of the write to the part that was written"
MOST_PARTS = 3  # gradients that meet at a node and are told one by one
EXACT = 17  # digits, of numbers that are added up
LONGEST_MESSAGE = 600  # characters of what an error says
LONGEST_RULE = 120  # of a rule in numbers
_SOURCE = re.compile(r"(?:(.*), )?(line \d+)(?:: `(.*)`)?\Z", re.DOTALL)


class Place(NamedTuple):
    """Where in the program a node was made: "cell 3", "line 2", and what is written there."""

    file: str
    line: str
    code: str


class Story(Parts):
    r"""What the nodes of a pass did, and what the calls in the forward pass gave.

    Args:
        trace: the log.
        explain: what is known of the nodes, by id, as `viz.explaining` has it: formulas with
            numbers that the log does not have.

    Example:
        >>> w = tensor(0.5, requires_grad=True)
        >>> w.name = "w"
        >>> for sentence in Story(record(w * w)).sentences().values():
        ...     print(re.sub(r" \(line .*?\)", "", sentence))
        mul got 1, sends 1·0.5 = 0.5 to w and 1·0.5 = 0.5 to w.
        w got 0.5 + 0.5 = 1: w.grad was empty, now 1.
    """

    def __init__(self, trace: Trace, explain: Entry | None = None) -> None:
        super().__init__(trace := completed(trace))
        self.explain = explain or {}
        self.turns = turns_of(trace)
        words = Counter(map(op_word, trace.nodes))
        self._whose = Whose(trace)
        self._several = {e["to"] for node in trace.nodes for e in node["edges"] if e["slot"]}
        self._shared = {word for word, count in words.items() if count > 1}
        self._ran = {name: turn for turn, name in enumerate(trace.schedule(), 1)}
        self._hooks = {hook["id"]: hook for node in trace.nodes for hook in node.get("hooks", ())}

    def sentences(self, nodes: Iterable[str] | None = None) -> dict[str, str]:
        """By node, what it has done until now; of those that have begun.

        Args:
            nodes: the ids of those that are asked for; None for all.
        """
        wanted = self.turns if nodes is None else [name for name in nodes if name in self.turns]
        return {name: self.sentence(name) for name in wanted}

    def sentence(self, node: str) -> str:
        """What a node that has begun has done until now, in one sentence."""
        turn = self.turns[node]
        told = self._of_leaf(turn) if node in self.leaf_of else self._of_op(turn)
        return told + self._ending(turn)

    def last(self) -> str:
        """The sentence of the node that ran last, behind those of what ran again for it."""
        if not self.turns:
            return ""
        node = next(reversed(self.turns))
        events = [event for event in self.turns[node].events if event["type"] == "recompute"]
        return " ".join(
            [*[recomputing(self.trace, event) for event in events], self.sentence(node)]
        )

    # Names --------------------------------------------------------------------------------------

    def name(self, node: str) -> str:
        """A node whose sentence it is: "tanh", "mul #4" of several, by the turn its badge shows."""
        word = op_word(self.nodes[node])
        return f"{word} #{self._turn(node)}" if word in self._shared else word

    def _turn(self, node: str) -> int:
        """Its turn, from 1; of a node that is in it, the one behind those that are over."""
        return self._ran.get(node, len(self._ran) + 1)

    def _goal(self, node: str, of: str) -> str:
        """Where a gradient goes: a leaf's name or an op, with its line if the sender has another.

        The goal's turn is still to come, so that no number can be told.
        """
        if node in self.leaf_of:
            return tensor_name(self.leaf_of[node])
        word, line = op_word(self.nodes[node]), self.where(node)
        is_told = word in self._shared and node in self._places and line != self.where(of)
        return f"{word} of {line}" if is_told else word

    def where(self, node: str) -> str:
        """The line of the program that made a node: "line 3"; empty if that is not known."""
        place = self._places.get(node)
        if place is None:
            _, _, rule = self.nodes[node].get("src", "").partition("inside glassgrad's ")
            return plain(f"in {rule}") if rule else ""
        return f"{place.file}, {place.line}" if self._is_told(place.file) else place.line

    def _is_told(self, file: str) -> bool:
        """Whether the file is named: in a notebook, and where lines are of several."""
        return bool(file) and (len(self._files) > 1 or re.match(r"cell \d", file) is not None)

    @cached_property
    def _places(self) -> dict[str, Place]:
        found = {}
        for name, node in self.nodes.items():
            if match := _SOURCE.match(node.get("src", "")):
                file, line, code = match.groups(default="")
                found[name] = Place(plain(file, 60), line, plain(code, 80))
        return found

    @cached_property
    def _files(self) -> set[str]:
        return {place.file for place in self._places.values()}

    # A node's turn ------------------------------------------------------------------------------

    def _of_op(self, turn: Turn) -> str:
        node, hooks, rule, into = turn.node, turn.hooks, turn.rule, turn.into
        line = self.where(node)
        head = f"{self.name(node)} ({line})" if line else self.name(node)
        if not hooks and rule is None:
            return f"{head} got {self._got(turn, TRIED[0])}" if into else f"{head} has begun"
        if not any(into) and not any(hook["after"] != hook["before"] for hook in hooks):
            return f"{head} got no gradient, and sends none on"
        after = [event for event in turn.events if event["type"] == "post_hook"]
        shown, is_in_numbers = self._digits(turn)
        parts = [f"{head} got {self._got(turn, shown)}"]
        kept = [
            f"keeps it as {x['name'] or 'its output'}.grad"
            for x in self.nodes[node].get("retains", ())
        ]
        for hook in hooks:
            if self._hooks.get(hook["hook"], {}).get("kind") != "tensor":  # those run before
                parts, kept = parts + kept, []
            parts.append(self._hook(hook, shown.given))
        parts += kept if len(into) == 1 and rule is not None else []
        if rule is not None:
            ways, told = self._rule(turn, shown, is_in_numbers)
            sent = self._sends(turn, after[-1]["after"] if after else turn.made, shown, ways)
            if told == PASSED_ON and not after and sent:
                told, sent = "", self._sends(turn, turn.made, shown, is_told=True)
            parts += [told, *[self._hook(hook, shown.made, "the result") for hook in after]]
            parts.append(sent)
        return ", ".join(filter(None, parts))

    def _got(self, turn: Turn, digits: Digits) -> str:
        """What has come: the gradient, of what it is the sum, or which output has got which."""
        arrays, into = self.trace.arrays, turn.into
        if len(into) > 1:
            each = [
                f"{self._array(name, digits.given)} for output {number}"
                for number, name in enumerate(into, 1)
                if name is not None
            ]
            return listed(each) + f" of {len(into)}" * (len(each) < len(into))
        (name,) = into
        total, count = self._array(name, digits.given), len(turn.given)
        if name is not None and not is_small(arrays[name]):
            total = f"{shape_text(arrays[name]['shape'])}{self._about(name)}"
            if count < 2:
                return f"a gradient {total}"
        if count < 2:
            return total
        if self._is_sum(turn) and self._sum_is_right(turn, digits):
            return f"{self._added(turn.given, digits)} = {total}"
        return f"{count} gradients, whose sum is {total}"

    def _about(self, name: str) -> str:
        array = self.trace.arrays[name]
        words = array_words(array).removeprefix(
            f"{examples_in_words(array)}{shape_text(array['shape'])}"
        )
        examples = examples_in_words(array)
        return f"{words}, {examples.strip(' ×')} examples" if examples else words

    def _is_sum(self, turn: Turn) -> bool:
        """Whether what came is one sum, whose parts are known, small, and few."""
        known = [part for part in turn.given if part is not None]
        arrays = self.trace.arrays
        is_known = 2 <= len(known) == len(turn.given) <= MOST_PARTS and len(turn.into) == 1
        return is_known and turn.into != [None] and all(is_small(arrays[part]) for part in known)

    def _hook(self, event: Entry, digits: int, what: str = "it") -> str:
        """What a hook of the user's did with the gradient, or with the rule's result."""
        name = self._hooks.get(event["hook"], {}).get("name", "")
        is_named = name.isidentifier() and name != "hook"
        whose = f"your hook {plain(name)}" if is_named else "a hook of yours"
        if event["before"] == event["after"]:
            return f"{whose} looked at {what}"
        changed = [self._array(array, digits) for array in event["after"]]
        return f"{whose} changed {what} to {' and '.join(changed)}"

    def _rule(self, turn: Turn, digits: Digits, is_in_numbers: bool) -> tuple[dict[int, str], str]:
        """By edge, how its result comes about; and what the rule did, if that is told at once."""
        node = self.nodes[turn.node]
        goals = [at for at, edge in enumerate(node["edges"]) if edge["to"] is not None]
        rules = {at: self._rule_at(node, at) for at in goals}
        if node.get("user") or node["op"] == "CopySlices":
            return {}, "runs its own backward" if node.get("user") else WRITTEN
        if not is_in_numbers:
            return self._in_symbols(turn, rules)
        if all(_is_passed_on(rule) for rule in rules.values()):
            return {}, PASSED_ON
        first = rules[goals[0]]
        if len(goals) == 1 and first.factor is not None and not first.is_of_matrices:
            return {}, self._times(turn, first.factor, digits)
        filled = {
            at: self._filled(turn, rule.formula, digits)
            for at, rule in rules.items()
            if rule.formula is not None and not _is_passed_on(rule)
        }
        ways = {}
        for at, way in filled.items():
            result = self.trace.arrays[turn.made[at] or ""]
            value = self._value(turn, rules[at], digits)
            if way.replace("−", "-") != array_words(result, digits.made):
                ways[at] = f"{way} = "
            if list(np.shape(value)) != result["shape"]:  # PyTorch's rules sum up themselves
                ways[at] = f"{way} = {numbers_text(value, digits.factor)}, summed to "
        return ways, ""

    def _value(self, turn: Turn, rule: Rule, digits: Digits) -> Any:
        """What a rule makes of the numbers that are shown."""
        letters = self._letters(turn, digits.given)
        return value_of(_formula(rule), letters, is_of_matrices=rule.is_of_matrices)

    def _rule_at(self, node: Entry, at: int) -> Rule:
        return Rule() if node.get("user") else rule_of(node["op"], len(node["edges"]), at)

    def _times(self, turn: Turn, factor: Term, digits: Digits) -> str:
        """What the gradient is multiplied by, with its numbers."""
        filled = self._filled(turn, bare(factor), digits)
        if factor.kind in LEAVES:
            return f"times {filled}"
        value = value_of(factor, self._letters(turn, digits.given))
        return f"times {filled} = {numbers_text(value, digits.factor)}"

    def _filled(self, turn: Turn, term: Term, digits: Digits) -> str:
        """A formula with numbers in the places of its letters."""
        names = self._named(turn)

        def number(leaf: Term) -> str:
            words = self._array(names[as_written(leaf).lower()], digits.given)
            return words if leaf == term else in_place(words)

        return text(term, number)

    def _in_symbols(self, turn: Turn, rules: dict[int, Rule]) -> tuple[dict[int, str], str]:
        """The same where not all numbers are there, or too many of them."""
        node, arrays = self.nodes[turn.node], [*turn.entering, *turn.made]
        known = [rule for rule in rules.values() if rule.formula is not None]
        if not known:
            return {}, ""
        if all(_is_passed_on(rule) for rule in known):
            first = next(filter(None, turn.made), None)
            is_alike = all(rule.is_whole for rule in known) or first in turn.entering
            return {}, PASSED_ON if is_alike else "gives that to each element"
        if len(rules) == 1 and (share := self._share(known[0], arrays)):
            return {}, f"gives {share} of that to each element"
        is_short = all(is_small(self.trace.arrays[name]) for name in arrays if name)
        if is_short and (ways := self._explained(node, rules)):
            return ways, ""
        if all(map(_is_put_back, known)):
            return {}, "puts it where it came from, with 0 elsewhere"
        of = "the conjugate of " * node.get("dtype", "").startswith("complex")
        factors = [bare(rule.factor) for rule in known if rule.factor]
        words = dict.fromkeys(of + self._factor(node, factor) for factor in factors)
        told = [f"multiplies it by {listed(list(words), ' and by ')}"] * bool(words)
        told += ["sums it up"] * any(map(_is_sum_of_gradient, known))
        others = [
            rule for rule in known if rule.factor is None and not _is_sum_of_gradient(rule)
        ]  # fmt: skip
        if others:
            written = [f"{rule.left} = {text(_formula(rule))}" for rule in others]
            gist = getattr(op_named(node["op"], len(node["edges"])), "gist", "")
            told.append((f"takes {gist}: " if gist else "uses ") + ", ".join(written))
        return {}, " and ".join(told) + self._where(node, [*factors, *map(_formula, others)])

    def _where(self, node: Entry, written: list[Term]) -> str:
        """What the letters of formulas stand for: ", where y is what it gave"."""
        found = formulas_of(op_named(node["op"], len(node["edges"])))
        assert found is not None
        equations = {sign: each for each in found.where for sign in signs_of(each.left)}
        written = [each for each in written if not _is_letter(each) or each.sign in equations]
        letters: dict[str, str] = {}
        defined: dict[str, None] = {}
        for term in written:  # which grows meanwhile
            for leaf in terms(term):
                letter = leaf.sign
                if leaf.kind != "name" or letter in letters:
                    continue
                letters[letter] = "" if letter in equations else self._letter(node, letter)
                if letter in equations:
                    defined[text(equations[letter])] = None
                    written.append(equations[letter].right)
        where = [f"{letter} is {name}" for letter, name in letters.items() if name] + [*defined]
        return f", where {listed(where)}" if where else ""

    def _letter(self, node: Entry, letter: str) -> str:
        """What a letter of a node's formulas stands for; empty if that is known by the letter."""
        cls = op_named(node["op"], len(node["edges"]))
        found, called = formulas_of(cls), letters_of(cls).get(letter, letter)
        results = list(found.results) if found else []
        if letter in results:
            several = len(results) > 1
            return f"its output {results.index(letter) + 1}" if several else "what it gave"
        name = names_of_letters(cls, node, self._whose).get(letter)
        is_saved = any(saved["name"] == called for saved in node.get("saved", ()))
        if name or called == letter:
            return name or ""
        return f"what it saved as {called}" if is_saved else f"its {called}"

    def _share(self, rule: Rule, names: list[ArrayName]) -> str:
        """The part of the gradient that each element gets: "1/3" of a mean."""
        formula = rule.formula
        arrays = [self.trace.arrays[name] for name in names if name is not None]
        is_share = formula is not None and formula.kind == "binary" and formula.sign == "/"
        if not is_share or formula is None or len(arrays) != 2:
            return ""
        over, under = formula.parts
        if over.kind != "gradient" or under != Term("name", "n"):
            return ""
        given, got = (math.prod(array["shape"]) for array in arrays)
        return f"1/{got // given}" if given else ""

    def _explained(self, node: Entry, rules: dict[int, Rule]) -> dict[int, str]:
        """By edge, the rule in numbers as `explain` had it: it knows some that the log has not."""
        rows = self.explain.get(node["id"], {}).get("rows", ())
        told = {key: words for section, key, words in rows if section == "rule"}
        ways = {}
        for at, rule in rules.items():
            words = told.get(rule.left, "")
            _, *rest = words.split(" = ")
            is_filled = len(rest) == 2 and not re.search(r", (where|so|summed) |;", words)
            if is_filled and len(rest[0]) < LONGEST_RULE:
                ways[at] = f"{rest[0]} = "
            elif not _is_passed_on(rule):
                return {}
        return ways

    def _factor(self, node: Entry, factor: Term) -> str:
        """A factor; of a letter alone the name of what was saved, and its shape: `wᵀ (4, 5)`."""
        if not _is_letter(factor):
            return text(factor)
        is_transposed = factor.kind == "transpose"
        letter = (factor.parts[0] if is_transposed else factor).sign
        called = letters_of(op_named(node["op"], len(node["edges"]))).get(letter)
        saved = {each["name"]: each for each in node.get("saved", ())}
        shape = saved.get(called, {}).get("shape")
        if shape and is_transposed:
            shape = [*shape[:-2], *reversed(shape[-2:])]
        words = self._letter(node, letter) or letter
        if is_transposed:
            words = f"{words}, transposed" if " " in words else f"{words}ᵀ"
        return f"{words} {shape_text(shape)}" if shape else words

    def _sends(
        self,
        turn: Turn,
        made: list[ArrayName],
        digits: Digits,
        ways: dict[int, str] | None = None,
        *,
        is_told: bool = False,
    ) -> str:
        """Where the results have gone, as far as they have been handed on.

        Args:
            ways: by edge, how its result comes about.
            is_told: the results are what came, which the sentence has told already.
        """
        node, parts = self.nodes[turn.node], []
        arrivals = {event.get("edge"): event for event in turn.events if event["type"] == "buffer"}
        for at, edge in enumerate(node["edges"]):
            arrival = arrivals.get(f"e{turn.node[1:]}-{at}")
            if edge["to"] is None or arrival is None or at >= len(made):
                continue
            goal = self._goal(edge["to"], turn.node)
            if edge["to"] in self._several:
                goal += f", output {edge['slot'] + 1}"
            array = made[at]
            if array is None:
                parts.append(f"no gradient to {goal}")
                continue
            summed = self._summed(edge, array, arrival, digits)
            if is_told:
                total = summed.removeprefix(", summed to ")
                parts.append(f"to {goal}" + (f" as its sum {total}" if total else ""))
                continue
            way = (ways or {}).get(at, "")
            summed += "," if summed or "summed to" in way else ""
            parts.append(f"{way}{self._array(array, digits.made)}{summed} to {goal}")
        return f"{PASSED_ON if is_told else 'sends'} {listed(parts)}" if parts else ""

    def _summed(self, edge: Entry, made: str, arrival: Entry, digits: Digits) -> str:
        """What the engine makes of a gradient whose operand was broadcast."""
        arrays = self.trace.arrays
        if "sum_to" not in edge or arrays[made]["shape"] == edge["sum_to"]:
            return ""
        total = arrival.get("grad") if arrival["have"] == 1 else None  # else with others in it
        if total:
            return f", summed to {array_words(arrays[total], digits.made)}"
        value = values_of(arrays[made], EXACT) if is_small(arrays[made]) else None
        value = None if value is None else summed(value, edge["sum_to"])
        into = shape_text(edge["sum_to"]) if value is None else numbers_text(value, digits.made)
        return f", summed to {into}"

    def _array(self, name: ArrayName, digits: int) -> str:
        return array_words(None if name is None else self.trace.arrays[name], digits)

    # A leaf's turn ------------------------------------------------------------------------------

    def _of_leaf(self, turn: Turn) -> str:
        name = tensor_name(self.leaf_of[turn.node])
        added = next((event for event in turn.events if event["type"] == "accumulate"), None)
        came, entering = ([*arrays, None][0] for arrays in (turn.into, turn.entering))
        if came is None and added is not None and added["grad"] is None:
            return f"{name} got no gradient: {name}.grad stays as it was"
        now: ArrayName = None if added is None else added["grad"]
        shown, is_right = self._digits_of_leaf(turn, entering, now)
        parts = []
        if came is not None:
            parts.append(f"{name} got {self._got(turn, shown)}")
        parts += [self._hook(hook, shown.given) for hook in turn.hooks]
        told = ", ".join(parts)
        if added is None:
            return told or f"{name} has begun"
        total = self._array(now, shown.given)
        if turn.before is None and entering is not None and now == entering:
            change = f"{name}.grad was empty, now {total}"
        elif turn.before is None or entering is None:
            change = f"{name}.grad is now {total}"
        else:
            way = f"{self._added([turn.before, entering], shown)} = " if is_right else ""
            before = self._array(turn.before, shown.given)
            change = f"{name}.grad was {before}, now {way}{self._array(now, shown.made)}"
        told = f"{told}: {change}" if told else change
        for hook in turn.events:
            if hook["type"] == "post_hook":
                told += f", {self._hook(hook, shown.given)}"
        return told

    def _ending(self, turn: Turn) -> str:
        last = turn.events[-1]
        if last["type"] != "error":
            return "."
        message = one_line(last["message"], LONGEST_MESSAGE)
        return f", and fails: {plain(last['error'])}: {message}"

    # Digits -------------------------------------------------------------------------------------

    def _digits(self, turn: Turn) -> tuple[Digits, bool]:
        """The least that makes all that is said come out right; whether the rule is told so."""
        node, arrays, made = self.nodes[turn.node], self.trace.arrays, turn.made
        goals = [at for at, edge in enumerate(node["edges"]) if edge["to"] is not None]
        rules = {at: self._rule_at(node, at) for at in goals if at < len(made) and made[at]}
        told = [name for name in (*turn.entering, *made) if name is not None]
        if len(rules) == len(goals) and all(is_small(arrays[name]) for name in told):
            for digits in TRIED:
                if self._sum_is_right(turn, digits) and all(
                    self._is_right(turn, rule, arrays[made[at] or ""], digits, len(goals) == 1)
                    for at, rule in rules.items()
                ):
                    return digits, True
        fitting = (digits for digits in TRIED if self._sum_is_right(turn, digits))
        return next(fitting, TRIED[0]), False

    def _is_right(
        self, turn: Turn, rule: Rule, result: Entry, digits: Digits, is_only: bool
    ) -> bool:
        """Whether the rule, done by hand with the numbers that are shown, gives what is shown."""
        if rule.formula is None or not rule.is_whole:
            return False
        if _is_passed_on(rule):
            return bool(self.trace.arrays.get(turn.entering[0] or "") == result)
        letters = self._letters(turn, digits.given)
        try:
            if is_only and rule.factor is not None and not rule.is_of_matrices:
                exact = value_of(rule.factor, self._letters(turn, 6))
                factor = value_of(rule.factor, letters)
                factor, exact = in_digits(factor, digits.factor), in_digits(exact, digits.factor)
                if not np.array_equal(factor, exact):
                    return False
                (came,) = [letters[letter] for letter in letters if BAR in letter]
                return comes_out(came * factor, result, digits.made)
            return comes_out(self._value(turn, rule, digits), result, digits.made)
        except (TooMuchError, ValueError, TypeError):
            return False

    def _sum_is_right(self, turn: Turn, digits: Digits) -> bool:
        if not self._is_sum(turn):
            return True
        arrays = self.trace.arrays
        parts = [values_of(arrays[part], digits.given) for part in turn.given if part]
        if any(part is None for part in parts):
            return False
        return comes_out(sum(parts), arrays[turn.into[0] or ""], digits.given)

    def _digits_of_leaf(
        self, turn: Turn, entering: ArrayName, now: ArrayName
    ) -> tuple[Digits, bool]:
        """The same of a leaf: whether what was added to its `.grad` is told in numbers."""
        arrays = self.trace.arrays
        added = [turn.before, entering, now]
        is_told = all(name is not None and is_small(arrays[name]) for name in added)
        fitting = [digits for digits in TRIED if self._sum_is_right(turn, digits)]
        for digits in fitting if is_told else ():
            values = [values_of(arrays[name or ""], digits.given) for name in added[:2]]
            is_known = all(value is not None for value in values)
            if is_known and comes_out(sum(values), arrays[now or ""], digits.made):
                return digits, True
        return (fitting or TRIED)[0], False

    def _added(self, names: list[ArrayName], digits: Digits) -> str:
        first, *others = [self._array(name, digits.given) for name in names]
        return " + ".join([first, *map(in_place, others)])

    def _named(self, turn: Turn) -> dict[str, ArrayName]:
        """The arrays that the letters of a node's formulas stand for; letters in lower case."""
        node = self.nodes[turn.node]
        cls = op_named(node["op"], len(node["edges"]))
        found = formulas_of(cls)
        assert found is not None
        letters = {name: letter for letter, name in reversed(letters_of(cls).items())}
        names: dict[str, ArrayName] = {
            letters[saved["name"]].lower(): saved.get("array")
            for saved in node.get("saved", ())
            if saved["name"] in letters
        }
        bars = [(letter + BAR).lower() for letter in found.results]
        return names | dict(zip(bars, turn.entering, strict=False))

    def _letters(self, turn: Turn, digits: int) -> dict[str, Any]:
        """The values that the letters of a node's formulas have, as they read in so many digits."""
        arrays, letters = self.trace.arrays, {}
        for letter, name in self._named(turn).items():
            if name is not None and is_small(arrays[name]):
                letters[letter] = values_of(arrays[name], digits)
        return letters


def _formula(rule: Rule) -> Term:
    assert rule.formula is not None
    return rule.formula


def _is_passed_on(rule: Rule) -> bool:
    """Whether the gradient of the operand is that of the result."""
    return rule.formula is not None and rule.formula.kind == "gradient"


def _is_put_back(rule: Rule) -> bool:
    """`x̄ᵢ = ȳ·[i = index]`: the gradient goes where the operand's elements came from."""
    factors = [rule.formula] if rule.formula is not None else []
    while factors and factors[0].kind == "big" and factors[0].sign == "Σ":
        factors = [factors[0].parts[1]]
    if not factors or factors[0].kind != "binary" or factors[0].sign != "·":
        return False
    left, right = factors[0].parts
    base = left.parts[0] if left.kind == "places" else left
    is_equation = right.kind == "bracket" and right.sign == "[" and right.parts[0].sign == "="
    return base.kind == "gradient" and is_equation


def _is_letter(factor: Term) -> bool:
    """`y`, `wᵀ`."""
    return (factor.parts[0] if factor.kind == "transpose" else factor).kind in LEAVES


def _is_sum_of_gradient(rule: Rule) -> bool:
    """`b̄ⱼ = Σᵢ ȳᵢⱼ`, over all there are: not `Σ_{i ≥ j}`."""
    formula = rule.formula
    is_sum = formula is not None and formula.kind == "big" and formula.sign == "Σ"
    if not is_sum or formula is None or formula.parts[0].kind == "binary":
        return False
    summand = formula.parts[1]
    return (summand.parts[0] if summand.kind == "places" else summand).kind == "gradient"


def in_place(number: str) -> str:
    """A number in the place of a letter."""
    return f"({number})" if number.startswith("-") else number


def last_sentence(trace: Trace) -> str:
    """What the node that ran last has done; empty if none has run."""
    return Story(trace).last()
