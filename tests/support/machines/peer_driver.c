/* A peer of the small simulation that hears and is told what comes over stdin, and says over stdout
   what it says: with a C library, in memory of exactly its size, or without one.

   Numbers are little-endian. First the window and the kept frames, four bytes each, a byte that says
   whether it watches, and its ticket behind its length, of four bytes. Then calls: a byte for which
   one, eight bytes of time or frame, and bytes behind their length. */

#include "small_peer.h"

enum { RECEIVE, TICK, RECONNECT, PAUSE, GO_ON, LEAVE, REPORT, DONE };

#ifdef WITH_LIBC
#include <stdio.h>
#include <stdlib.h>

static void get_bytes(void *to, size_t size)
{
    if (size && fread(to, size, 1, stdin) != 1) exit(6);
}

static void put_bytes(const void *from, size_t size)
{
    if (size && fwrite(from, size, 1, stdout) != 1) exit(7);
}

static void *memory(size_t size)
{
    void *found = malloc(size ? size : 1);
    if (!found) exit(8);
    return found;
}
#define FORGET(at) free(at)
#else
#include "linux.h"

static uint8_t heap[16 << 20];
static size_t used;

static void get_bytes(void *to, size_t size)
{
    for (uint8_t *at = to; size;) {
        long found = system_call(SYS_READ, 0, (long)(uintptr_t)at, (long)size);
        if (found <= 0) leave(6);
        at += found;
        size -= (size_t)found;
    }
}

static void put_bytes(const void *from, size_t size)
{
    for (const uint8_t *at = from; size;) {
        long found = system_call(SYS_WRITE, 1, (long)(uintptr_t)at, (long)size);
        if (found <= 0) leave(7);
        at += found;
        size -= (size_t)found;
    }
}

static void *memory(size_t size)
{
    uint8_t *found = heap + used;
    if (size > sizeof heap - used) leave(8);
    used += (size + 63) / 64 * 64;
    return found;
}
#define FORGET(at) (used = (size_t)((uint8_t *)(at) - heap)) /* the latest is freed first */
#endif

static uint64_t get_number(int size)
{
    uint8_t bytes[8];
    uint64_t value = 0;
    get_bytes(bytes, (size_t)size);
    for (int k = 0; k < size; k++) value |= (uint64_t)bytes[k] << (8 * k);
    return value;
}

static void put_number(uint64_t value, int size)
{
    uint8_t bytes[8];
    for (int k = 0; k < size; k++) bytes[k] = (uint8_t)(value >> (8 * k));
    put_bytes(bytes, (size_t)size);
}

static void put_sized(const void *from, size_t size)
{
    put_number(size, 4);
    put_bytes(from, size);
}

static void put_text(const char *text)
{
    size_t size = 0;
    while (text[size]) size++;
    put_sized(text, size);
}

static void put_event(const small_peer_event *event)
{
    put_bytes("E", 1);
    put_number((uint64_t)event->what, 4);
    put_number((uint64_t)event->slot, 4);
    put_number(event->frame, 8);
    put_number(event->value, 8);
    put_number(event->slots, 8);
    put_text(event->text);
    put_text(event->code);
    put_text(event->ours);
    put_text(event->theirs);
    put_number(event->count, 4);
    for (size_t k = 0; k < event->count; k++) {
        put_number(event->groups[k].hash, 8);
        put_number(event->groups[k].slots, 8);
        put_number((uint64_t)event->groups[k].referee, 4);
    }
}

static void tick(small_peer *peer, int64_t now, const uint8_t *bytes, size_t size)
{
    small_Input input;
    small_peer_event event;
    const uint8_t *message;
    const int has = small_input_restore(&input, bytes, size) == 0;
    put_bytes("T", 1);
    put_number((uint64_t)small_peer_tick(peer, now, has ? &input : NULL), 8);
    while ((size = small_peer_send(peer, &message)) != 0) {
        put_bytes("M", 1);
        put_sized(message, size);
    }
    while (small_peer_next_event(peer, &event)) put_event(&event);
    put_bytes("Z", 1);
}

static void put_report(small_peer *peer, uint64_t frame)
{
    uint8_t *bytes = memory(SMALL_PEER_REPORT_BYTES);
    put_bytes("R", 1);
    put_sized(bytes, small_peer_report(peer, frame, bytes, SMALL_PEER_REPORT_BYTES));
    FORGET(bytes);
}

static int play(void)
{
    small_peer_options options = {0};
    options.window = (size_t)get_number(4);
    options.kept = (size_t)get_number(4);
    options.spectator = (int32_t)get_number(1);
    size_t size = (size_t)get_number(4);
    char *ticket = memory(size + 1);
    get_bytes(ticket, size);
    ticket[size] = 0;
    options.ticket = ticket;
    size = SMALL_PEER_BYTES(options.window, options.kept);
    small_peer *peer = small_peer_open(memory(size), size, &options);
    if (!peer) return 9;
    for (;;) {
        const int what = (int)get_number(1);
        const int64_t now = (int64_t)get_number(8);
        size = (size_t)get_number(4);
        uint8_t *bytes = memory(size);
        get_bytes(bytes, size);
        switch (what) {
        case RECEIVE: small_peer_receive(peer, now, bytes, size); break;
        case TICK: tick(peer, now, bytes, size); break;
        case RECONNECT: small_peer_reconnect(peer); break;
        case PAUSE: small_peer_pause(peer); break;
        case GO_ON: small_peer_go_on(peer); break;
        case LEAVE: small_peer_leave(peer); break;
        case REPORT: put_report(peer, (uint64_t)now); break;
        default: return what == DONE ? 0 : 10;
        }
        FORGET(bytes);
    }
}

#ifdef WITH_LIBC
int main(void)
{
    return play();
}
#else
__attribute__((used)) _Noreturn void begin(void *stack)
{
    (void)stack;
    leave(play());
}
START(begin)
#endif
