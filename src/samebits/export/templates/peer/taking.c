/* What the relay says. */

static void take_welcome(peer *p, const field *fields, int64_t now)
{
    timeline *t = &p->line;
    const uint64_t slot = fields[WELCOME_SLOT].number, most = fields[WELCOME_MOST_DELAY].number;
    uint64_t least = fields[WELCOME_DELAY].number;
    if (fields[WELCOME_PLAYERS].number != @PLAYERS@ || fields[WELCOME_TICK_RATE].number != @TICK_RATE@) {
        broken(p, "the match has other players or another tick rate");
        return;
    }
    if (!p->spectator != (slot < @PLAYERS@)) {
        broken(p, slot < @PLAYERS@ ? "the ticket is one to play, and this is to watch"
                                   : "the ticket is one to watch, and this is to play");
        return;
    }
    p->slot = (int32_t)slot;
    p->seed = fields[WELCOME_SEED].number;
    p->resume_size = fields[WELCOME_RESUME].size;
    copy(p->resume, fields[WELCOME_RESUME].bytes, p->resume_size);
    if ((uint64_t)p->least_delay > least) least = (uint64_t)p->least_delay;
    begin_control(&p->control, t->window, least, most);
    if (!p->has_timeline) {
        int32_t trap = begin_timeline(t, p->seed);
        if (trap) {
            end_with(p, @GUARD@_PEER_TRAPPED, @NAME@_trap_message(trap), 0, (uint64_t)trap);
            return;
        }
        p->has_timeline = 1;
    }
    if (fields[WELCOME_SNAPSHOT].number) {
        p->phase = @GUARD@_PEER_LOADING;
        expect(p, 0, now);
    } else if (fields[WELCOME_BEGIN].number != t->confirmed) {
        broken(p, "the match goes on with a frame that is not the one after those that are known");
    } else {
        make_ready(p);
    }
}

static void take_refuse(peer *p, const field *fields)
{
    keep_text(p->code, fields[REFUSE_CODE]);
    keep_text(p->text, fields[REFUSE_REASON]);
    keep_text(p->ours, fields[REFUSE_OURS]);
    keep_text(p->theirs, fields[REFUSE_YOURS]);
    end_with(p, @GUARD@_PEER_REFUSED, p->text, 0, 0);
}

static void add_input(peer *p, uint64_t frame, const uint8_t *input)
{
    size_t at = (size_t)(frame % OUTBOX_FRAMES);
    p->input_at[at] = frame + 1;
    copy(p->input + at * INPUT_BYTES, input, INPUT_BYTES);
    p->next_input = frame + 1;
}

static void put_delay(peer *p)
{
    field fields[DELAY_FIELDS];
    fields[DELAY_DELAY] = number(p->pace.delay);
    must_put(p, DELAY, fields);
}

static void take_start(peer *p, const field *fields, int64_t now)
{
    const uint64_t frame = fields[START_FRAME].number;
    pacer *pace = &p->pace;
    if (p->phase == @GUARD@_PEER_LOADING) return;
    uint64_t delay = begin_delay(&p->control, pace, frame);
    int64_t ahead = difference(difference((int64_t)delay * PERIOD, rtt_of(&p->control)),
                               wanted_slack(pace));
    start_pacer(pace, frame, sum(sum(now, (int64_t)fields[START_WAIT].number), ahead));
    p->phase = @GUARD@_PEER_PLAYING;
    add_event(p, @GUARD@_PEER_STARTED, 0, frame, 0, 0);
    if (p->spectator) return;
    put_delay(p);
    /* The first frames come before the first tick's input: nobody waits for them. */
    if (!frame && !p->line.confirmed)
        for (uint64_t n = 0; n < delay; n++) add_input(p, n, zeros);
}

static void take_entry(peer *p, uint64_t frame, uint64_t event, uint64_t slot, uint64_t value)
{
    const uint64_t bit = slot < 64 ? UINT64_C(1) << slot : 0;
    switch (event) {
    case EVENT_JOIN:
        p->players |= bit;
        add_event(p, @GUARD@_PEER_JOINED, slot, frame, 0, 0);
        break;
    case EVENT_LEAVE:
        p->players &= ~bit;
        add_event(p, @GUARD@_PEER_LEFT, slot, frame, 0, 0);
        break;
    case EVENT_AWAY: add_event(p, @GUARD@_PEER_AWAY, slot, frame, 0, 0); break;
    case EVENT_PAUSE:
        p->pace.runs = 0;
        p->phase = @GUARD@_PEER_PAUSED;
        add_event(p, @GUARD@_PEER_STOPPED, 0, frame + 1, 0, 0);
        break;
    case EVENT_DELAY: add_event(p, @GUARD@_PEER_DELAYED, slot, frame, value, 0); break;
    default: break;
    }
}

static void input_late(peer *p)
{
    patience *margin = &p->control.margin;
    if (p->phase == @GUARD@_PEER_PLAYING)
        push(margin->wrong, &margin->count, LATE, (int64_t)p->pace.frame);
}

/* One closed frame, told by what changed since `row`; `is_new` where it is the next one. Its entries
   are read twice: nothing happens before all of it is right. */
static void take_frame(peer *p, reader *from, uint64_t frame, uint8_t *row)
{
    const uint64_t flags = get_varint(from, 3), changed = get_slots(from);
    for (size_t slot = 0; slot < @PLAYERS@; slot++)
        if (changed >> slot & 1) get_input(from, row + slot * INPUT_BYTES);
    const uint64_t substituted = flags & 1 ? get_slots(from) : 0;
    const uint64_t count = flags & 2 ? get_varint(from, MOST_ENTRIES) : 0;
    reader entries = *from;
    for (uint64_t n = 0; n < count && !from->fault; n++) {
        uint64_t event = get_varint(from, MOST_EVENT);
        get_varint(from, MOST_PLAYERS);
        get_varint(from, MOST_FRAME);
        if (!event) failed(from, "an entry of a closed frame has no event");
    }
    if (from->fault || frame != p->line.confirmed) return;
    confirm(&p->line, row);
    if (substituted) {
        add_event(p, @GUARD@_PEER_SUBSTITUTED, 0, frame, 0, substituted);
        if (p->slot >= 0 && p->slot < @PLAYERS@ && substituted >> p->slot & 1) input_late(p);
    }
    for (uint64_t n = 0; n < count; n++) {
        uint64_t event = get_varint(&entries, MOST_EVENT);
        uint64_t slot = get_varint(&entries, MOST_PLAYERS);
        take_entry(p, frame, event, slot, get_varint(&entries, MOST_FRAME));
    }
}

static void take_bundle(peer *p, const field *fields)
{
    const uint64_t first = fields[BUNDLE_FIRST].number;
    const uint8_t *before = zeros;
    if (p->phase == @GUARD@_PEER_LOADING) return;
    if (fields[BUNDLE_RELATIVE].number) before = first ? row_of(&p->line, first - 1) : NULL;
    if (!before || first > p->line.confirmed) {
        if (!p->rebased)
            broken(p, "a BUNDLE begins with a frame that does not follow those that are known");
        return;
    }
    copy(p->row, before, FRAME_BYTES);
    reader from = {fields[BUNDLE_BODY].bytes, fields[BUNDLE_BODY].bytes, NULL};
    from.end += fields[BUNDLE_BODY].size;
    for (uint64_t n = 0; n < fields[BUNDLE_FRAMES].number && !from.fault; n++)
        take_frame(p, &from, first + n, p->row);
    /* One of frames before the state alone leaves nothing that the next one may refer to. */
    const uint64_t next = p->line.confirmed;
    p->rebased = p->rebased && !(next && row_of(&p->line, next - 1));
    if (!from.fault && from.at != from.end) failed(&from, "a BUNDLE has bytes after its frames");
    if (from.fault) broken(p, from.fault);
}

static void take_early(peer *p, const field *fields)
{
    const uint64_t slot = fields[EARLY_SLOT].number, frame = fields[EARLY_FRAME].number;
    reader from = {fields[EARLY_BODY].bytes, fields[EARLY_BODY].bytes, NULL};
    uint8_t *input = p->row;
    from.end += fields[EARLY_BODY].size;
    if (slot >= @PLAYERS@) {
        broken(p, "an EARLY for a slot that there is not");
        return;
    }
    copy(input, zeros, INPUT_BYTES);
    get_input(&from, input);
    if (!from.fault && from.at != from.end) failed(&from, "an EARLY has bytes after its input");
    if (from.fault) {
        broken(p, from.fault);
        return;
    }
    if (!p->has_timeline || (int32_t)slot == p->slot) return;
    if (frame < p->line.confirmed + 2 * AHEAD) guess_input(&p->line, slot, frame, input);
}

static void take_slack(peer *p, const field *fields)
{
    const int64_t slack = (int64_t)fields[SLACK_SLACK].number;
    if (!fields[SLACK_RECEIVED].number) return;
    observe_slack(&p->pace, fields[SLACK_RECEIVED].number - 1, slack * 1000);
    if (slack < 0) input_late(p);
}

static void take_desync(peer *p, const field *fields)
{
    const size_t count = (size_t)fields[DESYNC_GROUPS].number;
    const uint8_t *at = fields[DESYNC_BODY].bytes;
    uint64_t departed = 0;
    if (!count || fields[DESYNC_BODY].size != 17 * count) {
        broken(p, "a DESYNC has not the bytes of its groups");
        return;
    }
    for (size_t k = 0; k < count; k++, at += 17) {
        reader hash = {at, at + 8, NULL}, slots = {at + 9, at + 17, NULL};
        @NAME@_peer_group *group = &p->groups[k];
        *group = (@NAME@_peer_group){get_uint(&hash, 8), get_uint(&slots, 8), at[8] != 0};
        if (k && fields[DESYNC_RIGHT].number) departed |= group->slots;
    }
    p->group_count = count;
    add_event(p, @GUARD@_PEER_DESYNCED, 0, fields[DESYNC_FRAME].number, 0, departed);
}

static void take_pong(peer *p, uint64_t token, int64_t now)
{
    int64_t sent;
    delay_control *control = &p->control;
    if (taken_from(p->pings, &p->ping_count, token, &sent))
        push(control->trips, &control->trip_count, ROUND_TRIPS, difference(now, sent));
}

static void take_record(peer *p, uint8_t type, const field *fields, int64_t now)
{
    const int greeting = p->phase == @GUARD@_PEER_GREETING;
    if (type == PING) {
        if (room_of(&p->out) > OUT_RESERVE) put_record(p, PONG, fields);
    } else if (type == PONG) {
        take_pong(p, fields[PONG_TOKEN].number, now);
    } else if (type == REFUSE) {
        take_refuse(p, fields);
    } else if (type == WELCOME) {
        if (!greeting)
            broken(p, "a second answer to HELLO");
        else
            take_welcome(p, fields, now);
    } else if (greeting) {
        broken(p, "a record before WELCOME");
    } else {
        switch (type) {
        case START: take_start(p, fields, now); break;
        case BUNDLE: take_bundle(p, fields); break;
        case EARLY: take_early(p, fields); break;
        case SLACK: take_slack(p, fields); break;
        case DESYNC: take_desync(p, fields); break;
        case WANT: take_want(p, fields); break;
        case CHUNK: take_chunk(p, fields, now); break;
        case VERDICT:
            keep_text(p->verdict, fields[VERDICT_WHAT]);
            add_event(p, @GUARD@_PEER_VERDICT, 0, fields[VERDICT_FRAME].number, 0, 0);
            break;
        case END:
            if (p->has_timeline && p->phase != @GUARD@_PEER_LOADING) settle(&p->line);
            keep_text(p->text, fields[END_REASON]);
            end_with(p, @GUARD@_PEER_ENDED, p->text, fields[END_FRAMES].number,
                     fields[END_HASH].number);
            break;
        default: broken(p, "a CONTROL over a connection that keeps order");
        }
    }
}

/* All records of a message are whole, or none is taken. */
static const char *fault_of(const uint8_t *message, size_t size)
{
    field fields[MOST_FIELDS];
    reader from = {message, message + size, NULL};
    size_t known = 0;
    while (from.at < from.end) {
        if (known == MOST_RECORDS) return "a message has too many records";
        known += get_record(&from, fields) != NULL;
        if (from.fault) return from.fault;
    }
    return NULL;
}
