"""The backward pass. In reading order:

schedule   the order of the nodes
gradients  what becomes of a gradient on its way
stack      room for a pass deep inside others
phase      what a watched pass tells at each step
task       one pass: run at once, or stepped
roots      where a pass starts, and with which gradients
backward   what a user asks of it
"""
