/* Desync reports: what a peer kept of its last frames, as `samebits diagnose` reads it.
   An MCAP file whose parts are stored, in zlib's form; integers and copies alone, in either byte
   order. docs/reference/formats.md has the format. */

#include "@NAME@.h"

#define FRAME_BYTES ((size_t)@PLAYERS@ * @INPUT_BYTES@)
#define BLOCK_FRAMES ((size_t)@REPORT_BLOCK@)
#define BLOCK_VALUES ((size_t)512)
#define PIECE_BYTES ((size_t)60 * 1024)
#define STORED_BYTES ((size_t)65535)
#define MESSAGE_BYTES ((size_t)9 + 22 + 24)
#define CHUNK_BYTES ((size_t)9 + 40)
#define MAX_FRAMES ((uint64_t)1 << 22)
#define MAX_KEPT ((size_t)36000)
#define MAX_BYTES ((size_t)16 * 1024 * 1024)
#define MAX_MACHINE ((size_t)200)
#define MAX_NUMBER ((size_t)20)

static const char machine_before[] = @MACHINE_BEFORE@;
static const char machine_after[] = @MACHINE_AFTER@;
static const char run_before[] = @RUN_BEFORE@;
static const char run_after[] = @RUN_AFTER@;
static const char contents_names[] = @CONTENTS@;
static const char library[] = @LIBRARY@;
static const char *const trap_facts[] = {
    "",
@TRAP_FACTS@
};
static const char *const topics[] = {@TOPICS@};

@GUARD@_ASSERT(sizeof trap_facts / sizeof *trap_facts == @GUARD@_TRAPS + 1, trap_facts);

enum { HASHES = 1, INPUT_HASHES, INPUTS, STATES };

/* Bytes written so far; nothing is written beyond the room. */
typedef struct {
    uint8_t *bytes;
    size_t room, at;
} writer;

/* A part that is being cut in pieces. */
typedef struct {
    writer *to;
    uint64_t number, checksum, time;
    uint32_t index, count;
    uint16_t channel;
    size_t left, piece, chunk;
} part;

static void put(writer *to, const void *from, size_t size)
{
    if (size <= to->room - to->at) {
        __builtin_memcpy(to->bytes + to->at, from, size);
        to->at += size;
    } else {
        to->room = to->at = 0; /* the size that was asked for was wrong: nothing comes out */
    }
}

static void put_uint(writer *to, uint64_t value, int size)
{
    uint8_t bytes[8];
    for (int k = 0; k < size; k++) bytes[k] = (uint8_t)(value >> (8 * k));
    put(to, bytes, (size_t)size);
}

static size_t length(const char *text)
{
    size_t n = 0;
    while (text[n]) n++;
    return n;
}

static void put_text(writer *to, const char *text)
{
    put(to, text, length(text));
}

static void put_decimal(writer *to, uint64_t value)
{
    char digits[MAX_NUMBER];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    put(to, digits + at, sizeof digits - at);
}

static void put_hexadecimal(writer *to, uint64_t value)
{
    static const char digits[] = "0123456789abcdef";
    for (int shift = 60; shift >= 0; shift -= 4) put(to, &digits[value >> shift & 15], 1);
}

static uint64_t word_at(const uint8_t *from, int size)
{
    uint64_t word = 0;
    for (int k = 0; k < size; k++) word |= (uint64_t)from[k] << (8 * k);
    return word;
}

/* XXH64 with seed 0, which peers of matches use too: github.com/Cyan4973/xxHash, doc/xxhash_spec.md. */
#define P1 UINT64_C(0x9E3779B185EBCA87)
#define P2 UINT64_C(0xC2B2AE3D27D4EB4F)
#define P3 UINT64_C(0x165667B19E3779F9)
#define P4 UINT64_C(0x85EBCA77C2B2AE63)
#define P5 UINT64_C(0x27D4EB2F165667C5)

static uint64_t rotated(uint64_t value, int by)
{
    return value << by | value >> (64 - by);
}

static uint64_t mixed(uint64_t lane, uint64_t word)
{
    return rotated(lane + word * P2, 31) * P1;
}

uint64_t @NAME@_xxh64(const uint8_t *from, size_t size);

uint64_t @NAME@_xxh64(const uint8_t *from, size_t size)
{
    const uint8_t *end = from + size;
    uint64_t hash = P5;
    if (size >= 32) {
        uint64_t lanes[4] = {P1 + P2, P2, 0, 0 - P1};
        for (; end - from >= 32; from += 32)
            for (int k = 0; k < 4; k++) lanes[k] = mixed(lanes[k], word_at(from + 8 * k, 8));
        hash = rotated(lanes[0], 1) + rotated(lanes[1], 7) + rotated(lanes[2], 12) +
               rotated(lanes[3], 18);
        for (int k = 0; k < 4; k++) hash = (hash ^ mixed(0, lanes[k])) * P1 + P4;
    }
    hash += size;
    for (; end - from >= 8; from += 8)
        hash = rotated(hash ^ mixed(0, word_at(from, 8)), 27) * P1 + P4;
    if (end - from >= 4) {
        hash = rotated(hash ^ word_at(from, 4) * P1, 23) * P2 + P3;
        from += 4;
    }
    for (; from < end; from++) hash = rotated(hash ^ *from * P5, 11) * P1;
    hash = (hash ^ hash >> 33) * P2;
    hash = (hash ^ hash >> 29) * P3;
    return hash ^ hash >> 32;
}

/* CRC-32 of IEEE 802.3, four bits at a time. */
static uint32_t crc32(const uint8_t *from, size_t size)
{
    static const uint32_t row[16] = {
        0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4,
        0x4DB26158, 0x5005713C, 0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
        0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C,
    };
    uint32_t crc = UINT32_MAX;
    for (; size; size--) {
        crc ^= *from++;
        crc = crc >> 4 ^ row[crc & 15];
        crc = crc >> 4 ^ row[crc & 15];
    }
    return ~crc;
}

/* RFC 1950. */
static uint32_t adler32(const uint8_t *from, size_t size)
{
    uint32_t a = 1, b = 0;
    for (; size; size--) {
        a = (a + *from++) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static size_t packed_size(size_t size)
{
    return 2 + size + 5 * ((size + STORED_BYTES - 1) / STORED_BYTES) + 4;
}

static void begin_piece(part *p)
{
    writer *to = p->to;
    p->piece = p->left < PIECE_BYTES ? p->left : PIECE_BYTES;
    p->left -= p->piece;
    size_t records = MESSAGE_BYTES + p->piece;
    put_uint(to, 6, 1); /* a chunk */
    put_uint(to, CHUNK_BYTES - 9 + records, 8);
    put_uint(to, p->time, 8);
    put_uint(to, p->time, 8);
    put_uint(to, records, 8);
    put_uint(to, 0, 4); /* its checksum, which end_piece knows */
    put_uint(to, 0, 4);
    put_uint(to, records, 8);
    p->chunk = to->at;
    put_uint(to, 5, 1); /* a message */
    put_uint(to, records - 9, 8);
    put_uint(to, p->channel, 2);
    put_uint(to, 0, 4);
    put_uint(to, p->time, 8);
    put_uint(to, p->time, 8);
    put_uint(to, p->number, 8);
    put_uint(to, p->index++, 4);
    put_uint(to, p->count, 4);
    put_uint(to, p->checksum, 8);
}

static void end_piece(const part *p)
{
    writer *to = p->to;
    if (!to->room) return;
    writer patch = {to->bytes + p->chunk - 16, 4, 0};
    put_uint(&patch, crc32(to->bytes + p->chunk, to->at - p->chunk), 4);
}

static void put_packed(part *p, const uint8_t *from, size_t size)
{
    while (size) {
        if (!p->piece) begin_piece(p);
        size_t count = size < p->piece ? size : p->piece;
        put(p->to, from, count);
        from += count;
        size -= count;
        p->piece -= count;
        if (!p->piece) end_piece(p);
    }
}

static void put_part(writer *to, int channel, uint64_t number, const uint8_t *data, size_t size)
{
    size_t packed = packed_size(size);
    part p = {to, number, @NAME@_xxh64(data, size), 0, 0, 0, (uint16_t)channel, packed, 0, 0};
    p.time = number * UINT64_C(1000000000) / @TICK_RATE@;
    p.count = (uint32_t)((packed + PIECE_BYTES - 1) / PIECE_BYTES);
    const uint8_t head[2] = {0x78, 0x01};
    put_packed(&p, head, 2);
    uint32_t sum = adler32(data, size);
    while (size) {
        size_t count = size < STORED_BYTES ? size : STORED_BYTES;
        uint8_t low = (uint8_t)count, high = (uint8_t)(count >> 8);
        const uint8_t block[5] = {size == count, low, high, (uint8_t)~low, (uint8_t)~high};
        put_packed(&p, block, 5);
        put_packed(&p, data, count);
        data += count;
        size -= count;
    }
    const uint8_t tail[4] = {(uint8_t)(sum >> 24), (uint8_t)(sum >> 16), (uint8_t)(sum >> 8),
                             (uint8_t)sum};
    put_packed(&p, tail, 4);
}

/* A string of MCAP, between its beginning and its end, where its length is put. */
static size_t begin_string(writer *to)
{
    put_uint(to, 0, 4);
    return to->at;
}

static void end_sized(writer *to, size_t start, int size)
{
    if (!to->room) return;
    writer patch = {to->bytes + start - size, (size_t)size, 0};
    put_uint(&patch, to->at - start, size);
}

static void put_string(writer *to, const char *text)
{
    put_uint(to, length(text), 4);
    put_text(to, text);
}

static size_t begin_record(writer *to, int kind)
{
    put_uint(to, (uint64_t)kind, 1);
    put_uint(to, 0, 8);
    return to->at;
}

/* The channels, in a chunk of their own. */
static void put_channels(writer *to)
{
    size_t record = begin_record(to, 6);
    put_uint(to, 0, 8);
    put_uint(to, 0, 8);
    size_t head = to->at;
    put_uint(to, 0, 8);
    put_uint(to, 0, 4);
    put_uint(to, 0, 4);
    put_uint(to, 0, 8);
    size_t start = to->at;
    for (size_t k = 0; k < sizeof topics / sizeof *topics; k++) {
        size_t channel = begin_record(to, 4);
        put_uint(to, k + 1, 2);
        put_uint(to, 0, 2);
        put_string(to, topics[k]);
        put_string(to, "samebits");
        put_uint(to, 0, 4);
        end_sized(to, channel, 8);
    }
    end_sized(to, record, 8);
    if (!to->room) return;
    writer patch = {to->bytes + head, 24, 0};
    put_uint(&patch, to->at - start, 8);
    put_uint(&patch, crc32(to->bytes + start, to->at - start), 4);
    put_uint(&patch, 0, 4);
    put_uint(&patch, to->at - start, 8);
}

static void put_run(writer *to, uint64_t seed, const uint64_t *checksum)
{
    put_text(to, "{");
    if (checksum) {
        put_text(to, "\"checksum\":\"");
        put_hexadecimal(to, *checksum);
        put_text(to, "\",");
    }
    put_text(to, run_before);
    put_decimal(to, seed);
    put_text(to, run_after);
}

/* The control register of this thread that has the rounding and the flushing, its flags masked. */
static void put_register(writer *to)
{
#if defined(__x86_64__) || defined(__SSE2__)
    uint32_t word = 0;
    __asm__ volatile("stmxcsr %0" : "=m"(word));
    put_text(to, "[\"mxcsr\",");
    put_decimal(to, word & ~UINT32_C(0x3F));
    put_text(to, "]");
#elif defined(__aarch64__)
    uint64_t word = 0;
    __asm__ volatile("mrs %0, fpcr" : "=r"(word));
    put_text(to, "[\"fpcr\",");
    put_decimal(to, word);
    put_text(to, "]");
#else
    (void)to;
#endif
}

static void put_machine(writer *to, const char *machine)
{
    put_text(to, machine_before);
    put_text(to, "\"processor\":\"");
    if (machine) put_text(to, machine);
    put_text(to, "\",\"python\":\"\",\"registers\":[");
    put_register(to);
    put_text(to, "]");
    put_text(to, machine_after);
}

static void put_contents(writer *to, const @NAME@_history *kept)
{
    uint64_t whole = kept->first + kept->frames;
    put_text(to, "{\"asked\":[");
    put_decimal(to, kept->first);
    put_text(to, ",");
    put_decimal(to, whole + (kept->trap != 0));
    put_text(to, "],\"first\":");
    put_decimal(to, kept->first);
    put_text(to, ",\"frames\":");
    put_decimal(to, whole);
    put_text(to, contents_names);
    put_text(to, ",\"states\":[");
    for (size_t k = 0; k < kept->states; k++) {
        if (k) put_text(to, ",");
        put_decimal(to, kept->numbers[k]);
    }
    put_text(to, "]");
    if (kept->trap) put_text(to, trap_facts[kept->trap]);
    put_text(to, "}");
}

/* A JSON string of the text at `start` and on, behind the name. It is printable ASCII. */
static void put_quoted(writer *to, const char *name, size_t start, size_t end)
{
    put_text(to, name);
    put_text(to, "\"");
    for (size_t at = start; at < end && to->room; at++) {
        uint8_t c = to->bytes[at];
        if (c == '"' || c == '\\') put_text(to, "\\");
        put(to, &c, 1);
    }
    put_text(to, "\"");
}

/* The metadata record in front of the parts, and again behind them. */
static void put_description(writer *to, const @NAME@_history *kept)
{
    writer sum = *to;
    put_run(&sum, kept->seed, NULL);
    uint64_t checksum = @NAME@_xxh64(to->bytes + to->at, sum.room ? sum.at - to->at : 0);
    size_t record = begin_record(to, 12);
    put_string(to, "samebits.report");
    size_t pairs = begin_string(to);
    put_string(to, "contents");
    size_t contents = begin_string(to);
    put_contents(to, kept);
    end_sized(to, contents, 4);
    size_t contents_end = to->at;
    put_string(to, "format");
    put_string(to, "1");
    put_string(to, "machine");
    size_t machine = begin_string(to);
    put_machine(to, kept->machine);
    end_sized(to, machine, 4);
    size_t machine_end = to->at;
    put_string(to, "run");
    size_t run = begin_string(to);
    put_run(to, kept->seed, &checksum);
    end_sized(to, run, 4);
    size_t run_end = to->at;
    sum = *to; /* over the JSON of all four, behind what is written */
    put_quoted(&sum, "{\"contents\":", contents, contents_end);
    put_text(&sum, ",\"format\":\"1\"");
    put_quoted(&sum, ",\"machine\":", machine, machine_end);
    put_quoted(&sum, ",\"run\":", run, run_end);
    put_text(&sum, "}");
    checksum = @NAME@_xxh64(to->bytes + to->at, sum.room ? sum.at - to->at : 0);
    if (!sum.room) *to = sum;
    put_string(to, "checksum");
    size_t hexadecimal = begin_string(to);
    put_hexadecimal(to, checksum);
    end_sized(to, hexadecimal, 4);
    end_sized(to, pairs, 4);
    end_sized(to, record, 8);
}

/* Whether `text` may stand in a report: printable ASCII without quotes, or nothing. */
static int is_plain(const char *text)
{
    size_t n = 0;
    if (!text) return 1;
    for (; text[n]; n++)
        if (n >= MAX_MACHINE || text[n] < 32 || text[n] > 126 || text[n] == '"' || text[n] == '\\')
            return 0;
    return 1;
}

static int can_be(const @NAME@_history *kept)
{
    if (!kept || !kept->hashes || (kept->states && (!kept->numbers || !kept->kept))) return 0;
    if (kept->trap < 0 || kept->trap > @GUARD@_TRAPS || !is_plain(kept->machine)) return 0;
    size_t begun = kept->frames + (kept->trap != 0);
    if (kept->frames >= MAX_KEPT || kept->first > MAX_FRAMES - begun) return 0;
    if (begun && !kept->inputs) return 0;
    if (FRAME_BYTES > 0 && begun > MAX_BYTES / FRAME_BYTES) return 0;
    if (kept->states > MAX_BYTES / @STATE_BYTES@) return 0;
    for (size_t k = 0; k < kept->states; k++) {
        uint64_t number = kept->numbers[k];
        if (number < kept->first || number > kept->first + kept->frames) return 0;
        if (k && number <= kept->numbers[k - 1]) return 0;
    }
    return 1;
}

static size_t scratch_size(void)
{
    size_t most = BLOCK_FRAMES * FRAME_BYTES;
    if (most < 8 * BLOCK_VALUES) most = 8 * BLOCK_VALUES;
    return most < @STATE_BYTES@ ? @STATE_BYTES@ : most;
}

static void put_hashes(writer *to, const @NAME@_history *kept, uint8_t *scratch)
{
    size_t count = kept->frames + 1;
    for (size_t first = 0; first < count; first += BLOCK_VALUES) {
        writer block = {scratch, 8 * BLOCK_VALUES, 0};
        for (size_t k = first; k < count && k < first + BLOCK_VALUES; k++)
            put_uint(&block, kept->hashes[k], 8);
        put_part(to, HASHES, kept->first + first, scratch, block.at);
    }
}

static void put_frame(const @NAME@_history *kept, size_t frame, uint8_t *bytes)
{
    for (size_t p = 0; p < @PLAYERS@; p++)
        @NAME@_input_save(&kept->inputs[frame * @PLAYERS@ + p], bytes + p * @INPUT_BYTES@);
}

static void put_inputs(writer *to, const @NAME@_history *kept, uint8_t *scratch)
{
    size_t begun = kept->frames + (kept->trap != 0);
    uint64_t hashes[BLOCK_VALUES];
    for (size_t first = 0; first < begun; first += BLOCK_VALUES) {
        writer block = {scratch, 8 * BLOCK_VALUES, 0};
        size_t count = begun - first < BLOCK_VALUES ? begun - first : BLOCK_VALUES;
        for (size_t k = 0; k < count; k++) {
            put_frame(kept, first + k, scratch);
            hashes[k] = @NAME@_xxh64(scratch, FRAME_BYTES);
        }
        for (size_t k = 0; k < count; k++) put_uint(&block, hashes[k], 8);
        put_part(to, INPUT_HASHES, kept->first + first, scratch, block.at);
    }
    for (size_t first = 0; FRAME_BYTES > 0 && first < begun; first += BLOCK_FRAMES) {
        size_t count = begun - first < BLOCK_FRAMES ? begun - first : BLOCK_FRAMES;
        for (size_t k = 0; k < count; k++)
            put_frame(kept, first + k, scratch + k * FRAME_BYTES);
        put_part(to, INPUTS, kept->first + first, scratch, count * FRAME_BYTES);
    }
}

size_t @NAME@_report(const @NAME@_history *kept, uint8_t *bytes, size_t room)
{
    static const uint8_t mark[8] = {0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'};
    if (!bytes || !can_be(kept)) return 0;
    size_t least = @GUARD@_REPORT_BYTES(kept->frames, kept->states);
    if (room < least) return 0;
    uint8_t *scratch = bytes + (least - scratch_size());
    writer to = {bytes, least - scratch_size(), 0};
    put(&to, mark, sizeof mark);
    size_t header = begin_record(&to, 1);
    put_string(&to, "samebits-report");
    put_string(&to, library);
    end_sized(&to, header, 8);
    put_description(&to, kept);
    put_channels(&to);
    put_hashes(&to, kept, scratch);
    put_inputs(&to, kept, scratch);
    for (size_t k = 0; k < kept->states; k++) {
        @NAME@_save(&kept->kept[k], scratch);
        put_part(&to, STATES, kept->numbers[k], scratch, @STATE_BYTES@);
    }
    put_description(&to, kept);
    uint32_t crc = crc32(bytes, to.at);
    size_t end = begin_record(&to, 15);
    put_uint(&to, crc, 4);
    end_sized(&to, end, 8);
    size_t footer = begin_record(&to, 2);
    put_uint(&to, 0, 8);
    put_uint(&to, 0, 8);
    put_uint(&to, 0, 4);
    end_sized(&to, footer, 8);
    if (!to.room) return 0;
    writer patch = {bytes + footer + 16, 4, 0};
    put_uint(&patch, crc32(bytes + footer - 9, 25), 4);
    put(&to, mark, sizeof mark);
    return to.room ? to.at : 0;
}
