"""The proof of `samebits diagnose --foreign` on public simulations, fetched as it runs."""
