"""How a PyTorch graph is read and watched; `glassgrad.tracing.torch` is the way in."""
