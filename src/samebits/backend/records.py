"""Where compiled code and the runtime meet so that a call can be left: the process's words, the
record of each thread, and their names in objects. `backend.preempt` has the code.
"""

GUARD = "sb_guard"
"""The variable that the runtime points at the process's words; null: bodies are called plainly."""

KEY, ENTER, RELEASE = range(3)
"""The process's words: pthread's key of a thread's record; `ptr enter()`, which makes the record of
a thread that has none; CPython's `void release(lock)`."""

JUMP_BUFFER, STOP, CALLS, WAKE, LOWEST, MAIN, KIND, VALUE, TRACE, WAITS = range(10)
"""Words of a thread's record: the buffer to come back to, null outside of bodies; 1 where the
thread is to leave; bodies called so far; a lock that the next call is to release, because the
watcher sleeps in it; the lowest address of the stack, 0 where that is not known; 1 for the thread
that Python's signal handlers run in; what such a handler has raised, three references; 1 while it
waits for the threads of a range that it shared out, and looks at `STOP` now and then."""
RECORD_WORDS = 16

LEFT = (1 << 20) - 1
"""The status of a body that was left: the largest that a range's control block has room for."""

IMPORTS = ("_setjmp", "pthread_getspecific")
"""C's functions that a guard calls."""

SIGNAL_HANDLER, HANDLER_WORDS = "sb_signal_handler", "sb_handler_words"
"""The signal handler, and the variable that it reads."""
BEFORE = 1
"""A word of `HANDLER_WORDS` besides `KEY`: the handler that was there before, 0 or 1 where none."""
