"""Tensors and the graph behind them. Read its files in this order, none imports from one below it:

    state     modes per thread
    cold      what hangs on a tensor
    tensor    an array, and where its gradient goes
    layers    how a tensor looks to a transform
    graph     nodes and edges
    stale     the errors about saved tensors
    saved     what a node keeps of a tensor
    geometry  where a view lies in its base
    views     what a write to shared memory does to the graph
    hooks     where hooks hang, and what they may return

`glassgrad.recording` tells how a call becomes a node, `glassgrad.engine` how nodes are run.
"""
