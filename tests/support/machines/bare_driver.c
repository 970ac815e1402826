/* Entries of compiled code called without a C library: calls over stdin, slots over stdout.

   The program ends with a status of its own where a call leaves the caller another rounding (4)
   or other flags (5). Registers are read and set here, by hand: nothing is taken from what is
   tested. Arguments: one rounds upwards, two raise inexact and invalid first. */

#include "linux.h"
#include "bare_fp.h"

typedef int32_t entry(uint64_t *);
#define ENTRY(n) extern entry sb_entry_##n;
ENTRY_LIST
#undef ENTRY
#define ENTRY(n) sb_entry_##n,
static entry *const entries[] = {ENTRY_LIST};
#undef ENTRY

#define MEMORY UINT64_C(0x5A5A0123456789AB)

static unsigned char sent[1 << 16], answer[1 << 16];
static long sent_size, sent_at, answer_size;

static uint64_t get(int bytes)
{
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++) {
        if (sent_at == sent_size) {
            sent_size = system_call(SYS_READ, 0, (long)(uintptr_t)sent, sizeof sent);
            sent_at = 0;
            if (sent_size <= 0)
                leave(6);
        }
        v |= (uint64_t)sent[sent_at++] << 8 * i;
    }
    return v;
}

static void flush(void)
{
    long done = 0;
    while (done < answer_size) {
        long part = system_call(SYS_WRITE, 1, (long)(uintptr_t)(answer + done),
                                answer_size - done);
        if (part <= 0)
            leave(7);
        done += part;
    }
    answer_size = 0;
}

static void put(uint64_t v, int bytes)
{
    if (answer_size + bytes > (long)sizeof answer)
        flush();
    for (int i = 0; i < bytes; i++)
        answer[answer_size++] = (unsigned char)(v >> 8 * i);
}

__attribute__((used)) _Noreturn void call_all(void *stack)
{
    static uint64_t slots[64], memory[64];
    int arguments = (int)*(long *)stack - 1;
    uint64_t left = get(4);
    fp_word usual = fp_get(), rounding = arguments ? FP_UPWARD : 0;
    if ((usual & (FP_ROUNDING | FP_FLAGS)) != 0)
        leave(2);
    fp_set(usual | rounding | (arguments > 1 ? FP_INEXACT | FP_INVALID : 0));
    if ((fp_get() & FP_ROUNDING) != rounding)
        leave(3);
    while (left--) {
        uint64_t n = get(4), count = get(4);
        if (n >= sizeof entries / sizeof *entries || count > 64)
            leave(8);
        for (uint64_t i = 0; i < count; i++) {
            slots[i] = get(8);
            if (slots[i] == MEMORY)
                slots[i] = (uintptr_t)memory;
        }
        if (left % 2)
            fp_set(fp_get() & ~FP_FLAGS);
        else if (left % 4)
            fp_set(fp_get() | FP_DIVIDED);
        fp_word before = fp_get();
        int32_t status = entries[n](slots);
        fp_word after = fp_get();
        if ((after ^ before) & FP_FLAGS)
            leave(5);
        if ((after & FP_ROUNDING) != rounding)
            leave(4);
        put((uint32_t)status, 4);
        for (uint64_t i = 0; i < count; i++)
            put(slots[i], 8);
    }
    flush();
    leave(0);
}

START(call_all)
