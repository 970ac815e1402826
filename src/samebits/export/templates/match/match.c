/* One peer of a match a module instance. What comes from outside lies in the places below, whose
   sizes are checked here, whatever is said of them; before `open` nothing happens.
   The memory grows once, in `open`. */

#include "@NAME@_peer.h"
#include "wasm.h"

#define TICKET_BYTES (@TICKET@ + 1)
#define MACHINE_BYTES 201

static @NAME@_peer *peer;
static @INPUT@ input, inputs[@PLAYERS@];
static @NAME@_peer_event event;
static @NAME@_peer_status status;
static char ticket[TICKET_BYTES], machine[MACHINE_BYTES];
static uint8_t message[@MESSAGE@], token[@MOST_RESUME@];
static const uint8_t *sent;
static uint8_t *report;
static uint64_t found;

/* The JavaScript reads these where they are. */
@GUARD@_ASSERT(offsetof(@NAME@_peer_event, frame) == 8 && offsetof(@NAME@_peer_event, text) == 32 &&
               offsetof(@NAME@_peer_event, count) == 52,
               places_in_event);
@GUARD@_ASSERT(sizeof(@NAME@_peer_group) == 24 && offsetof(@NAME@_peer_group, referee) == 16,
               places_in_group);
@GUARD@_ASSERT(sizeof(@NAME@_peer_status) == 15 * 8 && offsetof(@NAME@_peer_status, players) == 8,
               places_in_status);

EXPORT(ticket_at) void *ticket_at(void) { return ticket; }
EXPORT(machine_at) void *machine_at(void) { return machine; }
EXPORT(token_at) void *token_at(void) { return token; }
EXPORT(message_at) void *message_at(void) { return message; }
EXPORT(input_at) void *input_at(void) { return &input; }
EXPORT(inputs_at) void *inputs_at(void) { return inputs; }
EXPORT(event_at) void *event_at(void) { return &event; }
EXPORT(status_at) void *status_at(void) { return &status; }
EXPORT(sent_at) const void *sent_at(void) { return sent; }
EXPORT(report_at) void *report_at(void) { return report; }
EXPORT(found_hash) uint64_t found_hash(void) { return found; }

/* Open the peer with the texts that lie in `ticket` and `machine`. 0 where the options cannot be,
   there is no memory, or a peer is open already. */
EXPORT(open) int32_t open(size_t window, size_t kept, int32_t spectator, int32_t least_delay)
{
    if (peer || window > @MOST_WINDOW@ || kept > @MOST_KEPT@) return 0;
    ticket[TICKET_BYTES - 1] = machine[MACHINE_BYTES - 1] = 0;
    const uint64_t size = @GUARD@_PEER_BYTES(window, kept);
    const uint64_t room = (size + 63) / 64 * 64;
    uint8_t *memory = grown(room + @GUARD@_PEER_REPORT_BYTES);
    const @NAME@_peer_options options = {ticket, window, kept, spectator, least_delay, machine};
    if (!memory) return 0;
    peer = @NAME@_peer_open(memory, (size_t)size, &options);
    report = memory + room;
    return peer != NULL;
}

/* A message of `size` bytes lies in `message`; of one that is too large nothing does. */
EXPORT(receive) void receive(int64_t now, size_t size)
{
    if (peer) @NAME@_peer_receive(peer, now, message, size);
}

EXPORT(tick) int64_t tick(int64_t now)
{
    return peer ? @NAME@_peer_tick(peer, now, &input) : @GUARD@_PEER_NEVER;
}

/* The size of the next message to send, which is at `sent_at`. */
EXPORT(send) size_t send(void) { return peer ? @NAME@_peer_send(peer, &sent) : 0; }

EXPORT(next_event) int32_t next_event(void)
{
    return peer ? @NAME@_peer_next_event(peer, &event) : 0;
}

EXPORT(state) const void *state(void) { return peer ? @NAME@_peer_state(peer) : NULL; }

EXPORT(get_status) void get_status(void)
{
    if (peer) @NAME@_peer_get_status(peer, &status);
}

EXPORT(find_hash) int32_t find_hash(uint64_t frame)
{
    return peer ? @NAME@_peer_hash(peer, frame, &found) : 0;
}

EXPORT(find_inputs) int32_t find_inputs(uint64_t frame)
{
    return peer ? @NAME@_peer_inputs(peer, frame, inputs) : 0;
}

/* The size of what brings the peer back to its slot, which is at `token_at`; and, before the first
   tick, that one of such a size lies there. */
EXPORT(get_token) size_t get_token(void) { return peer ? @NAME@_peer_token(peer, token) : 0; }
EXPORT(come_back) int32_t come_back(size_t size)
{
    return peer && size <= sizeof token ? @NAME@_peer_come_back(peer, token, size) : 0;
}

EXPORT(reconnect) void reconnect(void) { if (peer) @NAME@_peer_reconnect(peer); }
EXPORT(pause) void pause(void) { if (peer) @NAME@_peer_pause(peer); }
EXPORT(go_on) void go_on(void) { if (peer) @NAME@_peer_go_on(peer); }
EXPORT(leave) void leave(void) { if (peer) @NAME@_peer_leave(peer); }

/* The size of the report, which is at `report_at`; 0 where it cannot be. */
EXPORT(write_report) size_t write_report(uint64_t frame)
{
    return peer ? @NAME@_peer_report(peer, frame, report, @GUARD@_PEER_REPORT_BYTES) : 0;
}

/* A run of its own, for a measure of how fast this machine is: in an instance without a peer, since
   the memory grows. 0 where there is no memory, or where init traps. */
static @STATE@ *own;
static @NAME@_scratch *scratch;

EXPORT(begin_run) int32_t begin_run(void)
{
    if (!own) own = grown(sizeof *own);
    if (!scratch) scratch = grown(sizeof *scratch);
    return own && scratch && !@NAME@_init(own, 1);
}

/* How many frames were played, of so many. */
EXPORT(run) size_t run(size_t frames)
{
    size_t done = 0;
    while (own && scratch && done < frames && !@NAME@_step(own, inputs, scratch)) done++;
    return done;
}
