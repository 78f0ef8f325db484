"""One node of a backward graph, explained and checked. In reading order:

checking     the forward of a node once more, and the rule held against differences of it
formulas     what an op's docstring says: as text, as a tree, as LaTeX, and its rule in numbers
explain      all of that for one node
mathml       formulas as MathML
entries      explanations as data, for the players
"""
