"""Composable transforms: `torch.func`'s names."""
from .reverse import grad, vjp
from .forward import jvp
from .vmap import vmap
