/* States and reports in chunks that the receiver asks for, one after another. */

static void expect(peer *p, uint64_t request, int64_t now)
{
    p->coming = (incoming){1, 0, request, 0, 0, 0, 0, difference(now, ASK_AGAIN)};
}

static void put_want(peer *p, int64_t now)
{
    incoming *coming = &p->coming;
    if (!coming->comes || difference(now, coming->asked) < ASK_AGAIN) return;
    field fields[WANT_FIELDS];
    fields[WANT_WHAT] = number(SNAPSHOT);
    fields[WANT_REQUEST] = number(coming->request);
    fields[WANT_FRAME] = number(coming->frame);
    fields[WANT_OFFSET] = number(coming->size);
    coming->asked = now;
    put_record(p, WANT, fields);
}

/* The first frame of a report of `frame`, and the last of its frames + 1: from a kept state on, where
   there is one, to some frames behind it. */
static uint64_t report_from(const timeline *t, uint64_t frame, uint64_t *end, const keyframe **state)
{
    uint64_t first = frame > REPORT_BEFORE ? frame - REPORT_BEFORE : 0;
    if (first < t->oldest) first = t->oldest;
    if (first < t->hashed + (t->hashed > 0)) first = t->hashed + 1;
    *state = NULL;
    for (size_t k = 0; k < t->keyframe_count; k++) {
        const keyframe *found = &t->keyframes[(t->keyframe_first + k) % KEYFRAMES];
        if (found->frame < t->oldest || found->frame > frame) continue;
        if (found->frame + REPORT_SPAN > frame + REPORT_BEHIND) *state = found;
    }
    if (*state) first = (*state)->frame;
    *end = frame + 1 + REPORT_BEHIND;
    if (*end > t->final) *end = t->final;
    if (*end > first + REPORT_SPAN) *end = first + REPORT_SPAN;
    return first;
}

static size_t write_report(peer *p, uint64_t frame, uint8_t *bytes, size_t room)
{
    timeline *t = &p->line;
    const keyframe *state;
    uint64_t end, numbers[3], first = report_from(t, frame, &end, &state);
    const int traps = t->trap && t->trap_frame == frame;
    size_t states = 0;
    if (!p->has_timeline || (frame >= t->final && !traps) || first > frame || end < first) return 0;
    for (uint64_t n = first; n < end + (traps && end == frame); n++) {
        const uint8_t *row = row_of(t, n);
        if (!row) return 0;
        restore_inputs(p->report_inputs + (size_t)(n - first) * @PLAYERS@, row);
    }
    /* The run again from the kept state: the states before it, and before and after the frame. */
    @STATE@ *now = p->report_states;
    if (state) {
        numbers[states++] = first;
        __builtin_memcpy(now, state->state, sizeof *now);
        p->report_hashes[0] = @NAME@_hash(now, t->scratch);
        if (frame > first) {
            now[1] = now[0];
            numbers[states++] = frame;
            now++;
            if (@NAME@_run(now, p->report_inputs, (size_t)(frame - first), NULL, NULL, t->scratch))
                return 0;
        }
        if (frame < end) {
            now[1] = now[0];
            numbers[states++] = frame + 1;
            now++;
            const @INPUT@ *last = p->report_inputs + (size_t)(frame - first) * @PLAYERS@;
            if (@NAME@_step(now, last, t->scratch)) return 0;
        }
    } else if (first) {
        const uint64_t *hash = hash_of(t, first - 1);
        if (!hash) return 0;
        p->report_hashes[0] = *hash;
    } else {
        return 0;
    }
    for (uint64_t n = first; n < end; n++) {
        const uint64_t *hash = hash_of(t, n);
        if (!hash) return 0;
        p->report_hashes[n - first + 1] = *hash;
    }
    @NAME@_history history = {
        p->seed, first, (size_t)(end - first), p->report_inputs, p->report_hashes, states, numbers,
        p->report_states, traps && end == frame ? t->trap : 0, p->machine};
    return @NAME@_report(&history, bytes, room);
}

static const outgoing *find_going(const peer *p, uint64_t what, uint64_t request)
{
    for (size_t k = 0; k < p->going_count; k++)
        if (p->going[k].what == what && p->going[k].request == request) return &p->going[k];
    return NULL;
}

/* Forget what is sent at a place. Its memory goes to the end. */
static void drop_going(peer *p, size_t at)
{
    uint8_t *data = p->going_data[at];
    for (p->going_count--; at < p->going_count; at++) {
        p->going[at] = p->going[at + 1];
        p->going_data[at] = p->going_data[at + 1];
    }
    p->going_data[p->going_count] = data;
}

static const outgoing *begin_going(peer *p, const field *fields)
{
    timeline *t = &p->line;
    const uint64_t what = fields[WANT_WHAT].number;
    for (size_t k = 0; what == REPORT && k < p->going_count; k++)
        if (p->going[k].what == REPORT) drop_going(p, k--); /* there is memory for one */
    if (p->going_count == GOING) drop_going(p, 0);
    uint8_t *data = p->going_data[p->going_count];
    outgoing *going = &p->going[p->going_count++];
    *going = (outgoing){what, fields[WANT_REQUEST].number, fields[WANT_FRAME].number, 0, data, 0};
    if (what == SNAPSHOT) {
        going->frame = t->final;
        going->size = @GUARD@_STATE_BYTES;
        @NAME@_save(&t->states[state_place(t, t->final)], data);
        going->hash = @NAME@_xxh64(data, going->size);
    } else {
        going->data = p->report;
        going->size = write_report(p, going->frame, p->report, @GUARD@_PEER_REPORT_BYTES);
    }
    return going;
}

/* The relay wants a chunk. Where there is no room for it, it asks again. */
static void take_want(peer *p, const field *fields)
{
    const outgoing *going = find_going(p, fields[WANT_WHAT].number, fields[WANT_REQUEST].number);
    if (!going) {
        if (!p->has_timeline || p->phase == @GUARD@_PEER_LOADING) return;
        going = begin_going(p, fields);
    }
    uint64_t offset = fields[WANT_OFFSET].number;
    if (offset > going->size) offset = going->size;
    size_t left = going->size - (size_t)offset;
    field chunk[CHUNK_FIELDS];
    chunk[CHUNK_WHAT] = number(going->what);
    chunk[CHUNK_REQUEST] = number(going->request);
    chunk[CHUNK_FRAME] = number(going->frame);
    chunk[CHUNK_HASH] = number(going->hash);
    chunk[CHUNK_TOTAL] = number(going->size);
    chunk[CHUNK_OFFSET] = number(fields[WANT_OFFSET].number);
    chunk[CHUNK_BODY] = (field){0, going->data + offset, left < CHUNK_BYTES ? left : CHUNK_BYTES};
    if (room_of(&p->out) > CHUNK_BYTES + OUT_RESERVE) put_record(p, CHUNK, chunk);
}

static void make_ready(peer *p)
{
    const timeline *t = &p->line;
    uint64_t hashed = t->final;
    p->phase = @GUARD@_PEER_READY;
    while (hashed > t->hashed && t->final - hashed < HASHES_AT_ONCE) hashed--;
    for (size_t k = 0; k < OUTBOX_FRAMES; k++) p->input_at[k] = 0;
    p->sent = p->next_input = t->confirmed;
    p->hashes_sent = hashed;
    put_ready(p, hashed);
}

static void take_state(peer *p)
{
    incoming *coming = &p->coming;
    coming->comes = 0;
    if (coming->size != @GUARD@_STATE_BYTES ||
        @NAME@_xxh64(p->coming_data, coming->size) != coming->hash) {
        broken(p, "a snapshot does not have the bytes that its hash tells of");
        return;
    }
    restore_state(&p->line, coming->frame, p->coming_data);
    p->rebased = 1;
    p->trap_told = 0;
    if (p->phase == @GUARD@_PEER_LOADING) {
        make_ready(p);
    } else {
        p->hashes_sent = p->line.final;
        put_ready(p, p->line.final);
    }
}

static void take_chunk(peer *p, const field *fields, int64_t now)
{
    incoming *coming = &p->coming;
    const field *body = &fields[CHUNK_BODY];
    if (fields[CHUNK_WHAT].number == REPORT) {
        broken(p, "a relay sends no reports");
        return;
    }
    /* A state that was not asked for: the relay heals this peer. */
    if (!coming->comes || coming->request != fields[CHUNK_REQUEST].number)
        expect(p, fields[CHUNK_REQUEST].number, now);
    if (fields[CHUNK_TOTAL].number > @GUARD@_STATE_BYTES) {
        broken(p, "a state is larger than those of the simulation");
        return;
    }
    if (!coming->told) {
        coming->told = 1;
        coming->total = (size_t)fields[CHUNK_TOTAL].number;
        coming->frame = fields[CHUNK_FRAME].number;
        coming->hash = fields[CHUNK_HASH].number;
    } else if (coming->total != fields[CHUNK_TOTAL].number ||
               coming->frame != fields[CHUNK_FRAME].number ||
               coming->hash != fields[CHUNK_HASH].number) {
        broken(p, "a chunk is of another state than the ones before");
        return;
    }
    if (fields[CHUNK_OFFSET].number == coming->size) {
        int whole = coming->size == coming->total;
        if (body->size > coming->total - coming->size || (!body->size && !whole)) {
            broken(p, "a chunk does not fit its state");
            return;
        }
        copy(p->coming_data + coming->size, body->bytes, body->size);
        coming->size += body->size;
        coming->asked = difference(now, ASK_AGAIN);
    }
    if (coming->size == coming->total) take_state(p);
}
