/* Inputs on the wire: what changed since the frame before, by a mask of the input's fields. */

enum {
    INPUT_BYTES = @INPUT_BYTES@,
    FRAME_BYTES = @PLAYERS@ * @INPUT_BYTES@,
    GROUPS = @GROUPS@,
    MASK_BYTES = (GROUPS + 7) / 8,
    SLOTS_BYTES = (@PLAYERS@ + 7) / 8
};

/* Where in an input the bytes of each bit of a mask are, the lowest bit first. */
static const struct {
    uint32_t start, stop;
} groups[GROUPS + 1] = {
@GROUP_ROWS@
    {0, 0}
};

static const uint8_t zeros[FRAME_BYTES + 1];

/* Arrays of no bytes may have no address. */
static void copy(void *to, const void *from, size_t size)
{
    if (size) __builtin_memcpy(to, from, size);
}

static int same(const uint8_t *a, const uint8_t *b, size_t size)
{
    for (size_t k = 0; k < size; k++)
        if (a[k] != b[k]) return 0;
    return 1;
}

/* Make canonical what may come from anywhere. */
static void canonical(uint8_t *bytes)
{
    @INPUT@ given;
    @NAME@_input_restore(&given, bytes, INPUT_BYTES);
    @NAME@_input_save(&given, bytes);
}

static uint8_t *put_input(uint8_t *to, const uint8_t *before, const uint8_t *now)
{
    uint64_t mask = 0;
    uint8_t *at = to;
    to += MASK_BYTES;
    for (int n = 0; n < GROUPS; n++) {
        uint32_t start = groups[n].start, size = groups[n].stop - start;
        if (same(before + start, now + start, size)) continue;
        mask |= UINT64_C(1) << n;
        copy(to, now + start, size);
        to += size;
    }
    for (int k = 0; k < MASK_BYTES; k++) at[k] = (uint8_t)(mask >> (8 * k));
    return to;
}

/* Change an input to the one that is told next. */
static void get_input(reader *from, uint8_t *input)
{
    uint64_t mask = get_uint(from, MASK_BYTES);
    if (GROUPS < 64 && mask >> (GROUPS & 63)) failed(from, "an input has a mask for no fields");
    if (!mask || from->fault) return;
    for (int n = 0; n < GROUPS; n++) {
        if (!(mask >> n & 1)) continue;
        uint32_t start = groups[n].start, size = groups[n].stop - start;
        if ((size_t)(from->end - from->at) < size) {
            failed(from, "an input ends within the record");
            return;
        }
        copy(input + start, from->at, size);
        from->at += size;
    }
    canonical(input);
}

static uint64_t get_slots(reader *from)
{
    uint64_t slots = get_uint(from, SLOTS_BYTES);
    if (@PLAYERS@ < 64 && slots >> (@PLAYERS@ & 63))
        failed(from, "a closed frame has slots that there are not");
    return slots;
}
