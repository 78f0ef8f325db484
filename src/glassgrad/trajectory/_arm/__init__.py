"""The example of `python -m glassgrad.trajectory`: a robot arm learns to swing past a disc.

In reading order:

    planning.py   where the arm's points are; what is asked of a trajectory, as one number; the
                  loop: the fused step, its gradient, Adam; and whether a plan is good enough
    pictures.py   the curves over time, the arm at several moments, and the moving arm as a GIF
"""
