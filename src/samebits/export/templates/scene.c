/* The drawing of one simulation: a state is put in as its canonical bytes, and the shapes that the
   scene's kernel makes of it come out. It has memory of its own, so that no run is touched. */

#include "@NAME@.h"
#include "wasm.h"

int32_t @NAME@_scene_draw(const int64_t *slots);

@CODEC@
static @STATE@ state;
static uint8_t bytes[@GUARD@_STATE_BYTES];
static uint64_t marks[(@MARKS_BYTES@) / 8]; /* their count, and the marks */

EXPORT(bytes_at) void *bytes_at(void) { return bytes; }
EXPORT(marks_at) void *marks_at(void) { return marks; }

/* Draw what `bytes` holds; the status of the kernel. */
EXPORT(draw) int32_t draw(void)
{
    int64_t slots[2] = {(int64_t)(uint64_t)(uintptr_t)&state, (int64_t)(uint64_t)(uintptr_t)marks};
    __builtin_memset(&state, 0, sizeof state);
    take_@PUT_STATE@(&state, bytes);
    __builtin_memset(marks, 0, sizeof marks);
    return @NAME@_scene_draw(slots);
}
