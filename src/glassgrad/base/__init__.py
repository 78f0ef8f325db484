"""What the tape stands on, and knows nothing of tensors. In reading order:

errors        what can go wrong
source_lines  which line of the user's did it
tree          nested lists, tuples and dicts
dtypes        names and promotion
backend       where arrays live
"""
