"""The tables of an audit: rules, and the instructions and imports that break them."""
