"""`watch()`: a doctor for the mistakes of a training program that no library complains about.

    sources     what happens in a library, told as a few events: `source_glassgrad`, `source_torch`
    ledger      what is remembered of each leaf: its gradient, and who has used that
    check       one class for each mistake (`steps`, `graphs`, `models`): what it is, why it is
                silent, what to write instead
    findings    what was found, once each, and the report

Events go from a source to the checks that asked for them. A source only looks: it computes nothing
of the program's, and draws no random number.
"""

from .findings import Finding
from .watch import watch

__all__ = ["Finding", "watch"]
