/* A freestanding program around compiled entries: memory and calls, asked for over stdin.

   Requests are three 64-bit words in the machine's own byte order, then data:
     1 size 0              reply: address of new zeroed memory, aligned to 64; 0: none is left
     2 address size, data  write; reply: size
     3 address size        read; reply: size, then the data
     4 entry count, slots  call; reply: status, then the slots as the entry left them
   A reply is MAGIC, a value, then data. The first reply, unasked, holds the size of a pointer.
   The end of stdin is the end of the program. There is no C library below: three system calls
   are all that it needs. */

#include "linux.h"

#define MAGIC UINT64_C(0x73616d6562697473)
#define HEAP_BYTES ((size_t)1 << 28)
#define MAX_SLOTS 256

/* ENTRY_LIST is a row of ENTRY(n) for each sb_entry_n. */
#define ENTRY(n) extern int32_t sb_entry_##n(int64_t *slots);
ENTRY_LIST
#undef ENTRY
#define ENTRY(n) sb_entry_##n,
static int32_t (*const entries[])(int64_t *) = {ENTRY_LIST};
#undef ENTRY

static void get(void *to, uint64_t size)
{
    char *at = to;
    while (size) {
        size_t part = size < 1 << 20 ? (size_t)size : 1 << 20;
        long done = system_call(SYS_READ, 0, (long)(uintptr_t)at, (long)part);
        if (done <= 0)
            leave(done == 0 ? 0 : 2);
        at += done;
        size -= (uint64_t)done;
    }
}

static void put(const void *from, uint64_t size)
{
    const char *at = from;
    while (size) {
        size_t part = size < 1 << 20 ? (size_t)size : 1 << 20;
        long done = system_call(SYS_WRITE, 1, (long)(uintptr_t)at, (long)part);
        if (done <= 0)
            leave(2);
        at += done;
        size -= (uint64_t)done;
    }
}

static void reply(uint64_t value, const void *data, uint64_t size)
{
    uint64_t head[2] = {MAGIC, value};
    put(head, sizeof head);
    put(data, size);
}

static _Alignas(64) unsigned char heap[HEAP_BYTES];
static size_t heap_used;

static uint64_t allocate(uint64_t size)
{
    void *place = heap + heap_used;
    if (size > HEAP_BYTES - heap_used)
        return 0;
    heap_used += ((size_t)size + 63) & ~(size_t)63;
    if (heap_used > HEAP_BYTES)
        heap_used = HEAP_BYTES;
    return (uintptr_t)place;
}

static int64_t slots[MAX_SLOTS];

__attribute__((used)) _Noreturn void sb_serve(void *stack)
{
    (void)stack;
    reply(sizeof(void *), NULL, 0);
    for (;;) {
        uint64_t request[3];
        get(request, sizeof request);
        uint64_t a = request[1], b = request[2];
        switch (request[0]) {
        case 1:
            reply(allocate(a), NULL, 0);
            break;
        case 2:
            get((void *)(uintptr_t)a, b);
            reply(b, NULL, 0);
            break;
        case 3:
            reply(b, (const void *)(uintptr_t)a, b);
            break;
        case 4:
            if (a >= sizeof entries / sizeof *entries || b > MAX_SLOTS)
                leave(3);
            get(slots, 8 * b);
            reply((uint32_t)entries[a](slots), slots, 8 * b);
            break;
        default:
            leave(3);
        }
    }
}

START(sb_serve)
