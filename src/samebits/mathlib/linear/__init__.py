"""Linear algebra: determinants and inverses of matrices, and quaternions as rotations."""
