"""A laid-out picture as SVG. In reading order:

pen       words, the outlines of boxes, pills; what stands under a picture, and beside a player
curves    the paths of lines
document  the whole
"""
