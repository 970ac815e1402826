/* One simulation a module instance: its memory holds one state, a block of inputs and their bytes.
   What is called from outside reads and writes them alone, whatever count it is given. */

#include "@NAME@.h"

#define EXPORT(name) __attribute__((export_name(#name)))

static @STATE@ state;
static @NAME@_scratch scratch;
static @INPUT@ inputs[@BLOCK@ * @PLAYERS@];
static uint64_t hashes[@BLOCK@];
static uint8_t bytes[@BYTES@];
static size_t done;

EXPORT(state_at) void *state_at(void) { return &state; }
EXPORT(inputs_at) void *inputs_at(void) { return inputs; }
EXPORT(hashes_at) void *hashes_at(void) { return hashes; }
EXPORT(bytes_at) void *bytes_at(void) { return bytes; }
EXPORT(done_count) size_t done_count(void) { return done; }

EXPORT(init) int32_t init(uint64_t seed) { return @NAME@_init(&state, seed); }
EXPORT(step) int32_t step(void) { return @NAME@_step(&state, inputs, &scratch); }
EXPORT(hash) uint64_t hash(void) { return @NAME@_hash(&state, &scratch); }
EXPORT(save) void save(void) { @NAME@_save(&state, bytes); }
EXPORT(restore) int32_t restore(void)
{
    return @NAME@_restore(&state, bytes, @GUARD@_STATE_BYTES);
}

/* One frame's inputs to `bytes`, and those of `frames` frames, at most @BLOCK@, from there. */
EXPORT(save_inputs) void save_inputs(void)
{
    for (size_t p = 0; p < @PLAYERS@; p++) @NAME@_input_save(&inputs[p], bytes + p * @INPUT_BYTES@);
}

EXPORT(restore_inputs) int32_t restore_inputs(size_t frames)
{
    if (frames > @BLOCK@) return @GUARD@_REFUSED;
    for (size_t p = 0; p < frames * @PLAYERS@; p++)
        @NAME@_input_restore(&inputs[p], bytes + p * @INPUT_BYTES@, @INPUT_BYTES@);
    return 0;
}

EXPORT(run) int32_t run(size_t frames)
{
    done = 0;
    if (frames > @BLOCK@) return @GUARD@_REFUSED;
    return @NAME@_run(&state, inputs, frames, hashes, &done, &scratch);
}
