"""The tape. Read it in this order:

errors     what can go wrong
tree       nested lists, tuples and dicts of tensors
dtypes     names and promotion
backend    where arrays live
state      modes per thread
tensor     an array, and where its gradient goes
graph      nodes, edges, what they saved
hooks      where hooks hang and what they may return
function   an op of your own
saving     what the node of a built-in op keeps
doors      the fast ways into a built-in op
primitive  a built-in op, and the slow way into it
engine     the backward pass
backward   what a user asks of it
"""
