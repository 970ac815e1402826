"""States that were changed outside of the frames: pokes, bad restores, frames that did not run."""
