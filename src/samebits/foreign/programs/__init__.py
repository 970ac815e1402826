"""Programs that are built and run here in several ways, as `sim.toml` describes them."""
