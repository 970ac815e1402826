/* A peer of a match over a network: see @NAME@_peer.h. Integers and copies alone, in either byte
   order. The numbers below and the tables of records are those of the Python peer. */

#include "@NAME@_peer.h"

@CONSTANTS@

uint64_t @NAME@_xxh64(const uint8_t *from, size_t size);

/* The control register of this thread that has the rounding and the flushing, as HELLO tells it. */
static void put_environment(char to[MOST_ENVIRONMENT])
{
    static const char digits[] = "0123456789abcdef";
    int shift = 60;
#if defined(__x86_64__) || defined(__SSE2__)
    const char *name = "mxcsr=0x";
    uint32_t word = 0;
    __asm__ volatile("stmxcsr %0" : "=m"(word));
    word &= ~UINT32_C(0x3F);
#elif defined(__aarch64__)
    const char *name = "fpcr=0x";
    uint64_t word = 0;
    __asm__ volatile("mrs %0, fpcr" : "=r"(word));
#else
    const char *name = "";
    const uint64_t word = 0;
    shift = -1;
#endif
    while (*name) *to++ = *name++;
    while (shift > 0 && !((uint64_t)word >> shift)) shift -= 4;
    for (; shift >= 0; shift -= 4) *to++ = digits[(uint64_t)word >> shift & 15];
    *to = 0;
}
