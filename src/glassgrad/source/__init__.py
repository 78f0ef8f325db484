"""The user's program, as far as one can see it from here: no code of it runs, nothing is kept.

frames.py    which frames and files are the user's
lines.py     a line as a reader finds it, and what in it is running
names.py     what the running functions call a tensor
scope.py     a function's names: what they are now, and who gave them their values
"""
