"""The memory that compiled code and the runtime share for preemption.

Words of the process, a record for each thread, and their names in objects. The code that uses them
is in `backend.emit.preemption`.
"""

GUARD = "sb_guard"
"""The variable that the runtime points at the process's words; null: bodies are called
unguarded."""

KEY, ENTER, RELEASE, GUARDED, MEASURED = range(5)
"""The process's words: the pthread key of a thread's record; `ptr enter()`, which makes a record
for a thread without one; CPython's `void release(lock)`; the functions through which entries call
their bodies."""
WORDS = 8
GUARDED_NAME, MEASURED_NAME = "sb_guarded", "sb_measured"
"""The names of those: the first guards a body that may run long, the second makes sure that the
stack has room for one."""

JUMP_BUFFER, STOP, CALLS, WAKE, LOWEST, MAIN, KIND, VALUE, TRACE, WAITS = range(10)
"""Words of a thread's record: the jump buffer, null outside of bodies; 1 if the thread is to leave
its body; the number of bodies called; a lock that the next call releases, because the watcher
sleeps in it; the lowest address of the stack, 0 if unknown; 1 for the thread that runs Python's
signal handlers; the exception that such a handler raised, three references; 1 while the thread
waits for the helpers of its own parallel range, and polls `STOP`."""
RECORD_WORDS = 16

LEFT = (1 << 20) - 1
"""The status of a preempted body: the largest that a range's control block can hold."""

IMPORTS = ("_setjmp", "pthread_getspecific")
"""C's functions that those call."""

SIGNAL_HANDLER, HANDLER_WORDS = "sb_signal_handler", "sb_handler_words"
"""The signal handler, and the variable that it reads."""
BEFORE = 1
"""A word of `HANDLER_WORDS` besides `KEY`: the handler installed before; 0 or 1 if there is
none."""
