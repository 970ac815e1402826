"""Worker threads, the thread team of parallel ranges, and threads of the library's own."""
