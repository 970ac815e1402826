"""One replay in every execution, compared frame by frame."""
