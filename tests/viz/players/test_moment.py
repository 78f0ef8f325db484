"""What a page shows at an event, it shows where the log ends with that event.

Where the data decide, the data of both are compared; where the script does, both pages.
"""

import re
from dataclasses import replace
from unicodedata import normalize

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import glassgrad as gg
from glassgrad.tracing import Trace
from glassgrad.viz import draw
from glassgrad.viz.explaining.entries import record_explained
from glassgrad.viz.players import html
from glassgrad.viz.players.assets import script, styles
from glassgrad.viz.players.html import Player, page_drawing
from glassgrad.viz.scene import graph
from random_programs import Run, writing_programs

FIXED = ("place", "nodes", "leaves", "tensors", "wanted", "hooked", "outputs", "lines", "folds")
BAR = "\u0304"  # over a letter: its gradient


def cut_off(trace, count):
    """The log as it is after the first `count` events."""
    events = trace.events[:count]
    return Trace(trace.graph, trace.arrays, events)


def known_then(known, trace, count):
    """What was known of the nodes then: what they are, and checks of those that had run."""
    ran = {e["node"] for e in trace.events[:count] if e["type"] == "apply"}
    return known and {
        id: entry if id in ran else {**entry, "rows": [], "ok": None} for id, entry in known.items()
    }


def still_told(entry):
    """Of an explanation, what does not depend on whether its rule has run."""
    letters = [pair for pair in entry["letters"] if BAR not in normalize("NFD", pair[0])]
    return entry["words"], entry["formulas"], letters


def ended(trace, count):
    """The nodes whose turn was over then."""
    accumulators = {leaf["id"]: leaf["acc"] for leaf in trace.leaves}
    owners = [
        None
        if event["type"] in ("ready", "buffer")
        else event.get("node", accumulators.get(event.get("tensor")))
        for event in trace.events
    ]
    ahead = set(owners[count:])
    under_way = next((each for each in reversed(owners[:count]) if each), None)
    begins = next((each for each in owners[count:] if each), None)
    over = {each for each in owners[:count] if each} - ahead
    rest = trace.events[count : count + 1]
    has_more = rest and rest[0]["type"] in ("ready", "buffer") and begins != under_way
    return over - ({under_way} if has_more else set())


def picture(drawing):
    """The boxes and lines of a page's drawing, but for what the script writes and shows in time."""
    seen = page_drawing(drawing).graph
    boxes = [
        replace(
            each,
            rows=tuple(row for row in each.rows if row[0] != "grad"),
            badge=re.sub(r" ?#\d+", "", each.badge),
            freed=False,
        )
        for each in seen.vertices
        if each.kind != "error"  # which is seen once the pass has ended so
    ]
    ids = {each.id for each in boxes}
    arcs = [each for each in seen.arcs if {each.tail, each.head} <= ids]
    return boxes, arcs, seen.title, seen.reading


def labels(player):
    """What the legend says, but for the turns, of which a log that has just begun knows none.

    How the pass ends it says when it has.
    """
    return re.sub(r'<li class="gg-ended">.*?</li>|, #turn|<svg.*?</svg>', "", player._legend())


def check(trace, known, count):
    """The page at an event, and that of the log up to there, in what the data decide."""
    cut = cut_off(trace, count)
    then = known_then(known, trace, count)
    whole, part = Player(trace, draw(trace), known), Player(cut, draw(cut), then)
    assert picture(whole.drawing) == picture(part.drawing)
    assert labels(whole) == labels(part)
    late, early = whole.data(), part.data()
    assert {key: late[key] for key in FIXED} == {key: early[key] for key in FIXED}
    assert late["begin"] == early["begin"]
    assert late["events"][:count] == early["events"]
    assert late["said"][:count] == early["said"]
    for key in ("arrays", "norms", "boxed"):
        assert {name: late[key][name] for name in early[key]} == early[key]
    for node in ended(trace, count):
        assert late["story"].get(node) == early["story"].get(node)
    ran = {event["node"] for event in trace.events[:count] if event["type"] == "apply"}
    for id, entry in early["explain"].items():
        assert still_told(late["explain"][id]) == still_told(entry)
        if id in ran:
            assert late["explain"][id] == entry


def checked_program(program, hooked, places, *, explaining):
    run = Run(gg, program, hooked=hooked)
    if not run.roots:
        return
    trace, known, _ = record_explained(run.roots, explaining=explaining, gradient=run.seeds)
    for place in places:
        check(trace, known, 1 + place % len(trace.events))


several = st.lists(st.integers(0, 10_000), min_size=2, max_size=2)


@settings(max_examples=6, phases=[Phase.generate])
@given(writing_programs, st.booleans(), several, st.booleans())
def test_what_the_data_of_a_page_tell_of_a_moment_is_what_a_log_up_to_there_tells(
    program, hooked, places, explaining
):
    checked_program(program, hooked, places, explaining=explaining)


@pytest.mark.slow
@settings(max_examples=100, phases=[Phase.generate])
@given(writing_programs, st.booleans(), several, st.booleans())
def test_so_it_is_of_many_programs(program, hooked, places, explaining):
    checked_program(program, hooked, places, explaining=explaining)


# What the script shows ---------------------------------------------------------------------------

# All that can be seen or heard of a player, in one text. Left out is what counts how much is still
# to come: the length of the log, its list, and the phases that a turn will have.
SHOWN = """(root) => {
  const copy = root.cloneNode(true);
  copy.classList.remove("gg-whole"); // says that the log ends here
  const gone = [
    ".gg-search[hidden], .gg-map, .gg-log, .gg-total, .gg-scrub, .gg-count, .gg-step, .gg-foot p",
    "script, template, .gg-card[hidden], .gg-phases li:not(.here, .past)",
  ].join();
  for (const each of copy.querySelectorAll(gone)) each.remove();
  for (const each of [copy, ...copy.querySelectorAll("*")]) {
    if (each.matches("ol") && each.children.length < 2) each.remove(); // phases
    for (const name of ["style", "viewBox", "aria-label"]) {
      const text = each.getAttribute(name) ?? "";
      if (name !== "aria-label" || / events: /.test(text)) each.removeAttribute(name);
    }
    each.setAttribute("class", [...each.classList].sort().join(" "));
  }
  return copy.outerHTML;
}"""

# Of each moment, what the whole page shows there and what that of the cut log shows at its end,
# where they are not alike: in two modes, with the heat on, and with several things chosen.
DIFFERENCES = """async ([whole, parts, chosen]) => {
  const shown = SHOWN;
  while (!window.mount) await new Promise((go) => setTimeout(go, 10));
  const open = async (html) => {
    document.body.innerHTML = html;
    const root = document.querySelector(".gg-player");
    const player = await mount(root, {});
    player.panels.isExplained = true;
    player.heat(true);
    return { root, player };
  };
  const found = [];
  const looks = async ({ root, player }, at) => {
    const list = [];
    player.setMode("debug");
    for (const each of [null, ...chosen]) {
      player.go(at);
      player.choose(each);
      list.push(shown(root));
    }
    player.choose(null);
    player.search.open();
    list.push(shown(root));
    player.search.close();
    player.setMode("lesson");
    player.go(at);
    player.choose(chosen[0]);
    list.push(player.card.root.innerHTML);
    player.choose(null);
    if (player.stops.includes(at)) list.push(player.headline.said.textContent);
    return list;
  };
  const all = await open(whole);
  const late = [];
  for (const at of Object.keys(parts)) late.push(await looks(all, Number(at)));
  for (const at of Object.keys(parts)) {
    const early = await looks(await open(parts[at]), Number(at));
    late.shift().forEach((each, k) => {
      if (each !== early[k]) found.push([at, k, each, early[k]]);
    });
  }
  return found;
}"""


def hooked():
    """Hooks that change gradients, a leaf used twice, something saved."""
    x = gg.tensor([3.0, 4.0], requires_grad=True)
    x.name = "x"
    y = (x * 2).tanh()
    y.register_hook(lambda grad: grad * 0.5)
    y.retain_grad()
    return (y * y * x).sum()


def broken():
    """A nan on the way, and a pass that ends with something stale."""
    x = gg.tensor([4.0, 0.0], requires_grad=True)
    y = x.exp()
    z = y.sqrt() * (x.sqrt() * 0.0)
    with gg.no_grad():
        y += 1
    return z.sum()


def pages(loss, every):
    """The page of a pass, those of its log cut at events, and what can be chosen there.

    They begin with the first rule: what backward was given, which a page knows before, is in it.
    """
    whole = gg.player(loss, mode="debug")
    trace, known = whole.trace, whole.explain
    count = len(trace.events)
    parts = {}
    first = next(event["k"] for event in trace.events if event["type"] == "apply") + 1
    for at in {*range(first, count, every), count}:
        cut, then = cut_off(trace, at), known_then(known, trace, at)
        parts[at] = replace(whole, trace=cut, explain=then).fragment("gg-")
    return whole.fragment("gg-"), parts, [trace.nodes[-3]["id"], "r1", "t0", "s0", "d2-0"]


@pytest.mark.parametrize(
    ("loss", "every"),
    [
        (hooked, 9),
        (broken, 14),
        *(pytest.param(loss, 1, marks=pytest.mark.slow) for loss in (hooked, broken)),
    ],
)
def test_what_a_page_shows_at_an_event_is_what_that_of_a_log_up_to_there_shows(visit, loss, every):
    head = f"<!DOCTYPE html><meta charset=utf-8><style>{styles()}</style><body></body>"
    page = visit(f'{head}<script type="module">{script()}\nwindow.mount = mount;</script>')
    found = page.evaluate(DIFFERENCES.replace("SHOWN", SHOWN), list(pages(loss(), every)))
    wrong = []
    for at, look, *texts in found:
        late, early = (text.split("<") for text in texts)
        pair = next((pair for pair in zip(late, early, strict=False) if pair[0] != pair[1]), ())
        wrong.append((at, look, *(text[:200] for text in pair)))
    assert not wrong, wrong[:4]


# A page that is cut for length -------------------------------------------------------------------


def test_behind_a_cut_the_state_is_that_of_the_record_in_both_directions(play, monkeypatch):
    whole = gg.player(hooked(), mode="debug")
    count = len(whole.trace.events)
    page = re.compile(r"cut for length|left out")
    look = f"""() => {{
      const root = document.querySelector(".gg-player");
      const copy = root.cloneNode(true);
      for (const each of copy.querySelectorAll(".gg-now, .gg-time svg, .gg-phases")) each.remove();
      return ({SHOWN})(copy);
    }}"""
    known = play(whole).walk("ArrowRight", count, look)
    monkeypatch.setattr(html, "MOST_EVENTS", 15)
    shown = play(whole)
    forth = shown.walk("ArrowRight", 14 + 1, look)
    assert page.search(shown.said)
    # At the cut itself nothing moves: it is no event of the record.
    numbers = [*range(8), *range(count - 6, count + 1)]
    wrong = [
        at for at, seen in zip(numbers, forth[:8] + forth[9:], strict=True) if known[at] != seen
    ]
    assert wrong == []
    assert forth[::-1] == shown.walk("ArrowLeft", 15, look)
    shown.page.locator(".gg-scrub").fill("8")
    assert shown.said.startswith(f"{count - 14} events are left out here, 8 to {count - 7}:")
    assert shown.count == f"{count - 7} / {count}"
    assert shown.page.locator(".gg-step").inner_text() == f"event {count - 7} of {count}"
    shown.page.get_by_label("Lesson").check()
    assert page.search(shown.said)
    shown.press("End")
    assert shown.said.endswith("behind event 7.")


def test_the_strip_of_an_overview_which_is_of_the_whole_pass_comes_at_its_end(
    play, samples, monkeypatch
):
    monkeypatch.setattr(graph, "HUGE", 50)
    shown = play(gg.player(samples.chain(60)), fragment="#20")
    cell = shown.page.locator(".gg-stage .vertex.heat").first
    assert cell.is_hidden()
    shown.press("End")
    assert cell.is_visible()
