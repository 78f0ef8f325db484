"""Where everything of a picture goes. In reading order:

places   what a layout is, and how large each box is
lines    ties, which leave and arrive below
dot      the graph in Graphviz's language
layers   a layout of our own, where there is no Graphviz
halves   two layouts, one above the other, or face to face
engines  which of them it is: the one place that calls Graphviz
"""
