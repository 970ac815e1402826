"""Plain simulations, as somebody writes them who knows nothing of samebits."""
