"""Pages that play a backward pass: recorded, or under way. In reading order:

html       the page of a recorded pass
replay     what its script reads
packing    that, as short JSON
assets     its script and its style sheet (`static/`)
opened     small drawings of what is in folded boxes
reserving  room for what a pass under way will yet show
steering   what a live player asks of a paused pass
live       the player of a pass that is under way
jupyter    that, in a notebook
"""
