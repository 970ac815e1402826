"""The proof of `samebits diagnose --foreign` on a program whose differences are known."""
