"""Forms of calls between kernels: those that give kernels, and recursion."""
