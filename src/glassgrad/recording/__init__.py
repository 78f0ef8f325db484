"""How a call becomes a node. In reading order:

calling    how a user's Function is called
in_parts   … where somebody comes between its parts
function   an op of your own
saving     what the node of a built-in op keeps
doors      the fast ways into a built-in op
operands   what an op computes with
primitive  a built-in op, and the slow way into it
tangents   what forward mode makes of both
"""
