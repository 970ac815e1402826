"""Memory that kernels use: arrays, structs, constant tables, appenders."""
