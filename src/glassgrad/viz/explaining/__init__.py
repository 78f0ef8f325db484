"""One node of a backward graph, explained and checked. In reading order:

rerun        the forward of a node once more
differences  the rule held against differences of the forward
notation     formulas as text, as a tree, as LaTeX
formulas     what an op's docstring says, which letter is which tensor, and its rule in numbers
explain      all of that for one node
mathml       formulas as MathML
entries      explanations as data, for the players
"""
