"""Where everything of a picture goes. In reading order:

places   what a layout is, and how large each box is
lines    ties, which leave and arrive below; a layout of our own, where there is no Graphviz; two
         layouts, one above the other, or face to face
dot      the graph in Graphviz's language
engines  which of them it is: the one place that calls Graphviz
"""
