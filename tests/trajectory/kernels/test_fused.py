"""The choice between exact numerics and those of the original."""

import numpy as np
import pytest

from checks import together
from glassgrad.trajectory import numerics
from glassgrad.trajectory.kernels._fused import is_literal


def test_a_choice_holds_inside_of_its_block():
    with numerics("curobo"):
        with numerics("exact"):
            assert not is_literal()
        assert is_literal()
    assert not is_literal()


@together
@pytest.mark.parametrize("kind", ["f32", None, 3, np.ones(3), ["curobo"]], ids=repr)
def test_what_is_no_kind_is_named(kind):
    with pytest.raises(ValueError, match=r"numerics\(\) was given"), numerics(kind):
        pass
    assert not is_literal()
