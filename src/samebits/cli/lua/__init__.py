"""The commands about Lua scripts."""
