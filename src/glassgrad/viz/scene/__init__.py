"""What a picture shows, in words and without places. In reading order:

graph      boxes, lines and frames: what all pictures are made of; what a picture is asked to show
folding    which nodes of a large graph are one box
snapshot   from a trace to a graph
inside     what is in a folded box
mirror     forward and backward face to face
comparing  two traces as one picture
"""
