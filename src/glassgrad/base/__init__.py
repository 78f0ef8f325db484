"""What the tape stands on, and knows nothing of tensors. In reading order:

errors        what can go wrong
source_lines  which line of the user's did it
remedies      what to write instead of a line that changed what backward needs
programs      the folder and the progress bar of `glassgrad demo` and its like
tree          nested lists, tuples and dicts
dtypes        names and promotion
backend       where arrays live
"""
