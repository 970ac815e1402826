/* The conversation with the relay, from HELLO to END. */

typedef struct {
    int32_t what, slot;
    uint64_t frame, value, slots;
} event_row;

/* A state or report that the relay takes chunk by chunk. */
typedef struct {
    uint64_t what, request, frame, hash;
    const uint8_t *data;
    size_t size;
} outgoing;

typedef struct {
    int comes, told; /* whether `total`, `frame` and `hash` are known */
    uint64_t request, frame, hash;
    size_t total, size;
    int64_t asked;
} incoming;

/* The bytes that are to be sent: messages behind their sizes, of four bytes. */
typedef struct {
    uint8_t *bytes;
    size_t first, last; /* what is not sent yet */
    size_t open;        /* where the message begins that is being written */
} outbound;

struct @NAME@_peer {
    pacer pace;
    delay_control control;
    timeline line;
    int32_t phase, slot, least_delay;
    int spectator, greeted, has_timeline, trap_told, has_heard, has_pinged;
    int rebased; /* whether bundles on their way may refer to frames that a state took the place of */
    uint64_t players, seed, stalls, lost, ping_number;
    int64_t heard, ping_at;
    size_t ping_count;
    noted pings[PINGS];
    size_t resume_size;
    uint8_t resume[MOST_RESUME];
    /* Inputs that are not sent: ordered by frames, modulo their number; frame + 1, 0 for none. */
    uint64_t next_input, sent, hashes_sent;
    uint64_t input_at[OUTBOX_FRAMES];
    uint8_t *input;
    uint8_t *body; /* working memory of an INPUT's body */
    uint8_t *row;  /* of a closed frame */
    incoming coming;
    uint8_t *coming_data;
    size_t going_count;
    outgoing going[GOING];
    uint8_t *going_data[GOING];
    uint8_t *report;
    @INPUT@ *report_inputs;
    @STATE@ *report_states;
    uint64_t report_hashes[REPORT_SPAN + 1];
    outbound out;
    size_t event_first, event_count;
    event_row events[EVENTS];
    size_t group_count;
    @NAME@_peer_group groups[MOST_GROUPS];
    const char *reason;
    char code[MOST_TEXT + 1], ours[MOST_TEXT + 1], theirs[MOST_TEXT + 1], text[MOST_TEXT + 1];
    char verdict[MOST_VERDICT + 1];
    char ticket[MOST_TICKET + 1], machine[MOST_MACHINE + 1];
};
typedef struct @NAME@_peer peer;

static size_t length(const char *text)
{
    size_t n = 0;
    while (text[n]) n++;
    return n;
}

static field number(uint64_t value)
{
    return (field){value, NULL, 0};
}

static field text_of(const char *text)
{
    return (field){0, (const uint8_t *)text, length(text)};
}

static void keep_text(char *to, field from)
{
    copy(to, from.bytes, from.size);
    to[from.size] = 0;
}

static void add_event(peer *p, int32_t what, uint64_t slot, uint64_t frame, uint64_t value,
                      uint64_t slots)
{
    /* The last place is for the end of the conversation. */
    if (p->event_count >= EVENTS - (what < @GUARD@_PEER_REFUSED)) {
        p->lost++;
        return;
    }
    event_row *at = &p->events[(p->event_first + p->event_count++) % EVENTS];
    *at = (event_row){what, (int32_t)slot, frame, value, slots};
}

static void end_with(peer *p, int32_t what, const char *reason, uint64_t frame, uint64_t value)
{
    p->phase = @GUARD@_PEER_OVER;
    p->pace.runs = 0;
    p->reason = reason;
    add_event(p, what, 0, frame, value, 0);
}

static void broken(peer *p, const char *reason)
{
    end_with(p, @GUARD@_PEER_BROKEN, reason, 0, 0);
}

/* What is sent. */

static void begin_message(outbound *out)
{
    out->open = out->last;
    out->last += 4;
}

static void end_message(outbound *out)
{
    size_t size = out->last - out->open - 4;
    if (!size) {
        out->last = out->open;
        return;
    }
    for (int k = 0; k < 4; k++) out->bytes[out->open + (size_t)k] = (uint8_t)(size >> (8 * k));
}

static size_t room_of(const outbound *out)
{
    return (size_t)OUT_BYTES - (out->last - out->first);
}

/* Put a record into the message that is being written, or behind it. Returns 0 where there is no
   room for it, as the program has not sent what was there before. */
static int put_record(peer *p, int type, const field *fields)
{
    outbound *out = &p->out;
    const record_row *row = row_of_type((uint8_t)type, OF_PEER);
    size_t body = 0;
    for (int k = 0; k < row->count; k++)
        body += field_size(&fields[k], field_kinds[row->first + k].kind);
    size_t size = 1 + varint_size(body) + body;
    if (size + 8 > room_of(out)) return 0;
    if (size + 8 > (size_t)OUT_BYTES - out->last) {
        __builtin_memmove(out->bytes, out->bytes + out->first, out->last - out->first);
        out->last -= out->first;
        out->open -= out->first;
        out->first = 0;
    }
    if (out->last - out->open - 4 + size > MESSAGE_UP && out->last - out->open > 4) {
        end_message(out);
        begin_message(out);
    }
    uint8_t *to = out->bytes + out->last;
    *to++ = (uint8_t)type;
    to = put_varint(to, body);
    for (int k = 0; k < row->count; k++)
        to = put_field(to, &fields[k], field_kinds[row->first + k].kind);
    out->last += size;
    return 1;
}

/* Put a record without which the match does not go on. */
static void must_put(peer *p, int type, const field *fields)
{
    if (!put_record(p, type, fields) && p->phase != @GUARD@_PEER_OVER)
        broken(p, "what is to be sent was not taken");
}

static void put_hello(peer *p)
{
    char environment[MOST_ENVIRONMENT];
    put_environment(environment);
    field fields[MOST_FIELDS] = {{0, NULL, 0}};
    fields[HELLO_LOWEST] = fields[HELLO_HIGHEST] = number(@PROTOCOL@);
    fields[HELLO_SIMULATION] = text_of(@SIMULATION_TEXT@);
    fields[HELLO_VERSION] = text_of(@GUARD@_VERSION);
    fields[HELLO_DIGEST] = text_of(@GUARD@_DIGEST);
    fields[HELLO_SCHEMA] = number(UINT64_C(@SCHEMA@));
    fields[HELLO_SAMEBITS] = text_of(@LIBRARY@);
    fields[HELLO_TARGET] = text_of(@TARGET_TEXT@);
    fields[HELLO_FINGERPRINT] = text_of(@FINGERPRINT@);
    fields[HELLO_ENVIRONMENT] = text_of(environment);
    fields[HELLO_WINDOW] = number(p->line.window);
    fields[HELLO_CONFIRMED] = number(p->line.confirmed);
    if (p->resume_size)
        fields[HELLO_RESUME] = (field){0, p->resume, p->resume_size};
    else
        fields[HELLO_TICKET] = text_of(p->ticket);
    must_put(p, HELLO, fields);
}

static void put_ready(peer *p, uint64_t hashed)
{
    field fields[READY_FIELDS];
    fields[READY_FRAME] = number(p->line.confirmed);
    fields[READY_HASHED] = number(hashed);
    must_put(p, READY, fields);
}

/* Tell inputs and hashes that were not told. Returns how many hashes, -1 where there was nothing. */
static int put_inputs(peer *p)
{
    const timeline *t = &p->line;
    uint64_t first = p->sent > t->confirmed ? p->sent : t->confirmed;
    uint64_t stop = p->next_input, frame = first;
    if (stop > first + OUTBOX_FRAMES) stop = first + OUTBOX_FRAMES;
    while (frame < stop && p->input_at[frame % OUTBOX_FRAMES] != frame + 1) frame++;
    if (frame >= stop) frame = p->next_input;
    first = frame;
    uint64_t count = t->final > p->hashes_sent ? t->final - p->hashes_sent : 0;
    if (count > HASHES_AT_ONCE) count = HASHES_AT_ONCE;
    if ((first == p->next_input && !count) || room_of(&p->out) < INPUT_ROOM) return -1;
    uint8_t *to = p->body;
    const uint64_t told = p->hashes_sent + count;
    for (uint64_t n = p->hashes_sent; n < told; n++) {
        const uint64_t *hash = hash_of(t, n);
        for (int k = 0; k < 8; k++) *to++ = (uint8_t)((hash ? *hash : 0) >> (8 * k));
    }
    /* The input before, where it was the latest that was sent. */
    const uint8_t *before = zeros;
    uint64_t relative = first == p->sent && first &&
                        p->input_at[(first - 1) % OUTBOX_FRAMES] == first;
    if (relative) before = p->input + (size_t)((first - 1) % OUTBOX_FRAMES) * INPUT_BYTES;
    while (frame < stop && p->input_at[frame % OUTBOX_FRAMES] == frame + 1 &&
           frame - first < MOST_INPUT_FRAMES) {
        const uint8_t *now = p->input + (size_t)(frame % OUTBOX_FRAMES) * INPUT_BYTES;
        to = put_input(to, before, now);
        before = now;
        frame++;
    }
    field fields[INPUT_FIELDS];
    fields[INPUT_CONFIRMED] = number(t->confirmed);
    fields[INPUT_AHEAD] = number(first - t->confirmed);
    fields[INPUT_FRAMES] = number(2 * (frame - first) + relative);
    fields[INPUT_BEHIND] = number(t->confirmed - told);
    fields[INPUT_HASHES] = number(count);
    fields[INPUT_BODY] = (field){0, p->body, (size_t)(to - p->body)};
    must_put(p, INPUT, fields);
    if (frame > first) p->sent = frame;
    p->hashes_sent = told;
    return (int)count;
}
