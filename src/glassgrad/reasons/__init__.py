"""Why it went wrong: what an error can say of the user's own lines.

Nothing here is loaded before there is an error to tell of, and nothing is noted for it beforehand:
the lines are read when the error is made. A reason is given only where it is certain.

    cuts.py          why nothing requires grad: the line that cut a result off from its leaves
    passes.py        a second backward: which pass freed the graph, and who shares it
    calls.py         whose shapes did not fit: names of operands, what a layer wants
    leaves.py        leaves that were lost or written, parameters that nobody found
    stale.py         what was saved and written since: who saved it, who wrote it, what to do
    tracebacks.py    frames of ours that nobody has to see
"""
