"""Plain C of a simulation, written from its typed IR as a careful or a careless team would."""
