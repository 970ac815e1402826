"""Headers, machines and inputs of both sides, compared before anything is searched."""
