/* Records and their fields, by the protocol's table; docs/net.md has it. */

enum { AS_VARINT, AS_SIGNED, AS_U64, AS_BLOB, AS_TEXT, AS_REST };
enum { OF_PEER = 1, OF_RELAY = 2 };

typedef struct {
    uint8_t kind;
    uint64_t most;
} field_kind;

typedef struct {
    uint8_t type, senders, first, count;
} record_row;

enum {
@RECORD_TYPES@
};
@RECORD_FIELDS@
enum { MOST_FIELDS = @MOST_FIELDS@ };

static const field_kind field_kinds[] = {
@FIELD_KINDS@
};

static const record_row record_rows[] = {
@RECORD_ROWS@
};

/* One field's value: a number, negative ones as two's complement, or bytes. */
typedef struct {
    uint64_t number;
    const uint8_t *bytes;
    size_t size;
} field;

/* Bytes that are read. After a fault nothing more is. */
typedef struct {
    const uint8_t *at, *end;
    const char *fault;
} reader;

static uint64_t failed(reader *from, const char *fault)
{
    if (!from->fault) from->fault = fault;
    from->at = from->end;
    return 0;
}

/* LEB128 in its shortest form. */
static uint64_t get_varint(reader *from, uint64_t most)
{
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
        if (from->at == from->end) return failed(from, "a number ends within the record");
        uint8_t byte = *from->at++;
        if (shift == 63 && byte > 1) return failed(from, "a number has more than 64 bits");
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte & 0x80) continue;
        if (!byte && shift) return failed(from, "a number is not in its shortest form");
        if (value > most) return failed(from, "a number is too large");
        return value;
    }
}

/* So many bytes little-endian, at most eight. */
static uint64_t get_uint(reader *from, size_t size)
{
    uint64_t value = 0;
    if ((size_t)(from->end - from->at) < size) return failed(from, "a field ends within the record");
    for (size_t k = 0; k < size; k++) value |= (uint64_t)from->at[k] << (8 * k);
    from->at += size;
    return value;
}

/* Whether bytes are UTF-8, as RFC 3629 has it, without control characters. */
static int is_text(const uint8_t *at, size_t size)
{
    const uint8_t *end = at + size;
    while (at < end) {
        uint8_t c = *at++;
        if (c < 0x80) {
            if (c < 0x20 || c == 0x7F) return 0;
            continue;
        }
        int more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : 1;
        if (c < 0xC2 || c > 0xF4 || end - at < more) return 0;
        uint8_t low = 0x80, high = 0xBF;
        if (c == 0xC2) low = 0xA1; /* no C1 controls */
        if (c == 0xE0) low = 0xA0;
        if (c == 0xF0) low = 0x90;
        if (c == 0xED) high = 0x9F;
        if (c == 0xF4) high = 0x8F;
        for (; more; more--, at++, low = 0x80, high = 0xBF)
            if (*at < low || *at > high) return 0;
    }
    return 1;
}

static field get_field(reader *from, const field_kind *kind)
{
    field found = {0, from->at, 0};
    switch (kind->kind) {
    case AS_VARINT: found.number = get_varint(from, kind->most); break;
    case AS_SIGNED: {
        uint64_t value = get_varint(from, 2 * kind->most);
        found.number = value & 1 ? ~(value >> 1) : value >> 1;
        break;
    }
    case AS_U64: found.number = get_uint(from, 8); break;
    case AS_REST:
        found.size = (size_t)(from->end - from->at);
        from->at = from->end;
        break;
    default:
        found.size = (size_t)get_varint(from, kind->most);
        found.bytes = from->at;
        if (found.size > (size_t)(from->end - from->at)) {
            failed(from, "a field ends within the record");
            found.size = 0;
        } else if (kind->kind == AS_TEXT && !is_text(from->at, found.size)) {
            failed(from, "a text is not UTF-8, or has characters that cannot be printed");
            found.size = 0;
        }
        if (!from->fault) from->at += found.size;
    }
    return found;
}

static const record_row *row_of_type(uint8_t type, uint8_t sender)
{
    for (size_t k = 0; k < sizeof record_rows / sizeof *record_rows; k++)
        if (record_rows[k].type == type && record_rows[k].senders & sender) return &record_rows[k];
    return NULL;
}

/* The next record of a message from a relay, NULL after the last one, at a fault, and where it is
   `skipped`. */
static const record_row *get_record(reader *from, field fields[MOST_FIELDS])
{
    uint8_t type = *from->at++;
    uint64_t size = get_varint(from, @MESSAGE@);
    if (size > (size_t)(from->end - from->at)) failed(from, "a record ends within the message");
    if (from->fault) return NULL;
    reader body = {from->at, from->at + size, NULL};
    from->at += size;
    const record_row *row = row_of_type(type, OF_RELAY);
    if (!row) {
        if (type < @SKIPPED@) failed(from, "a record has a type that no relay sends");
        return NULL;
    }
    for (int k = 0; k < row->count; k++)
        fields[k] = get_field(&body, &field_kinds[row->first + k]);
    if (!body.fault && body.at != body.end) failed(&body, "a record has bytes too many");
    if (body.fault) failed(from, body.fault);
    return from->fault ? NULL : row;
}

static size_t varint_size(uint64_t value)
{
    size_t size = 1;
    for (; value > 0x7F; value >>= 7) size++;
    return size;
}

static uint8_t *put_varint(uint8_t *to, uint64_t value)
{
    for (; value > 0x7F; value >>= 7) *to++ = (uint8_t)(value | 0x80);
    *to++ = (uint8_t)value;
    return to;
}

static uint64_t zigzag(uint64_t value)
{
    return value >> 63 ? ~(value << 1) : value << 1;
}

static size_t field_size(const field *value, int kind)
{
    switch (kind) {
    case AS_VARINT: return varint_size(value->number);
    case AS_SIGNED: return varint_size(zigzag(value->number));
    case AS_U64: return 8;
    case AS_REST: return value->size;
    default: return varint_size(value->size) + value->size;
    }
}

static uint8_t *put_field(uint8_t *to, const field *value, int kind)
{
    switch (kind) {
    case AS_VARINT: return put_varint(to, value->number);
    case AS_SIGNED: return put_varint(to, zigzag(value->number));
    case AS_U64:
        for (int k = 0; k < 8; k++) *to++ = (uint8_t)(value->number >> (8 * k));
        return to;
    case AS_REST: break;
    default: to = put_varint(to, value->size);
    }
    if (value->size) __builtin_memcpy(to, value->bytes, value->size);
    return to + value->size;
}
