"""Why it went wrong: what an error can say of the user's own lines.

Nothing here is loaded before there is an error to tell of, and nothing is noted for it beforehand:
the lines are read when the error is made. A reason is given only where it is certain.

    source.py        a line that is running: its tree, its names, who gave them their values
    cuts.py          why nothing requires grad: the line that cut a result off from its leaves
    passes.py        a second backward: which pass freed the graph, and who shares it
    calls.py         whose shapes did not fit: names of operands, what a layer wants
    tracebacks.py    frames of ours that nobody has to see
"""
