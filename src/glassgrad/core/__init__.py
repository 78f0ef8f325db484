"""The spine: all that runs in `y = gg.tanh(w @ x).sum(); y.backward()`, except the ops' rules.

Read its files in this order; none imports from one below it, and nothing but NumPy lies beneath:

    errors     what can go wrong
    state      modes per thread, and where other packages plug in
    tensor     an array, and where its gradient goes
    graph      nodes and edges
    saved      what a node keeps until backward
    function   an op of your own: its context, its node, how it is called
    primitive  a built-in op, and the two ways into it: the readable one, and the fast door
    engine     the schedule of a backward pass, and the loop that runs it
    backward   what a user asks of the engine, and where a pass starts

What few programs need plugs in (`state.Plugs`): `values` (dtypes, devices, numbers, gradients that
have to be converted, what users' Functions return), `memory` (views, writes, a look at what is
saved) and `hooks` (and passes that are watched). A test runs the line above and fails if it enters
another package than this one and the ops.
"""
