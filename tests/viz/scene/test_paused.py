import glassgrad as gg
from glassgrad.viz import draw


def program():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    return x, x.tanh().exp().sum()


def badges(drawing):
    return {vertex.title: vertex.badge for vertex in drawing.graph.vertices}


def test_a_paused_pass_shows_what_has_run_and_where_it_is():
    _, loss = program()
    with gg.step(loss) as session:
        session.next()
        session.next()
        drawing = draw(session)
        found = badges(drawing)
    assert (found["SumBackward0"], found["ExpBackward0"]) == ("#1", "#2")
    assert found["TanhBackward0"] == "▶"
    assert drawing.graph.notice == "paused: ▶ TanhBackward0 is next"


def test_a_paused_pass_shows_the_gradients_so_far():
    _, loss = program()
    with gg.step(loss) as session:
        session.next()
        session.next()
        rows = {vertex.title: dict(vertex.rows) for vertex in draw(session).graph.vertices}
    assert (rows["SumBackward0"]["grad"], rows["ExpBackward0"]["grad"]) == ("1", "[1, 1]")
    assert "grad" not in rows["TanhBackward0"]


def test_drawing_changes_nothing_and_the_boxes_stay():
    x, loss = program()
    arcs = []
    with gg.step(loss) as session:
        while not session.is_done:
            arcs.append([arc for arc in draw(session).graph.arcs if arc.kind == "grad"])
            session.next()
        at_the_end = draw(session)
    assert all(each == arcs[0] for each in arcs)
    assert "▶" not in "".join(badges(at_the_end).values())
    again, other = program()
    other.backward()
    assert x.grad.tolist() == again.grad.tolist()
    (leaf,) = [vertex for vertex in at_the_end.graph.vertices if vertex.kind == "leaf"]
    assert dict(leaf.rows)["grad"].startswith("[")
