"""Pages that play a backward pass: recorded, or under way. In reading order:

html       the page of a recorded pass: the drawing on it, and what its script reads
questions  what it asks for in predict mode
forward    the forward pass, before it
assets     its script and its style sheet (`static/`)
live       the player of a pass that is under way, also in a notebook
"""
