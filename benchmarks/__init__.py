"""How fast glassgrad is, beside hand-written NumPy, PyTorch, HIPS autograd and MyGrad.

    python -m benchmarks                  everything, three runs, writes benchmarks/RESULTS.md
    python -m benchmarks W1 W2 --quick    a first look at two workloads, printed only

Read `workloads/` first: each file is one idea and says what it measures. `race.py` is the method
(interleaved samples, medians, paired ratios), `goals.py` what the numbers must and should reach.

This package pins the BLAS to one thread before it lets anything import numpy: with two threads on
a busy two-core machine, timings of the same program vary a hundredfold.
"""

from benchmarks import threads

threads.pin()
