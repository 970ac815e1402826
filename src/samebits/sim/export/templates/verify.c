/* A replay's inputs through the compiled simulation, on whatever machine this runs.

   usage: @NAME@-verify INPUTS [--final]

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
   Nothing in the file is believed. Exit status: 0 same or nothing to compare, 1 a difference or
   a trap, 2 bad usage or input. */

#include "@NAME@.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { HEAD = 64, DIGEST_BYTES = 16, FRAME = @PLAYERS@ * @INPUT_BYTES@ };

static @STATE@ state;
static @NAME@_scratch scratch;
static @INPUT@ inputs[@PLAYERS@];
static uint8_t record[FRAME + 8];

static uint64_t word(const uint8_t *from, int size)
{
    uint64_t value = 0;
    for (int k = 0; k < size; k++) value |= (uint64_t)from[k] << (8 * k);
    return value;
}

static int bad(const char *file, const char *what)
{
    fflush(stdout);
    fprintf(stderr, "@NAME@-verify: %s %s\n", file, what);
    return 2;
}

static int trapped(int32_t code, const char *where, uint64_t frame)
{
    fflush(stdout);
    fprintf(stderr, "@NAME@-verify: trap in %s", where);
    if (frame != UINT64_MAX) fprintf(stderr, " %" PRIu64, frame);
    fprintf(stderr, ": %s, at %s:%d in %s\n", @NAME@_trap_message(code), @NAME@_trap_file(code),
            (int)@NAME@_trap_line(code), @NAME@_trap_function(code));
    return 1;
}

static int other_code(const char *file, const uint8_t *digest)
{
    char text[2 * DIGEST_BYTES + 1];
    for (int k = 0; k < DIGEST_BYTES; k++) sprintf(text + 2 * k, "%02x", digest[k]);
    if (!strcmp(text, @GUARD@_DIGEST)) return 0;
    bad(file, "was recorded from other code");
    fprintf(stderr, "  it has digest %s; this program is of %s\n", text, @GUARD@_DIGEST);
    return 2;
}

static int replay(const char *name, FILE *file, int final_only)
{
    uint8_t head[HEAD];
    size_t got = fread(head, 1, HEAD, file);
    if (got < 8 || memcmp(head, "sbinput1", 8))
        return bad(name, "is no file of inputs: write one with samebits replay export");
    if (got < HEAD) return bad(name, "ends within its head");
    if (other_code(name, head + 8)) return 2;
    uint64_t frames = word(head + 32, 8), hashed = word(head + 48, 8);
    if (word(head + 40, 4) != @PLAYERS@ || word(head + 44, 4) != @INPUT_BYTES@ || hashed > 1 ||
        word(head + 56, 8))
        return bad(name, "has a damaged head: export it again");

    int32_t code = @NAME@_init(&state, word(head + 24, 8));
    if (code) return trapped(code, "init", UINT64_MAX);
    uint64_t hash = @NAME@_hash(&state, &scratch), differs = UINT64_MAX;
    size_t size = FRAME + (hashed ? 8 : 0);
    for (uint64_t frame = 0; frame < frames; frame++) {
        if (fread(record, 1, size, file) != size) {
            bad(name, ferror(file) ? "cannot be read" : "is cut short");
            fprintf(stderr, "  it holds %" PRIu64 " whole frames of %" PRIu64 "\n", frame, frames);
            return 2;
        }
        for (size_t p = 0; p < @PLAYERS@; p++)
            @NAME@_input_restore(&inputs[p], record + p * @INPUT_BYTES@);
        code = @NAME@_run(&state, inputs, 1, &hash, NULL, &scratch);
        if (code) return trapped(code, "frame", frame);
        if (!final_only) printf("%" PRIu64 " %016" PRIx64 "\n", frame, hash);
        if (hashed && differs == UINT64_MAX && word(record + FRAME, 8) != hash) differs = frame;
    }
    if (fgetc(file) != EOF) return bad(name, "goes on after its last frame: export it again");
    printf("final %016" PRIx64 " after %" PRIu64 " frames: ", hash, frames);
    if (differs != UINT64_MAX) {
        printf("differs from the replay, first in frame %" PRIu64 "\n", differs);
        return 1;
    }
    printf(hashed ? "same as the replay\n" : "the replay has no hashes to compare\n");
    return 0;
}

int main(int count, char **arguments)
{
    int final_only = count == 3 && !strcmp(arguments[2], "--final");
    if (count != 2 + final_only) {
        fprintf(stderr, "usage: @NAME@-verify INPUTS [--final]\n"
                        "INPUTS is written by: samebits replay export REPLAY --out INPUTS\n");
        return 2;
    }
    if (strcmp(@NAME@_digest(), @GUARD@_DIGEST)) return bad("library", "is not the header's");
    FILE *file = fopen(arguments[1], "rb");
    if (!file) return bad(arguments[1], "cannot be opened");
    int status = replay(arguments[1], file, final_only);
    fclose(file);
    if (fflush(stdout) || ferror(stdout)) return bad("output", "cannot be written");
    return status;
}
