/* One simulation a module instance: its memory holds one state, a block of inputs and their bytes.
   What is called from outside reads and writes them alone, whatever count it is given. */

#include "@NAME@.h"
#include "wasm.h"

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

/* A report is written in an instance of its own, whose memory grows for it: what is kept is handed
   over by way of `bytes`, and nothing of a game is touched. */
static @NAME@_history history;
static uint8_t *report;
static char machine[201];

EXPORT(machine_at) void *machine_at(void) { return machine; }
EXPORT(report_at) void *report_at(void) { return report; }
EXPORT(kept_hashes_at) void *kept_hashes_at(void) { return (void *)history.hashes; }

/* Room for so many frames, one more that trapped, and states; 0 where there is none. */
EXPORT(keep) int32_t keep(uint64_t seed, uint64_t first, size_t frames, size_t states, int32_t trap)
{
    const uint64_t begun = (uint64_t)frames + 1;
    void *kept_inputs = grown(begun * @PLAYERS@ * sizeof *history.inputs);
    void *kept_hashes = grown(begun * sizeof *history.hashes);
    void *numbers = grown((uint64_t)states * sizeof *history.numbers);
    void *kept = grown((uint64_t)states * sizeof *history.kept);
    if (!kept_inputs || !kept_hashes || !numbers || !kept) return 0;
    history = (@NAME@_history){seed, first, frames, kept_inputs, kept_hashes, states, numbers, kept,
                           trap, machine};
    return 1;
}

/* The inputs of one kept frame, the first being 0, and a kept state, out of `bytes`. */
EXPORT(keep_inputs) void keep_inputs(size_t frame)
{
    @INPUT@ *to = (@INPUT@ *)history.inputs + frame * @PLAYERS@;
    if (frame > history.frames) return;
    for (size_t p = 0; p < @PLAYERS@; p++)
        @NAME@_input_restore(&to[p], bytes + p * @INPUT_BYTES@, @INPUT_BYTES@);
}

EXPORT(keep_state) void keep_state(size_t index, uint64_t number)
{
    if (index >= history.states) return;
    ((uint64_t *)history.numbers)[index] = number;
    @NAME@_restore((@STATE@ *)&history.kept[index], bytes, @GUARD@_STATE_BYTES);
}

/* The report's size in bytes, 0 where it cannot be. */
EXPORT(write_report) size_t write_report(void)
{
    const size_t room = @GUARD@_REPORT_BYTES(history.frames, history.states);
    report = grown(room);
    return report ? @NAME@_report(&history, report, room) : 0;
}
