"""The example of `python -m glassgrad.trajectory`: a robot arm learns to swing past a disc.

In reading order:

    arm.py        where the arm's points are, and how far from the disc
    cost.py       what is asked of a trajectory, as one number; and whether a plan is good enough
    planning.py   the loop: the fused step, its gradient, Adam
    pictures.py   the curves over time, the arm at several moments, and the moving arm as a GIF
"""
