"""Memory that kernels use: arrays and what they must be, structs, tables, appenders."""
