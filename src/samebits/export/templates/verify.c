/* A replay's inputs through the compiled simulation, on whatever machine this runs.

   usage: @NAME@-verify INPUTS [--final] [--level N] [--report]

   With --report a desync report goes to the output, and all text to the errors: of the first frame
   that differs or traps and the frames around it, else of the last ones.

   INPUTS is a file that `samebits replay export` wrote. Integers in it are little-endian:
     at  0   8 bytes "sbinput1"
     at  8  16 bytes the simulation's digest
     at 24   8 bytes the seed
     at 32   8 bytes the count of frames
     at 40   4 bytes the count of players
     at 44   4 bytes the size of one player's canonical input
     at 48   8 bytes 1 where every frame has the hash that was recorded, 0 where none has
     at 56   8 bytes 0
   then for each frame the inputs of its players, and its hash if there are hashes.
   Nothing in the file is trusted. Exit status: 0 same, 1 a difference or a trap, 2 bad usage
   or input, or nothing to compare. */

#include "@NAME@.h"

enum { HEAD = 64, DIGEST_BYTES = 16, FRAME = @PLAYERS@ * @INPUT_BYTES@ };
enum { OUT = 1, ERROR = 2 };
enum { KEPT = 128, BEHIND = 32 }; /* frames of a report, and how many of them follow its first */

/* Four functions reach the system: open_file (0 where it cannot), read_file (bytes read; fewer
   than asked for at the end), has_failed (reading), write_to (OUT or ERROR; 0 where it cannot). */
#ifdef @GUARD@_WITHOUT_LIBC
#include "linux.h"

static long file_number;
static int failed;

static int open_file(const char *name)
{
    file_number = system_call(SYS_OPENAT, -100, (long)(uintptr_t)name, LARGE_FILE);
    return file_number >= 0;
}

static size_t read_file(uint8_t *to, size_t size)
{
    size_t got = 0;
    while (got < size) {
        long n = system_call(SYS_READ, file_number, (long)(uintptr_t)(to + got), (long)(size - got));
        if (n <= 0) {
            failed |= n < 0;
            break;
        }
        got += (size_t)n;
    }
    return got;
}

static int has_failed(void)
{
    return failed;
}

static int write_to(int where, const char *text, size_t size)
{
    while (size) {
        long n = system_call(SYS_WRITE, where, (long)(uintptr_t)text, (long)size);
        if (n <= 0) return 0;
        text += n;
        size -= (size_t)n;
    }
    return 1;
}
#else
#include <stdio.h>
#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif

static FILE *file;

static int open_file(const char *name)
{
    file = fopen(name, "rb");
    return file != NULL;
}

static size_t read_file(uint8_t *to, size_t size)
{
    return fread(to, 1, size, file);
}

static int has_failed(void)
{
    return ferror(file);
}

static int write_to(int where, const char *text, size_t size)
{
    FILE *to = where == OUT ? stdout : stderr;
#ifdef _WIN32
    _setmode(_fileno(to), _O_BINARY);
#endif
    return fwrite(text, 1, size, to) == size && !fflush(to);
}
#endif

static @STATE@ state;
static @NAME@_scratch scratch;
static uint8_t record[FRAME + 8];

/* The inputs and hashes of the last frames, from frame `first` on, and the states around one. */
static @INPUT@ inputs[2 * KEPT][@PLAYERS@];
static uint64_t hashes[2 * KEPT + 1], first, numbers[2];
static @STATE@ around[2];
static size_t frames_kept, states_kept;
static uint8_t report[@GUARD@_REPORT_BYTES(2 * KEPT, 2)];

static char buffer[1 << 14];
static size_t buffered;
static int unwritten;

static void flush(int where)
{
    if (!write_to(where, buffer, buffered) && where == OUT) unwritten = 1;
    buffered = 0;
}

static void say(int where, const char *text)
{
    for (; *text; text++) {
        if (buffered == sizeof buffer) flush(where);
        buffer[buffered++] = *text;
    }
}

static void say_number(int where, uint64_t value)
{
    char digits[21] = {0};
    size_t at = 20;
    do digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    say(where, digits + at);
}

static void hex(char *to, const uint8_t *bytes, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        to[2 * k] = "0123456789abcdef"[bytes[k] >> 4];
        to[2 * k + 1] = "0123456789abcdef"[bytes[k] & 15];
    }
    to[2 * count] = 0;
}

static void say_hash(int where, uint64_t hash)
{
    char text[17];
    uint8_t bytes[8];
    for (int k = 0; k < 8; k++) bytes[k] = (uint8_t)(hash >> (56 - 8 * k));
    hex(text, bytes, 8);
    say(where, text);
}

static int same_text(const char *a, const char *b)
{
    while (*a && *a == *b) a++, b++;
    return *a == *b;
}

static uint64_t word(const uint8_t *from, int size)
{
    uint64_t value = 0;
    for (int k = 0; k < size; k++) value |= (uint64_t)from[k] << (8 * k);
    return value;
}

/* What was said so far, then the beginning of a complaint. */
static void complain(const char *what)
{
    flush(OUT);
    say(ERROR, "@NAME@-verify: ");
    say(ERROR, what);
}

static int bad(const char *name, const char *what)
{
    complain(name);
    say(ERROR, " ");
    say(ERROR, what);
    say(ERROR, "\n");
    flush(ERROR);
    return 2;
}

static int trapped(int32_t code, const char *where, uint64_t frame)
{
    complain("trap in ");
    say(ERROR, where);
    if (frame != UINT64_MAX) say_number(ERROR, frame);
    say(ERROR, ": ");
    say(ERROR, @NAME@_trap_message(code));
    say(ERROR, ", at ");
    say(ERROR, @NAME@_trap_file(code));
    say(ERROR, ":");
    say_number(ERROR, (uint64_t)@NAME@_trap_line(code));
    say(ERROR, " in ");
    say(ERROR, @NAME@_trap_function(code));
    say(ERROR, "\n");
    flush(ERROR);
    return 1;
}

static int other_code(const char *name, const uint8_t *digest)
{
    char text[2 * DIGEST_BYTES + 1];
    hex(text, digest, DIGEST_BYTES);
    if (same_text(text, @GUARD@_DIGEST)) return 0;
    bad(name, "was recorded from other code");
    say(ERROR, "  it has digest ");
    say(ERROR, text);
    say(ERROR, "; this program is of " @GUARD@_DIGEST "\n");
    flush(ERROR);
    return 1;
}

static int cut_short(const char *name, uint64_t frame, uint64_t frames)
{
    bad(name, has_failed() ? "cannot be read" : "is cut short");
    say(ERROR, "  it holds ");
    say_number(ERROR, frame);
    say(ERROR, " whole frames of ");
    say_number(ERROR, frames);
    say(ERROR, "\n");
    flush(ERROR);
    return 2;
}

/* Make room for another frame, where there is none. */
static void forget(void)
{
    if (frames_kept < 2 * KEPT - 1) return;
    __builtin_memcpy(inputs, inputs + KEPT, (frames_kept - KEPT) * sizeof *inputs);
    __builtin_memcpy(hashes, hashes + KEPT, (frames_kept + 1 - KEPT) * sizeof *hashes);
    frames_kept -= KEPT;
    first += KEPT;
}

static void write_report(uint64_t seed, int32_t trap)
{
    const @NAME@_history history = {seed,    first,  frames_kept, inputs[0], hashes, states_kept,
                                    numbers, around, trap,        NULL};
    size_t size = @NAME@_report(&history, report, sizeof report);
    if (!size || !write_to(OUT, (const char *)report, size)) unwritten = 1;
}

static int replay(const char *name, int final_only, int reports)
{
    const int said = reports ? ERROR : OUT;
    uint8_t head[HEAD];
    size_t got = read_file(head, HEAD);
    if (has_failed()) return bad(name, "cannot be read");
    if (got < 8 || word(head, 8) != UINT64_C(0x317475706e696273)) /* sbinput1 */
        return bad(name, "is no file of inputs: write one with samebits replay export");
    if (got < HEAD) return bad(name, "ends within its head");
    if (other_code(name, head + 8)) return 2;
    uint64_t frames = word(head + 32, 8), hashed = word(head + 48, 8);
    if (word(head + 40, 4) != @PLAYERS@ || word(head + 44, 4) != @INPUT_BYTES@ || hashed > 1 ||
        word(head + 56, 8))
        return bad(name, "has a damaged head: export it again");

    uint64_t seed = word(head + 24, 8);
    int32_t code = @NAME@_init(&state, seed);
    if (code) return trapped(code, "init", UINT64_MAX);
    uint64_t differs = UINT64_MAX;
    hashes[0] = @NAME@_hash(&state, &scratch);
    size_t size = FRAME + (hashed ? 8 : 0);
    for (uint64_t frame = 0; frame < frames; frame++) {
        if (read_file(record, size) != size) return cut_short(name, frame, frames);
        forget();
        for (size_t p = 0; p < @PLAYERS@; p++)
            @NAME@_input_restore(&inputs[frames_kept][p], record + p * @INPUT_BYTES@, @INPUT_BYTES@);
        if (differs == UINT64_MAX) {
            around[0] = state;
            numbers[0] = frame;
            states_kept = 1;
        }
        code = @NAME@_run(&state, inputs[frames_kept], 1, &hashes[frames_kept + 1], NULL, &scratch);
        if (code) {
            if (reports) write_report(seed, code);
            return trapped(code, "frame ", frame);
        }
        frames_kept++;
        if (differs == UINT64_MAX) {
            around[1] = state;
            numbers[1] = frame + 1;
            states_kept = 2;
        }
        if (!final_only) {
            say_number(OUT, frame);
            say(OUT, " ");
            say_hash(OUT, hashes[frames_kept]);
            say(OUT, "\n");
        }
        if (hashed && differs == UINT64_MAX && word(record + FRAME, 8) != hashes[frames_kept])
            differs = frame;
        if (reports && differs != UINT64_MAX && frame - differs == BEHIND) break;
    }
    if (reports) write_report(seed, 0);
    if (reports && differs != UINT64_MAX) {
        say(ERROR, "the report is of frames up to ");
        say_number(ERROR, first + frames_kept - 1);
        say(ERROR, "\n");
    } else if (read_file(record, 1)) {
        return bad(name, "goes on after its last frame: export it again");
    }
    say(said, "final ");
    say_hash(said, hashes[frames_kept]);
    say(said, " after ");
    say_number(said, first + frames_kept);
    say(said, " frames: ");
    int status = 2;
    if (differs != UINT64_MAX) {
        say(said, "differs from the replay, first in frame ");
        say_number(said, differs);
        say(said, "\n");
        status = 1;
    } else if (hashed && frames) {
        say(said, "same as the replay\n");
        status = 0;
    } else {
        say(said, "nothing was compared, the replay has no ");
        say(said, frames ? "hashes\n" : "frames\n");
    }
    flush(said);
    return status;
}

static int verify(long count, char **arguments)
{
    int final_only = 0, reports = 0, known = count >= 2;
    int32_t level = 0;
    for (long k = 2; k < count && known; k++) {
        const char *next = k + 1 < count ? arguments[k + 1] : "";
        if (same_text(arguments[k], "--final")) final_only = 1;
        else if (same_text(arguments[k], "--report")) final_only = reports = 1;
        else if (same_text(arguments[k], "--level") && next[0] > '0' && next[0] <= '9' && !next[1])
            level = next[0] - '0', k++;
        else known = 0;
    }
    if (!known) {
        say(ERROR, "usage: @NAME@-verify INPUTS [--final] [--level N] [--report]\n"
                   "INPUTS is written by: samebits replay export REPLAY --out INPUTS\n");
        flush(ERROR);
        return 2;
    }
    if (level && @NAME@_set_level(level) < 0)
        return bad("--level", "is none of this program's, or not one of this processor's");
    if (!same_text(@NAME@_digest(), @GUARD@_DIGEST)) return bad("library", "is not the header's");
    if (!open_file(arguments[1])) return bad(arguments[1], "cannot be opened");
    int status = replay(arguments[1], final_only, reports);
    flush(OUT);
    return unwritten ? bad("output", "cannot be written") : status;
}

#ifdef @GUARD@_WITHOUT_LIBC
__attribute__((used)) _Noreturn void samebits_start(long *stack)
{
    leave(verify(stack[0], (char **)(stack + 1)));
}

START(samebits_start)
#else
int main(int count, char **arguments)
{
    return verify(count, arguments);
}
#endif
