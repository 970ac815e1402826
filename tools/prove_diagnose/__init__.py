"""`make prove-diagnose`: how often diagnoses of injected differences are right."""
