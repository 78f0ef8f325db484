"""Pages that play a backward pass: recorded, or under way. In reading order:

html       the page of a recorded pass: the drawing on it, and what its script reads
assets     its script and its style sheet (`static/`)
live       the player of a pass that is under way, also in a notebook
"""
