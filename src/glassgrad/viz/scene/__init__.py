"""What a picture shows, in words and without places. In reading order:

graph      boxes, lines and frames: what all pictures are made of
look       what a picture is asked to show
results    what a pass left behind, read from its events
words      what stands in a box
snapshot   from a trace to a graph
clusters   frames around what belongs together
relations  ties along which no gradient goes
flow       how much gradient went along each edge
folding    which nodes of a large graph are one box
inside     what is in such a box
paused     where a paused pass stands
mirror     forward and backward face to face
comparing  two traces as one picture
"""
