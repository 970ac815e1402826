/* @SIMULATION@: a simulation with the same bits on every machine.

   Written by samebits; C99 or later, C++11 or later. Every function here is thread-safe: there
   is no allocation, no call of a math library, and no global state but which level of the
   processor is used, which changes no result. Functions set the floating point environment that
   they need (round to nearest, no flushing) and put the caller's back.

   The usual order: @NAME@_init once, then @NAME@_step for every frame, or @NAME@_run for many.
   A @STATE@ may be copied, and read and written between the calls, like any struct. */

#ifndef SAMEBITS_@GUARD@_H
#define SAMEBITS_@GUARD@_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
#define @GUARD@_ASSERT(condition, name) static_assert(condition, #name)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define @GUARD@_ASSERT(condition, name) _Static_assert(condition, #name)
#else
#define @GUARD@_ASSERT(condition, name) typedef char @NAME@_assert_##name[(condition) ? 1 : -1]
#endif

#if defined(__cplusplus)
#define @GUARD@_ALIGN8 alignas(8)
#elif defined(_MSC_VER) && !defined(__clang__)
#define @GUARD@_ALIGN8 __declspec(align(8))
#else
#define @GUARD@_ALIGN8 __attribute__((aligned(8)))
#endif

#if defined(@GUARD@_SHARED) && defined(_WIN32)
#define @GUARD@_API __declspec(dllimport)
#elif !defined(@GUARD@_API)
#define @GUARD@_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define @GUARD@_VERSION @VERSION@
#define @GUARD@_DIGEST "@DIGEST@" /* the same for the same code: compare it before playing */
#define @GUARD@_PLAYERS @PLAYERS@ /* inputs a frame */
#define @GUARD@_TICK_RATE @TICK_RATE@ /* frames a second of simulated time */
#define @GUARD@_TRAPS @TRAPS@ /* traps are the codes 1 to @GUARD@_TRAPS */
#define @GUARD@_STATE_BYTES @STATE_BYTES@ /* what @NAME@_save writes */
#define @GUARD@_INPUT_BYTES @INPUT_BYTES@ /* what @NAME@_input_save writes */
#define @GUARD@_REFUSED (-1) /* a size or a count that cannot be: nothing was read or changed */

@TYPES@
/* Working memory of a call, so that nothing is allocated: sizeof(@NAME@_scratch) bytes of any
   contents, which need not outlive the call. One for each thread is enough. */
typedef struct @NAME@_scratch {
    @GUARD@_ALIGN8 uint64_t words[@WORDS@];
    @STATE@ state;
} @NAME@_scratch;

/* Fill `state` for frame 0. Returns 0, or a trap's code with `state` all zero. */
@GUARD@_API int32_t @NAME@_init(@STATE@ *state, uint64_t seed);

/* Advance one frame, with one input a player. Returns 0, or a trap's code with `state` as it was
   before the call. */
@GUARD@_API int32_t @NAME@_step(@STATE@ *state,
                               const @INPUT@ inputs[@PLAYERS@],
                               @NAME@_scratch *scratch);

/* Advance `frames` frames. `inputs` holds @PLAYERS@ a frame, frame after frame; `hashes` gets the
   hash after each frame, and may be NULL, which is faster. `done`, unless NULL, gets the count of
   whole frames. Returns 0, or a trap's code with the state of the last whole frame, or
   @GUARD@_REFUSED for more frames than memory could hold inputs of. */
@GUARD@_API int32_t @NAME@_run(@STATE@ *state, const @INPUT@ *inputs,
                              size_t frames, uint64_t *hashes, size_t *done,
                              @NAME@_scratch *scratch);

/* XXH64 of the state's canonical bytes: equal exactly where Python's session.hash() is. */
@GUARD@_API uint64_t @NAME@_hash(const @STATE@ *state, @NAME@_scratch *scratch);

/* The state's canonical bytes: fields in order, no padding, little-endian, one NaN. They may be
   restored on any other machine, and are Python's session.canonical_state(). */
@GUARD@_API void @NAME@_save(const @STATE@ *state, uint8_t bytes[@STATE_BYTES@]);

/* The state out of its canonical bytes, padding zero. Returns 0, or @GUARD@_REFUSED with `state` as
   it was where `size`, how many bytes there are, is not @STATE_BYTES@, or `bytes` is NULL. Any bytes
   of that size make a state, and a step of a state that makes no sense may trap, but never touches
   other memory: bytes that come from elsewhere need a checksum of their own, and their frame. */
@GUARD@_API int32_t @NAME@_restore(@STATE@ *state, const uint8_t *bytes, size_t size);

/* The same for one player's input, of @INPUT_BYTES@ bytes: its form in a replay, and on a network. */
@GUARD@_API void @NAME@_input_save(const @INPUT@ *input, uint8_t bytes[@INPUT_BYTES@]);
@GUARD@_API int32_t @NAME@_input_restore(@INPUT@ *input, const uint8_t *bytes, size_t size);

/* What a peer kept of its last frames, for a report. `kept` are some of the states, `numbers` which
   frame each is the state before, ascending, from `first` to `first + frames`. A report of states
   before and after the frame that differs tells most. */
typedef struct @NAME@_history {
    uint64_t seed;            /* of the run */
    uint64_t first;           /* the first frame that is kept */
    size_t frames;            /* whole frames, fewer than 36,000 */
    const @INPUT@ *inputs;    /* @PLAYERS@ a frame; of one frame more where that one trapped */
    const uint64_t *hashes;   /* frames + 1: of the state before frame `first`, and after each */
    size_t states;            /* how many `numbers` and `kept` there are, with at most 16 MiB in all */
    const uint64_t *numbers;
    const @STATE@ *kept;
    int32_t trap;             /* the code that frame first + frames ended with, or 0 */
    const char *machine;      /* which device this is, at most 200 printable ASCII characters without
                                 quotes or backslashes; NULL for none */
} @NAME@_history;

/* Bytes of memory that are enough for a report of so many frames and states: a constant where they
   are. A report takes most of it. */
#define @GUARD@_REPORT_BYTES(frames, states) \
    ((size_t)@REPORT_FIXED@ + ((size_t)(frames) + 2) * @REPORT_FRAME@ * 33 / 32 + \
     (size_t)(states) * @REPORT_STATE@)

/* Write a desync report of what was kept, the file that `samebits diagnose` takes, into `room`
   bytes. Returns its size, or 0 where the room is less than @GUARD@_REPORT_BYTES or where the history
   cannot be. */
@GUARD@_API size_t @NAME@_report(const @NAME@_history *history, uint8_t *bytes, size_t room);

/* What a trap's code stands for: a message, and the line of Python source. Strings are constant;
   a code that is no trap's gives "" and 0. */
@GUARD@_API const char *@NAME@_trap_message(int32_t code);
@GUARD@_API const char *@NAME@_trap_file(int32_t code);
@GUARD@_API const char *@NAME@_trap_function(int32_t code);
@GUARD@_API int32_t @NAME@_trap_line(int32_t code);

/* The level of the processor (1 to 4, as in x86-64-v4) whose code is used; 0 where the library is
   for one level alone. A library for several takes the highest that works here. */
@GUARD@_API int32_t @NAME@_level(void);

/* Use the code for another level, in every thread, from the calls on that start later; 0 is the
   highest that works here. Returns the level that is now used, or -1 where the library has not
   this one or it does not work here, and then changes nothing. Results are the same. */
@GUARD@_API int32_t @NAME@_set_level(int32_t level);

/* @GUARD@_DIGEST as the library has it, which must be the header's. */
@GUARD@_API const char *@NAME@_digest(void);

#ifdef __cplusplus
}
#endif

#endif
