"""Object code: from the cache or the compiler into this process."""
