"""A peer without sockets or clocks: `pacing` and `delay` say when, `timeline` what was played,
`core` speaks with the relay."""
