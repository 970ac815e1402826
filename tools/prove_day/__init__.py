"""The page docs/proof.md, followed from its first line to its last."""
