/* A player of the arena in C, over plain sockets: one ship of a match that a relay serves.

       samebits build examples/arena/arena.py --out arena
       cc -O2 -I arena examples/matches/peer.c arena/TARGET/libarena.a -o peer
       ./peer 127.0.0.1 8443 m1 "$(samebits net ticket m1 --secret secret.key --slot 0)"

   It shows all that a game needs around arena_peer.h: a WebSocket client as small as can be (no TLS:
   put a proxy in front, or take libcurl, whose curl_ws_send and curl_ws_recv fit in for
   `send_message` and `read_some`), a clock, waiting, and coming back after a lost connection. */

#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "arena_peer.h"

enum { WINDOW = 8, KEPT = 900, TRIES = 20 };
enum { TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9, PONG = 10 };

static uint8_t incoming[ARENA_PEER_MESSAGE + 16]; /* what came and is not taken yet */
static size_t held;

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int send_all(int s, const void *data, size_t size)
{
    for (const uint8_t *at = data; size;) {
        ssize_t sent = send(s, at, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return 0;
        at += sent;
        size -= (size_t)sent;
    }
    return 1;
}

/* One frame, which holds a whole message. Clients mask what they send so that proxies do not take it
   for HTTP; nothing is secret about the mask. */
static int send_message(int s, int opcode, const uint8_t *message, size_t size)
{
    static uint8_t frame[ARENA_PEER_MESSAGE + 16];
    const uint32_t mask = (uint32_t)now() * 2654435761u;
    size_t at = 0;
    if (size > ARENA_PEER_MESSAGE) return 0;
    frame[at++] = 0x80 | (uint8_t)opcode;
    if (size < 126) {
        frame[at++] = 0x80 | (uint8_t)size;
    } else if (size < 65536) {
        frame[at++] = 0x80 | 126;
        frame[at++] = (uint8_t)(size >> 8);
        frame[at++] = (uint8_t)size;
    } else {
        frame[at++] = 0x80 | 127;
        for (int shift = 56; shift >= 0; shift -= 8) frame[at++] = (uint8_t)((uint64_t)size >> shift);
    }
    uint8_t *key = frame + at;
    for (int k = 0; k < 4; k++) frame[at++] = (uint8_t)(mask >> 8 * k);
    for (size_t k = 0; k < size; k++) frame[at++] = message[k] ^ key[k % 4];
    return send_all(s, frame, at);
}

/* A connection whose handshake is done, or -1. */
static int connected(const char *host, const char *port, const char *match)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found;
    if (getaddrinfo(host, port, &hints, &found)) return -1;
    int s = -1;
    for (struct addrinfo *a = found; a && s < 0; a = a->ai_next) {
        s = socket(a->ai_family, a->ai_socktype, a->ai_protocol);
        if (s >= 0 && connect(s, a->ai_addr, a->ai_addrlen)) {
            close(s);
            s = -1;
        }
    }
    freeaddrinfo(found);
    if (s < 0) return -1;
    const int yes = 1;
    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    char head[1024];
    int size = snprintf(head, sizeof head,
                        "GET /%s HTTP/1.1\r\nHost: %s:%s\r\nUpgrade: websocket\r\n"
                        "Connection: Upgrade\r\nSec-WebSocket-Key: c2FtZWJpdHMgcGVlciAwMQ==\r\n"
                        "Sec-WebSocket-Version: 13\r\n\r\n",
                        match, host, port);
    held = 0;
    if (size < 0 || (size_t)size >= sizeof head || !send_all(s, head, (size_t)size)) goto failed;
    /* The answer, up to its empty line; the relay says nothing before it was greeted. */
    size_t at = 0;
    while (at < sizeof head - 1) {
        if (recv(s, head + at, 1, 0) != 1) goto failed;
        head[++at] = 0;
        if (at >= 4 && !memcmp(head + at - 4, "\r\n\r\n", 4)) break;
    }
    if (at < 12 || memcmp(head + 9, "101", 3)) {
        fprintf(stderr, "the relay answers %.*s\n", (int)strcspn(head, "\r\n"), head);
        goto failed;
    }
    return s;
failed:
    close(s);
    return -1;
}

/* Give the peer every whole message that came; 0 where the connection is over. */
static int take_messages(int s, arena_peer *peer)
{
    size_t at = 0;
    for (;;) {
        const uint8_t *f = incoming + at;
        const size_t left = held - at;
        if (left < 2) break;
        uint64_t size = f[1] & 0x7f;
        size_t head = 2;
        if (size > 125) {
            const size_t more = size == 126 ? 2 : 8;
            if (left < 2 + more) break;
            size = 0;
            for (size_t k = 0; k < more; k++) size = size << 8 | f[2 + k];
            head += more;
        }
        /* A relay's messages are short, whole and not masked. */
        if (!(f[0] & 0x80) || f[1] & 0x80 || size > ARENA_PEER_MESSAGE) return 0;
        if (left < head + size) break;
        const int opcode = f[0] & 0x0f;
        if (opcode == CLOSE || opcode == TEXT) return 0;
        if (opcode == BINARY) arena_peer_receive(peer, now(), f + head, (size_t)size);
        if (opcode == PING && !send_message(s, PONG, f + head, (size_t)size)) return 0;
        at += head + (size_t)size;
    }
    memmove(incoming, incoming + at, held - at);
    held -= at;
    return 1;
}

/* Wait for bytes until a time; 0 where the connection is over. */
static int read_some(int s, int64_t until)
{
    int64_t left = until == ARENA_PEER_NEVER ? 1000000000 : until - now();
    if (left < 0) left = 0;
    struct pollfd one = {.fd = s, .events = POLLIN};
    if (poll(&one, 1, (int)((left + 999999) / 1000000)) <= 0) return 1;
    ssize_t got = recv(s, incoming + held, sizeof incoming - held, 0);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return 1;
    if (got <= 0) return 0;
    held += (size_t)got;
    return 1;
}

static void tell(const arena_peer_event *e)
{
    switch (e->what) {
    case ARENA_PEER_STARTED: printf("started with frame %" PRIu64 "\n", e->frame); break;
    case ARENA_PEER_DESYNCED:
        printf("frame %" PRIu64 ": slots %" PRIx64 " departed\n", e->frame, e->slots);
        break;
    case ARENA_PEER_VERDICT: printf("frame %" PRIu64 ": %s\n", e->frame, e->text); break;
    case ARENA_PEER_REFUSED: printf("refused: %s\n", e->text); break;
    case ARENA_PEER_BROKEN: printf("broken: %s\n", e->text); break;
    case ARENA_PEER_ENDED:
        printf("ended after %" PRIu64 " frames, hash %016" PRIx64 ": %s\n", e->frame, e->value, e->text);
        break;
    default: return;
    }
    fflush(stdout);
}

/* What the player does now: a game asks its keyboard. */
static arena_Input input_of_now(void)
{
    const int64_t tenth = now() / 100000000;
    arena_Input input = {0};
    input.thrust = tenth % 7 < 4 ? 90 : 0;
    input.turn = (int8_t)(tenth / 5 % 5 * 40 - 80);
    input.fire = tenth % 3 == 0;
    return input;
}

int main(int count, char **words)
{
    if (count != 5) {
        fprintf(stderr, "usage: %s HOST PORT MATCH TICKET\n", words[0]);
        return 2;
    }
    arena_peer_options options = {.ticket = words[4], .window = WINDOW, .kept = KEPT};
    const size_t size = ARENA_PEER_BYTES(WINDOW, KEPT);
    arena_peer *peer = arena_peer_open(malloc(size), size, &options);
    if (!peer) {
        fprintf(stderr, "the ticket is too long, or there is no memory\n");
        return 2;
    }
    int s = -1, tries = 0, begun = 0;
    int32_t last = 0;
    for (;;) {
        arena_peer_status status;
        arena_peer_get_status(peer, &status);
        if (s < 0 && status.phase != ARENA_PEER_OVER) {
            s = connected(words[1], words[2], words[3]);
            if (s < 0) {
                if (!begun || ++tries > TRIES) {
                    fprintf(stderr, "no connection to %s:%s\n", words[1], words[2]);
                    return 1;
                }
                nanosleep(&(struct timespec){0, 200000000}, NULL);
                continue;
            }
            if (begun) arena_peer_reconnect(peer);
            begun = 1;
        }
        const arena_Input input = input_of_now();
        const int64_t wake = arena_peer_tick(peer, now(), &input);
        int open = 1;
        const uint8_t *message;
        for (size_t n; s >= 0 && open && (n = arena_peer_send(peer, &message));)
            open = send_message(s, BINARY, message, n);
        for (arena_peer_event event; arena_peer_next_event(peer, &event);) {
            tell(&event);
            last = event.what;
        }
        /* Here a game draws arena_peer_state(peer). */
        if (wake == ARENA_PEER_NEVER) break;
        if (open) open = read_some(s, wake) && take_messages(s, peer);
        if (open) {
            tries = 0;
        } else {
            close(s);
            s = -1;
        }
    }
    if (s >= 0) close(s);
    return last == ARENA_PEER_ENDED ? 0 : 1;
}
