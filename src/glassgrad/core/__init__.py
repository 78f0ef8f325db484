"""The tape.

Read its files in this order; none imports from one below it:

    errors        what can go wrong
    source_lines  which line of the user's did it
    tree          nested lists, tuples and dicts of tensors
    dtypes        names and promotion
    backend       where arrays live
    state         modes per thread
    cold          what hangs on a tensor
    tensor        an array, and where its gradient goes
    graph         nodes and edges
    stale         the errors about saved tensors
    saved         what a node keeps of a tensor
    views         what a write to shared memory does to the graph
    hooks         where hooks hang, and what they may return
    calling       how a user's Function is called
    function      an op of your own
    saving        what the node of a built-in op keeps
    doors         the fast ways into a built-in op
    primitive     a built-in op, and the slow way into it
    schedule      the order of a backward pass
    gradients     what becomes of a gradient on its way
    stack         room for a pass deep inside others
    engine        the backward pass
    roots         where a pass starts, and with which gradients
    backward      what a user asks of it
"""
