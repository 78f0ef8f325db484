"""A laid-out picture as SVG. In reading order:

shapes    the outlines of boxes
curves    the paths of lines
sheet     the colours as CSS variables
legend    what stands under a picture
document  the whole
swatches  the same boxes, small, for a page's own legend
"""
