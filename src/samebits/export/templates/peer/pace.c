/* When the next tick is due, and the input delay: the same steps in integers as samebits/net/peer's
   pacing.py and delay.py, so that peers in all languages send the same bytes. */

#define PERIOD (SECOND / @TICK_RATE@)

/* Values by keys, in the order in which they came. */
typedef struct {
    uint64_t key;
    int64_t value;
} noted;

static void note_in(noted *list, size_t *count, size_t most, uint64_t key, int64_t value)
{
    if (*count == most) __builtin_memmove(list, list + 1, --*count * sizeof *list);
    list[(*count)++] = (noted){key, value};
}

static int taken_from(noted *list, size_t *count, uint64_t key, int64_t *value)
{
    for (size_t k = *count; k-- > 0;) {
        if (list[k].key != key) continue;
        *value = list[k].value;
        __builtin_memmove(list + k, list + k + 1, (--*count - k) * sizeof *list);
        return 1;
    }
    return 0;
}

typedef struct {
    uint64_t frame, delay; /* the tick that is next; from it to the frame of its input */
    int runs;
    int64_t at, reserve, phase;
    size_t noted_count, slack_count;
    noted noted[NOTED];
    int64_t slacks[SAMPLES]; /* the oldest first */
} pacer;

/* Some frames more, after a few that went wrong in a short time, and fewer when it is calm. */
typedef struct {
    int64_t frames, at; /* and the frame in which that changed */
    size_t count;
    int64_t wrong[MOST_WRONG];
} patience;

typedef struct {
    uint64_t least, most, hidden;
    size_t trip_count;
    int64_t trips[ROUND_TRIPS];
    int64_t raised, needed;
    patience margin; /* inputs are sent so many frames earlier, after some came late */
    patience extra;  /* frames are shown so much later, after ticks with nothing to show */
} delay_control;

/* Sums and products that wrap around: a relay that lies about times harms nobody else. */
static int64_t sum(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t difference(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static int64_t product(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

/* Rounded down. By hand: some processors would call a library for it. */
static int64_t quotient(int64_t value, uint32_t by)
{
    uint64_t left = value < 0 ? ~(uint64_t)value : (uint64_t)value, found = 0, rest = 0;
    for (int bit = 63; bit >= 0; bit--) {
        rest = rest << 1 | (left >> bit & 1);
        found <<= 1;
        if (rest >= by) {
            rest -= by;
            found |= 1;
        }
    }
    return value < 0 ? (int64_t)~found : (int64_t)found;
}

static int64_t distance(int64_t value)
{
    return value < 0 ? difference(0, value) : value;
}

/* Append to a list of the latest `most` values. */
static void push(int64_t *list, size_t *count, size_t most, int64_t value)
{
    if (*count == most) __builtin_memmove(list, list + 1, --*count * sizeof *list);
    list[(*count)++] = value;
}

static void sort(int64_t *to, const int64_t *from, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        size_t at = k;
        for (; at > 0 && to[at - 1] > from[k]; at--) to[at] = to[at - 1];
        to[at] = from[k];
    }
}

static int64_t jitter_of(const pacer *p)
{
    int64_t sorted[SAMPLES];
    if (p->slack_count < RECENT) return 0;
    sort(sorted, p->slacks, p->slack_count);
    int64_t found = difference(sorted[p->slack_count / 2], sorted[p->slack_count / 20]);
    return found < MOST_JITTER * PERIOD ? found : MOST_JITTER * PERIOD;
}

/* The slack that is steered to. */
static int64_t wanted_slack(const pacer *p)
{
    return sum(PERIOD + jitter_of(p), p->reserve);
}

/* What delay and steering add to the slack of an input that is sent now. */
static int64_t offset_of(const pacer *p)
{
    return difference((int64_t)p->delay * PERIOD, p->phase);
}

/* How much more slack there is than wanted. */
static int64_t error_of(const pacer *p)
{
    int64_t sorted[RECENT], all = 0;
    size_t count = p->slack_count < RECENT ? p->slack_count : RECENT;
    if (!count) return 0;
    sort(sorted, p->slacks + (p->slack_count - count), count);
    size_t third = count / 3;
    for (size_t k = third; k < count - third; k++) all = sum(all, sorted[k]);
    all = quotient(all, (uint32_t)(count - 2 * third));
    return difference(sum(all, offset_of(p)), wanted_slack(p));
}

static void start_pacer(pacer *p, uint64_t frame, int64_t at)
{
    p->frame = frame;
    p->at = at;
    p->runs = 1;
    p->noted_count = p->slack_count = 0;
}

static uint64_t ticks_due(const pacer *p, int64_t now)
{
    if (!p->runs || now < p->at) return 0;
    int64_t late = difference(now, p->at);
    return late < 0 ? 1 : (uint64_t)quotient(late, (uint32_t)PERIOD) + 1;
}

static void end_tick(pacer *p)
{
    int64_t error = error_of(p), step = 0;
    if (product(distance(error), 4) > PERIOD) {
        int64_t speed = distance(error) > 3 * PERIOD ? FAST : GENTLE;
        step = quotient(product(PERIOD, error > 0 ? speed : -speed), 1000);
    }
    p->phase = sum(p->phase, step);
    p->at = sum(p->at, PERIOD + step);
    p->frame++;
}

static void skip_ticks(pacer *p, uint64_t ticks)
{
    p->at = sum(p->at, product((int64_t)ticks, PERIOD));
    p->frame += ticks;
}

/* The input for `frame` came so long before the frame was due. */
static void observe_slack(pacer *p, uint64_t frame, int64_t slack)
{
    int64_t offset;
    if (!taken_from(p->noted, &p->noted_count, frame, &offset) || !p->runs) return;
    push(p->slacks, &p->slack_count, SAMPLES, difference(slack, offset));
    int64_t error = error_of(p);
    if (distance(error) > FAR * PERIOD) {
        p->phase = sum(p->phase, error);
        p->at = sum(p->at, error);
    }
}

static void begin_control(delay_control *d, size_t window, uint64_t least, uint64_t most)
{
    const patience none = {0, 0, 0, {0}};
    *d = (delay_control){least, most, window - window / 4, 0, {0}, -REST, 0, none, none};
}

static int64_t rtt_of(const delay_control *d)
{
    int64_t sorted[ROUND_TRIPS];
    if (!d->trip_count) return 0;
    sort(sorted, d->trips, d->trip_count);
    return sorted[d->trip_count / 2];
}

/* The delay at which a frame's inputs are there when it is to be shown. */
static uint64_t wanted_delay(const delay_control *d, const pacer *p, int64_t margin)
{
    int64_t way = rtt_of(d) + (1 + d->margin.frames) * PERIOD + 2 * jitter_of(p) + margin;
    int64_t delay = -quotient(-way, (uint32_t)PERIOD) - (int64_t)d->hidden + d->extra.frames;
    if (delay > (int64_t)d->most) delay = (int64_t)d->most;
    return delay < (int64_t)d->least ? d->least : (uint64_t)delay;
}

static uint64_t begin_delay(delay_control *d, pacer *p, uint64_t frame)
{
    d->needed = d->margin.at = d->extra.at = (int64_t)frame;
    d->raised = (int64_t)frame - REST;
    d->margin.count = d->extra.count = 0;
    d->margin.frames = d->extra.frames = p->reserve = 0;
    return p->delay = wanted_delay(d, p, 0);
}

static void learn(patience *learned, size_t enough, int64_t most, int64_t frame)
{
    int wrong = learned->count == enough && frame - learned->wrong[0] < WITHIN;
    if (wrong && frame - learned->at >= REST) {
        learned->count = 0;
        if (learned->frames < most) learned->frames++;
        learned->at = frame;
    } else if (learned->frames && frame - learned->at >= CALM) {
        learned->frames--;
        learned->at = frame;
    }
}

/* Choose the delay for the tick that is next; whether it changed. */
static int update_delay(delay_control *d, pacer *p)
{
    const int64_t frame = (int64_t)p->frame;
    const uint64_t now = p->delay;
    learn(&d->margin, LATE, MOST_MARGIN, frame);
    learn(&d->extra, STALLS, MOST_EXTRA, frame);
    int64_t reserve = d->margin.frames * PERIOD;
    int calm = wanted_delay(d, p, PERIOD / 2) < now;
    if (!calm) d->needed = frame;
    if (wanted_delay(d, p, 0) > now && frame - d->raised >= REST) {
        d->raised = d->needed = frame;
        p->delay = now + 1;
    } else if (calm && frame - d->needed >= CALM) {
        /* First the slack grows by a frame, so that the step down makes no input late. */
        reserve += PERIOD;
        p->reserve = reserve;
        if (product(error_of(p), 4) >= -PERIOD) {
            reserve -= PERIOD;
            d->needed = frame;
            p->delay = now - 1;
        }
    }
    p->reserve = reserve;
    return p->delay != now;
}
