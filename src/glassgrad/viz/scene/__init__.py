"""What a picture shows, in words and without places. In reading order:

graph    boxes, lines and frames: what all pictures are made of; what a picture is asked to show;
         and from a trace to a graph
folding  which nodes of a large graph are one box
special  what is in a folded box; forward and backward face to face; two traces as one picture
"""
