"""Where everything of a picture goes. In reading order:

places    what a layout is
boxes     how large each vertex is
ties      lines that leave and arrive below
dot       the graph in Graphviz's language
fallback  a layout of our own, where there is no Graphviz
fitting   places made for nominal boxes, for the boxes as they are
storeys   two layouts, one above the other
facing    one layout and its image
engines   which of them it is: the one place that calls Graphviz
"""
