/* What the program calls. */

/* Memory that is laid out in order; `at` counts on where there is none. */
typedef struct {
    uint8_t *bytes;
    size_t at;
} layout;

static void *part_of(layout *to, size_t size)
{
    size_t at = (to->at + 63) / 64 * 64;
    to->at = at + size;
    return to->bytes ? to->bytes + at : NULL;
}

/* Lay out a peer's memory, and count it. */
static size_t lay_out(layout *to, peer *p, size_t window, size_t kept)
{
    timeline *t = &p->line;
    const size_t states = window + 1, room = window + kept + @PEER_AHEAD@;
    const size_t early = (size_t)EARLY_FRAMES * @PLAYERS@;
    t->states = part_of(to, states * sizeof(@STATE@));
    t->used = part_of(to, states * FRAME_BYTES);
    t->rows = part_of(to, room * FRAME_BYTES);
    t->hashes = part_of(to, room * sizeof *t->hashes);
    t->early_at = part_of(to, early * sizeof *t->early_at);
    t->early = part_of(to, early * INPUT_BYTES);
    t->latest = part_of(to, FRAME_BYTES);
    t->guess = part_of(to, FRAME_BYTES);
    t->scratch = part_of(to, sizeof *t->scratch);
    t->inputs = part_of(to, @PLAYERS@ * sizeof *t->inputs);
    for (size_t k = 0; k < KEYFRAMES; k++) t->keyframes[k].state = part_of(to, sizeof(@STATE@));
    p->input = part_of(to, (size_t)OUTBOX_FRAMES * INPUT_BYTES);
    p->body = part_of(to, INPUT_ROOM);
    p->row = part_of(to, FRAME_BYTES + INPUT_BYTES);
    p->coming_data = part_of(to, @GUARD@_STATE_BYTES);
    for (size_t k = 0; k < GOING; k++) p->going_data[k] = part_of(to, @GUARD@_STATE_BYTES);
    p->report = part_of(to, @GUARD@_PEER_REPORT_BYTES);
    p->report_inputs = part_of(to, (size_t)(REPORT_SPAN + 1) * @PLAYERS@ * sizeof *p->report_inputs);
    p->report_states = part_of(to, 3 * sizeof(@STATE@));
    p->out.bytes = part_of(to, OUT_BYTES);
    t->room = room;
    return to->at;
}

static int options_can_be(const @NAME@_peer_options *options)
{
    size_t n = 0;
    if (!options || !options->ticket || options->window > @MOST_WINDOW@ || options->kept > MOST_KEPT)
        return 0;
    if (options->least_delay < 0 || options->least_delay > AHEAD) return 0;
    while (options->ticket[n])
        if (++n > MOST_TICKET) return 0;
    if (!is_text((const uint8_t *)options->ticket, n)) return 0;
    const char *machine = options->machine;
    for (n = 0; machine && machine[n]; n++)
        if (n >= MOST_MACHINE || machine[n] < 32 || machine[n] > 126 || machine[n] == '"' ||
            machine[n] == '\\')
            return 0;
    return 1;
}

peer *@NAME@_peer_open(void *memory, size_t size, const @NAME@_peer_options *options)
{
    const size_t before = (size_t)(64 - (uintptr_t)memory % 64) % 64;
    if (!memory || !options_can_be(options)) return NULL;
    const uint64_t needed = @GUARD@_PEER_BYTES(options->window, options->kept);
    if (size < needed) return NULL;
    layout to = {(uint8_t *)memory + before, 0};
    __builtin_memset(memory, 0, (size_t)needed);
    peer *p = part_of(&to, sizeof *p);
    if (before + lay_out(&to, p, options->window, options->kept) > size) return NULL;
    p->line.window = options->window;
    p->line.kept = options->kept;
    p->slot = -1;
    p->spectator = options->spectator != 0;
    p->least_delay = options->least_delay;
    p->reason = "";
    copy(p->ticket, options->ticket, length(options->ticket));
    if (options->machine) copy(p->machine, options->machine, length(options->machine));
    begin_control(&p->control, options->window, (uint64_t)options->least_delay, AHEAD / 2);
    begin_message(&p->out);
    return p;
}

void @NAME@_peer_receive(peer *p, int64_t now, const uint8_t *message, size_t size)
{
    if (p->phase == @GUARD@_PEER_OVER) return;
    p->heard = now;
    p->has_heard = 1;
    const char *fault = size > @GUARD@_PEER_MESSAGE ? "a message is too large" : fault_of(message, size);
    if (fault) {
        broken(p, fault);
        return;
    }
    field fields[MOST_FIELDS];
    reader from = {message, message + size, NULL};
    while (from.at < from.end && p->phase != @GUARD@_PEER_OVER) {
        const record_row *row = get_record(&from, fields);
        if (row) take_record(p, row->type, fields, now);
    }
}

/* Sample the input for a frame; where the delay grew it holds for the frames before too. */
static void sample(peer *p, uint64_t frame, const @INPUT@ *input)
{
    timeline *t = &p->line;
    uint64_t first = p->next_input > t->confirmed ? p->next_input : t->confirmed;
    uint8_t *bytes = p->row;
    /* A relay that waits for this peer closes no frame until something comes. */
    if (frame >= t->confirmed + AHEAD) frame = t->confirmed + AHEAD - 1;
    if (frame < first) return;
    if (frame - first > MOST_TICKS) first = frame;
    copy(bytes, zeros, INPUT_BYTES);
    if (input) @NAME@_input_save(input, bytes);
    for (uint64_t n = first; n <= frame; n++) {
        add_input(p, n, bytes);
        guess_input(t, (uint64_t)p->slot, n, bytes);
        note_in(p->pace.noted, &p->pace.noted_count, NOTED, n, offset_of(&p->pace));
    }
}

/* The ticks that are due, an input for each; whether there were any. */
static int do_ticks(peer *p, int64_t now, const @INPUT@ *input)
{
    pacer *pace = &p->pace;
    if (p->phase != @GUARD@_PEER_PLAYING) return 0;
    const uint64_t due = ticks_due(pace, now);
    if (due > MOST_TICKS) skip_ticks(pace, due - 1);
    for (int n = 0; n < 2 * MOST_TICKS && ticks_due(pace, now); n++) {
        if (!p->spectator) {
            if (update_delay(&p->control, pace)) put_delay(p);
            sample(p, pace->frame + pace->delay, input);
        }
        end_tick(pace);
    }
    if (due && pace->frame > p->line.confirmed + p->line.window) {
        patience *extra = &p->control.extra;
        p->stalls++;
        push(extra->wrong, &extra->count, STALLS, (int64_t)pace->frame);
    }
    return due > 0;
}

static void play(peer *p, int ticked)
{
    timeline *t = &p->line;
    if (p->phase == @GUARD@_PEER_GREETING || p->phase >= @GUARD@_PEER_OVER) return;
    if (p->phase == @GUARD@_PEER_LOADING) return;
    const int playing = p->phase == @GUARD@_PEER_PLAYING;
    advance(t, playing ? p->pace.frame : t->confirmed);
    if (t->trap && !p->trap_told) {
        field fields[TRAPPED_FIELDS];
        field what = text_of(@NAME@_trap_message(t->trap));
        if (what.size > TRAP_TEXT) what.size = TRAP_TEXT;
        fields[TRAPPED_FRAME] = number(t->trap_frame);
        fields[TRAPPED_WHAT] = what;
        p->trap_told = 1;
        add_event(p, @GUARD@_PEER_TRAPPED, 0, t->trap_frame, (uint64_t)t->trap, 0);
        must_put(p, TRAPPED, fields);
    }
    /* Once a tick, so that there is no message for each that comes. */
    if (!ticked && playing && t->final < p->hashes_sent + MOST_TICKS) return;
    while (!p->spectator && put_inputs(p) >= 0) continue;
}

static void put_ping(peer *p, int64_t now)
{
    const int playing = p->phase == @GUARD@_PEER_PLAYING;
    if (p->phase == @GUARD@_PEER_GREETING || (p->has_pinged && now < p->ping_at)) return;
    field fields[PING_FIELDS];
    fields[PING_TOKEN] = number(++p->ping_number);
    note_in(p->pings, &p->ping_count, PINGS, p->ping_number, now);
    p->has_pinged = 1;
    p->ping_at = sum(now, playing ? PING_EVERY : FIRST_PINGS);
    must_put(p, PING, fields);
}

static int64_t wake_of(const peer *p, int64_t now)
{
    const timeline *t = &p->line;
    int64_t at = @GUARD@_PEER_NEVER;
    if (p->phase == @GUARD@_PEER_OVER) return at;
    if (p->phase == @GUARD@_PEER_PLAYING && !t->trap) {
        uint64_t target = p->pace.frame < t->confirmed ? p->pace.frame : t->confirmed;
        if (target > t->frame) return now;
    }
    if (p->pace.runs) at = p->pace.at;
    if (p->has_pinged && p->ping_at < at) at = p->ping_at;
    if (at == @GUARD@_PEER_NEVER) return sum(now, PING_EVERY);
    return at > now ? at : now;
}

int64_t @NAME@_peer_tick(peer *p, int64_t now, const @INPUT@ *input)
{
    if (p->phase != @GUARD@_PEER_OVER) {
        if (!p->has_heard) p->heard = now;
        p->has_heard = 1;
        if (!p->greeted) put_hello(p);
        p->greeted = 1;
        play(p, do_ticks(p, now, input));
        if (p->phase != @GUARD@_PEER_OVER) {
            put_ping(p, now);
            put_want(p, now);
            if (difference(now, p->heard) > IDLE) broken(p, "the relay is silent");
        }
    }
    end_message(&p->out);
    begin_message(&p->out);
    return wake_of(p, now);
}

size_t @NAME@_peer_send(peer *p, const uint8_t **message)
{
    outbound *out = &p->out;
    if (out->first == out->open) return 0;
    reader from = {out->bytes + out->first, out->bytes + out->first + 4, NULL};
    size_t size = (size_t)get_uint(&from, 4);
    *message = from.at;
    out->first += 4 + size;
    return size;
}

int32_t @NAME@_peer_next_event(peer *p, @NAME@_peer_event *event)
{
    if (!p->event_count) return 0;
    const event_row *row = &p->events[p->event_first];
    p->event_first = (p->event_first + 1) % EVENTS;
    p->event_count--;
    *event = (@NAME@_peer_event){row->what, row->slot, row->frame, row->value, row->slots,
                                 "", "", "", "", NULL, 0};
    switch (row->what) {
    case @GUARD@_PEER_REFUSED:
        event->code = p->code;
        event->ours = p->ours;
        event->theirs = p->theirs;
        event->text = p->reason;
        break;
    case @GUARD@_PEER_ENDED:
    case @GUARD@_PEER_BROKEN: event->text = p->reason; break;
    case @GUARD@_PEER_TRAPPED: event->text = @NAME@_trap_message((int32_t)row->value); break;
    case @GUARD@_PEER_VERDICT: event->text = p->verdict; break;
    case @GUARD@_PEER_DESYNCED:
        event->groups = p->groups;
        event->count = p->group_count;
        break;
    default: break;
    }
    return 1;
}

const @STATE@ *@NAME@_peer_state(const peer *p)
{
    return p->has_timeline ? &p->line.states[p->line.state_at] : NULL;
}

void @NAME@_peer_get_status(const peer *p, @NAME@_peer_status *status)
{
    const timeline *t = &p->line;
    *status = (@NAME@_peer_status){
        p->phase,        p->slot,      p->players,   p->seed,     t->frame,   t->confirmed,
        t->final,        p->pace.delay, rtt_of(&p->control), p->stalls, t->rollbacks, t->replayed,
        t->deepest,      t->restores,  t->restored,  p->lost};
}

int32_t @NAME@_peer_hash(const peer *p, uint64_t frame, uint64_t *hash)
{
    const uint64_t *found = frame < p->line.final ? hash_of(&p->line, frame) : NULL;
    if (found) *hash = *found;
    return found != NULL;
}

int32_t @NAME@_peer_inputs(const peer *p, uint64_t frame, @INPUT@ inputs[@PLAYERS@])
{
    const uint8_t *row = row_of(&p->line, frame);
    if (row) restore_inputs(inputs, row);
    return row != NULL;
}

void @NAME@_peer_reconnect(peer *p)
{
    if (p->phase == @GUARD@_PEER_OVER) return;
    p->phase = @GUARD@_PEER_GREETING;
    p->greeted = p->has_heard = p->has_pinged = p->coming.comes = p->pace.runs = 0;
    p->going_count = p->ping_count = 0;
    p->out.first = p->out.last = 0;
    begin_message(&p->out);
}

size_t @NAME@_peer_token(const peer *p, uint8_t token[MOST_RESUME])
{
    copy(token, p->resume, p->resume_size);
    return p->resume_size;
}

int32_t @NAME@_peer_come_back(peer *p, const uint8_t *token, size_t size)
{
    if (p->greeted || !token || !size || size > MOST_RESUME) return 0;
    copy(p->resume, token, size);
    p->resume_size = size;
    return 1;
}

void @NAME@_peer_pause(peer *p)
{
    const field reason = text_of("");
    must_put(p, PAUSE, &reason);
}

void @NAME@_peer_go_on(peer *p)
{
    must_put(p, RESUME, NULL);
}

void @NAME@_peer_leave(peer *p)
{
    const field reason = text_of("");
    must_put(p, LEAVE, &reason);
}

size_t @NAME@_peer_report(peer *p, uint64_t frame, uint8_t *bytes, size_t room)
{
    return bytes ? write_report(p, frame, bytes, room) : 0;
}

@GUARD@_ASSERT(sizeof(peer) <= @PEER_STRUCT@, peer);
