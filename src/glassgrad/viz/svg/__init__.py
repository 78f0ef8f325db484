"""A laid-out picture as SVG. In reading order:

pen       words, the outlines of boxes, pills
curves    the paths of lines
legend    what stands under a picture, and beside a player
document  the whole
"""
