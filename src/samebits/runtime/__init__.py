"""Running compiled kernels: loading, calling, the object cache and the floating-point state."""
