"""Other machines: programs linked for an emulator, and what their objects ask for."""
