/* What was played with which inputs, what is final, what only guessed. */

typedef struct {
    uint64_t frame;
    @STATE@ *state; /* before that frame */
} keyframe;

typedef struct {
    size_t window, kept;
    size_t room;     /* rows that are kept at most */
    uint64_t frame, confirmed, final;
    uint64_t oldest; /* the first final row that is kept */
    uint64_t hashed; /* the first hash that is kept */
    size_t row_at, hash_at; /* where those two lie in their rings */
    size_t state_at;        /* where the latest state lies in its ring */
    uint8_t *rows;   /* final inputs from `oldest` to `confirmed` */
    uint64_t *hashes; /* from `hashed` to `frame` */
    @STATE@ *states; /* before the frames `final` to `frame`, window + 1 of them */
    uint8_t *used;   /* the inputs that those frames were played with */
    uint64_t *early_at; /* frame + 1 of each input that came before its frame was closed; 0: none */
    uint8_t *early;
    uint8_t *latest; /* the row before `confirmed` */
    uint8_t *guess;  /* working memory of a row */
    keyframe keyframes[KEYFRAMES];
    size_t keyframe_first, keyframe_count;
    uint64_t rollbacks, replayed, deepest, restores, restored;
    uint64_t trap_frame;
    int32_t trap; /* of a frame with final inputs */
    @NAME@_scratch *scratch;
    @INPUT@ *inputs; /* of one frame */
} timeline;

/* The place of an entry so many behind the one at `first` in a ring. */
static size_t place_in(size_t room, size_t first, uint64_t behind)
{
    size_t at = first + (size_t)behind;
    return at < room ? at : at - room;
}

static size_t state_place(const timeline *t, uint64_t frame)
{
    size_t back = (size_t)(t->frame - frame);
    return t->state_at >= back ? t->state_at - back : t->state_at + t->window + 1 - back;
}

/* The final inputs of a frame; NULL where they are not kept, or not final. */
static uint8_t *row_of(const timeline *t, uint64_t frame)
{
    if (frame < t->oldest || frame >= t->confirmed) return NULL;
    return t->rows + place_in(t->room, t->row_at, frame - t->oldest) * FRAME_BYTES;
}

/* The hash after a frame that was played; NULL where it is not kept. */
static uint64_t *hash_of(const timeline *t, uint64_t frame)
{
    if (frame < t->hashed || frame >= t->frame) return NULL;
    return &t->hashes[place_in(t->room, t->hash_at, frame - t->hashed)];
}

static void forget_rows(timeline *t, uint64_t limit)
{
    while (t->oldest < limit) {
        t->row_at = place_in(t->room, t->row_at, 1);
        t->oldest++;
    }
    while (t->hashed < limit && t->hashed < t->frame) {
        t->hash_at = place_in(t->room, t->hash_at, 1);
        t->hashed++;
    }
}

static void forget_early(timeline *t)
{
    for (size_t k = 0; k < (size_t)EARLY_FRAMES * @PLAYERS@; k++) t->early_at[k] = 0;
}

/* An input of a player came before its frame was closed. */
static void guess_input(timeline *t, uint64_t slot, uint64_t frame, const uint8_t *input)
{
    if (frame < t->confirmed || slot >= @PLAYERS@) return;
    size_t at = (size_t)slot * EARLY_FRAMES + (size_t)(frame % EARLY_FRAMES);
    t->early_at[at] = frame + 1;
    copy(t->early + at * INPUT_BYTES, input, INPUT_BYTES);
}

/* Put the inputs that came early for `frame` over the ones that are repeated. */
static void put_early(const timeline *t, uint64_t frame, uint8_t *row)
{
    for (size_t slot = 0; slot < @PLAYERS@; slot++) {
        size_t at = slot * EARLY_FRAMES + (size_t)(frame % EARLY_FRAMES);
        if (t->early_at[at] == frame + 1)
            copy(row + slot * INPUT_BYTES, t->early + at * INPUT_BYTES, INPUT_BYTES);
    }
}

static void restore_inputs(@INPUT@ *to, const uint8_t *row)
{
    for (size_t p = 0; p < @PLAYERS@; p++)
        @NAME@_input_restore(&to[p], row + p * INPUT_BYTES, INPUT_BYTES);
}

/* Play the frame that is next. Returns 0, or a trap with the state as it was. */
static int32_t play_frame(timeline *t, const uint8_t *row)
{
    size_t next = place_in(t->window + 1, t->state_at, 1);
    @STATE@ *state = &t->states[next];
    uint64_t hash;
    if (next != t->state_at) __builtin_memcpy(state, &t->states[t->state_at], sizeof *state);
    restore_inputs(t->inputs, row);
    int32_t trap = @NAME@_run(state, t->inputs, 1, &hash, NULL, t->scratch);
    if (trap) return trap;
    copy(t->used + t->state_at * FRAME_BYTES, row, FRAME_BYTES);
    t->state_at = next;
    t->frame++;
    *hash_of(t, t->frame - 1) = hash;
    return 0;
}

static void go_back(timeline *t, uint64_t frame)
{
    uint64_t depth = t->frame - frame;
    t->rollbacks++;
    t->replayed += depth;
    if (depth > t->deepest) t->deepest = depth;
    t->state_at = state_place(t, frame);
    t->frame = frame;
}

static void keep_state(timeline *t)
{
    size_t last = (t->keyframe_first + t->keyframe_count - 1) % KEYFRAMES;
    if (t->keyframe_count && t->final - t->keyframes[last].frame < KEYFRAME_EVERY) return;
    size_t at = (t->keyframe_first + t->keyframe_count) % KEYFRAMES;
    if (t->keyframe_count < KEYFRAMES)
        t->keyframe_count++;
    else
        t->keyframe_first = (t->keyframe_first + 1) % KEYFRAMES;
    t->keyframes[at].frame = t->final;
    __builtin_memcpy(t->keyframes[at].state, &t->states[state_place(t, t->final)], sizeof(@STATE@));
}

/* Play until `target` frames are over, or as far as final inputs and the window allow; frames that
   were played with other inputs than are known now are played again first. */
static void advance(timeline *t, uint64_t target)
{
    if (t->trap) return;
    const uint64_t now = t->frame;
    uint64_t end = target > now ? target : now;
    if (end > t->confirmed + t->window) end = t->confirmed + t->window;
    if (end > now + MOST_AT_ONCE) end = now + MOST_AT_ONCE;
    if (end < now) end = now;
    copy(t->guess, t->latest, FRAME_BYTES);
    int plays = 0;
    for (uint64_t frame = t->final; frame < end; frame++) {
        const uint8_t *row = row_of(t, frame);
        if (!row) {
            put_early(t, frame, t->guess);
            row = t->guess;
        }
        if (!plays && frame < now) {
            if (same(t->used + state_place(t, frame) * FRAME_BYTES, row, FRAME_BYTES)) continue;
            go_back(t, frame);
        }
        plays = 1;
        int32_t trap = play_frame(t, row);
        if (!trap) continue;
        /* With inputs that are only guessed a trap means nothing: the frame waits for the real ones. */
        if (frame < t->confirmed) {
            t->trap = trap;
            t->trap_frame = frame;
        }
        break;
    }
    uint64_t final = t->confirmed < t->frame ? t->confirmed : t->frame;
    if (final > t->final) t->final = final;
    keep_state(t);
    if (t->final > t->kept) forget_rows(t, t->final - t->kept);
}

/* Come to the state after the last final frame: those that were predicted behind it never come. */
static void settle(timeline *t)
{
    uint64_t before;
    do {
        before = t->final;
        advance(t, t->confirmed);
    } while (t->final > before && t->final < t->confirmed);
    if (t->frame > t->final) {
        t->state_at = state_place(t, t->final);
        t->frame = t->final;
    }
}

/* The next frame has these inputs, for good. */
static void confirm(timeline *t, const uint8_t *row)
{
    /* More came than there is room for: play some of it now. */
    if (t->confirmed - t->oldest == t->room) advance(t, t->confirmed);
    if (t->confirmed - t->oldest == t->room) forget_rows(t, t->oldest + 1);
    for (size_t slot = 0; slot < @PLAYERS@; slot++) {
        uint64_t *at = &t->early_at[slot * EARLY_FRAMES + (size_t)(t->confirmed % EARLY_FRAMES)];
        if (*at == t->confirmed + 1) *at = 0;
    }
    t->confirmed++;
    copy(row_of(t, t->confirmed - 1), row, FRAME_BYTES);
    copy(t->latest, row, FRAME_BYTES);
}

/* Go on with the state before `frame`. Final inputs from there on stay, where all are kept. */
static void restore_state(timeline *t, uint64_t frame, const uint8_t *bytes)
{
    @NAME@_restore(&t->states[t->state_at], bytes, @GUARD@_STATE_BYTES);
    if (frame > t->frame) {
        t->hashed = frame;
        t->hash_at = 0;
    } else if (frame < t->hashed) {
        t->hashed = frame;
    }
    t->frame = t->final = t->restored = frame;
    t->restores++;
    if (frame > t->confirmed || frame < t->oldest) {
        t->confirmed = t->oldest = frame;
        t->row_at = 0;
        copy(t->latest, zeros, FRAME_BYTES);
        forget_early(t);
    }
    t->trap = 0;
    t->keyframe_count = 0;
    keep_state(t); /* reports begin with a state that is known to be right */
}

static int32_t begin_timeline(timeline *t, uint64_t seed)
{
    forget_early(t);
    copy(t->latest, zeros, FRAME_BYTES);
    return @NAME@_init(&t->states[0], seed);
}
