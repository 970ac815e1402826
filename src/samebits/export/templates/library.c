/* The functions of @NAME@.h around the compiled kernels. Integers and copies alone: all
   floating-point arithmetic is in the kernels, which pin their environment themselves. */

#include "@NAME@.h"

@ENTRIES@
#define ADDRESS(pointer) ((int64_t)(uint64_t)(uintptr_t)(pointer))

typedef struct {
    const char *message, *file, *function;
    int32_t line;
} trap_row;

static const trap_row traps[] = {
@TRAP_ROWS@
};

@GUARD@_ASSERT(sizeof traps / sizeof *traps == @GUARD@_TRAPS + 1, traps);
@GUARD@_ASSERT(sizeof(((@NAME@_scratch *)0)->words) >= @WORD_COUNT@ * @WORD_SIZE@, words);

@CODEC@
int32_t @NAME@_init(@STATE@ *state, uint64_t seed)
{
    int64_t slots[2] = {ADDRESS(state), (int64_t)seed};
    __builtin_memset(state, 0, sizeof *state);
    int32_t code = ENTRY(init)(slots);
    if (code) __builtin_memset(state, 0, sizeof *state);
    return code;
}

int32_t @NAME@_step(@STATE@ *state, const @INPUT@ inputs[@PLAYERS@], @NAME@_scratch *scratch)
{
    int64_t slots[3] = {ADDRESS(state), ADDRESS(inputs), @PLAYERS@};
    __builtin_memcpy(&scratch->state, state, sizeof *state);
    int32_t code = ENTRY(step)(slots);
    if (code) __builtin_memcpy(state, &scratch->state, sizeof *state);
    return code;
}

int32_t @NAME@_run(@STATE@ *state, const @INPUT@ *inputs, size_t frames, uint64_t *hashes,
                   size_t *done, @NAME@_scratch *scratch)
{
    int32_t code = 0;
    size_t whole = 0;
    if (done) *done = 0;
    if (frames > SIZE_MAX / (@PLAYERS@ * sizeof *inputs) || frames > SIZE_MAX / sizeof *hashes)
        return @GUARD@_REFUSED;
    if (!hashes) {
        while (whole < frames && !(code = @NAME@_step(state, inputs, scratch))) {
            inputs += @PLAYERS@;
            whole++;
        }
    } else if (frames) {
        uint64_t count = 0;
        int64_t slots[] = {ADDRESS(state),          ADDRESS(&scratch->state), ADDRESS(inputs),
                           (int64_t)frames,         @PLAYERS@,                ADDRESS(hashes),
                           (int64_t)frames,         ADDRESS(scratch->words),  @WORD_COUNT@,
                           ADDRESS(&count),         1};
        code = ENTRY(run)(slots);
        if (code) __builtin_memcpy(state, &scratch->state, sizeof *state);
        whole = (size_t)count;
    }
    if (done) *done = whole;
    return code;
}

uint64_t @NAME@_hash(const @STATE@ *state, @NAME@_scratch *scratch)
{
    int64_t slots[4] = {ADDRESS(state), ADDRESS(scratch->words), @WORD_COUNT@, 0};
    ENTRY(hash)(slots);
    return (uint64_t)slots[3];
}

void @NAME@_save(const @STATE@ *state, uint8_t *bytes)
{
    put_@PUT_STATE@(bytes, state);
}

int32_t @NAME@_restore(@STATE@ *state, const uint8_t *bytes, size_t size)
{
    if (!bytes || size != @GUARD@_STATE_BYTES) return @GUARD@_REFUSED;
    __builtin_memset(state, 0, sizeof *state);
    take_@PUT_STATE@(state, bytes);
    return 0;
}

void @NAME@_input_save(const @INPUT@ *input, uint8_t *bytes)
{
    put_@PUT_INPUT@(bytes, input);
}

int32_t @NAME@_input_restore(@INPUT@ *input, const uint8_t *bytes, size_t size)
{
    if (!bytes || size != @GUARD@_INPUT_BYTES) return @GUARD@_REFUSED;
    __builtin_memset(input, 0, sizeof *input);
    take_@PUT_INPUT@(input, bytes);
    return 0;
}

static const trap_row *row_of(int32_t code)
{
    return &traps[code > 0 && code <= @GUARD@_TRAPS ? code : 0];
}

const char *@NAME@_trap_message(int32_t code)
{
    return row_of(code)->message;
}

const char *@NAME@_trap_file(int32_t code)
{
    return row_of(code)->file;
}

const char *@NAME@_trap_function(int32_t code)
{
    return row_of(code)->function;
}

int32_t @NAME@_trap_line(int32_t code)
{
    return row_of(code)->line;
}

const char *@NAME@_digest(void)
{
    return @GUARD@_DIGEST;
}
