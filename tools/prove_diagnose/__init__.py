"""`make prove-diagnose`: planted differences with known answers, and how many are found out."""
