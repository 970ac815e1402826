/* A freestanding program around compiled entries: memory and calls, asked for over stdin.

   Requests are three 64-bit words in the machine's own byte order, then data:
     1 size 0              reply: address of new zeroed memory, aligned to 64; 0: none is left
     2 address size, data  write; reply: size
     3 address size        read; reply: size, then the data
     4 entry count, slots  call; reply: status, then the slots as the entry left them
   A reply is MAGIC, a value, then data. The first reply, unasked, holds the size of a pointer.
   The end of stdin is the end of the program. There is no C library below: three system calls
   are all that it needs. */

#include <stddef.h>
#include <stdint.h>

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

static long system_call(long number, long a, long b, long c);

#if defined(__x86_64__)
enum { SYS_READ = 0, SYS_WRITE = 1, SYS_EXIT = 231 };
static long system_call(long number, long a, long b, long c)
{
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(a), "S"(b), "d"(c)
                     : "rcx", "r11", "memory");
    return result;
}
#elif defined(__i386__)
enum { SYS_READ = 3, SYS_WRITE = 4, SYS_EXIT = 252 };
static long system_call(long number, long a, long b, long c)
{
    long result;
    __asm__ volatile("int $0x80"
                     : "=a"(result)
                     : "0"(number), "b"(a), "c"(b), "d"(c)
                     : "memory");
    return result;
}
#elif defined(__aarch64__)
enum { SYS_READ = 63, SYS_WRITE = 64, SYS_EXIT = 94 };
static long system_call(long number, long a, long b, long c)
{
    register long r8 __asm__("x8") = number;
    register long r0 __asm__("x0") = a;
    register long r1 __asm__("x1") = b;
    register long r2 __asm__("x2") = c;
    __asm__ volatile("svc 0" : "+r"(r0) : "r"(r8), "r"(r1), "r"(r2) : "memory");
    return r0;
}
#elif defined(__arm__)
enum { SYS_READ = 3, SYS_WRITE = 4, SYS_EXIT = 248 };
static long system_call(long number, long a, long b, long c)
{
    register long r7 __asm__("r7") = number;
    register long r0 __asm__("r0") = a;
    register long r1 __asm__("r1") = b;
    register long r2 __asm__("r2") = c;
    __asm__ volatile("svc 0" : "+r"(r0) : "r"(r7), "r"(r1), "r"(r2) : "memory");
    return r0;
}
#elif defined(__riscv)
enum { SYS_READ = 63, SYS_WRITE = 64, SYS_EXIT = 94 };
static long system_call(long number, long a, long b, long c)
{
    register long r7 __asm__("a7") = number;
    register long r0 __asm__("a0") = a;
    register long r1 __asm__("a1") = b;
    register long r2 __asm__("a2") = c;
    __asm__ volatile("ecall" : "+r"(r0) : "r"(r7), "r"(r1), "r"(r2) : "memory");
    return r0;
}
#elif defined(__loongarch__)
enum { SYS_READ = 63, SYS_WRITE = 64, SYS_EXIT = 94 };
static long system_call(long number, long a, long b, long c)
{
    register long r7 __asm__("$a7") = number;
    register long r0 __asm__("$a0") = a;
    register long r1 __asm__("$a1") = b;
    register long r2 __asm__("$a2") = c;
    __asm__ volatile("syscall 0"
                     : "+r"(r0)
                     : "r"(r7), "r"(r1), "r"(r2)
                     : "$t0", "$t1", "$t2", "$t3", "$t4", "$t5", "$t6", "$t7", "$t8", "memory");
    return r0;
}
#elif defined(__powerpc64__)
enum { SYS_READ = 3, SYS_WRITE = 4, SYS_EXIT = 234 };
static long system_call(long number, long a, long b, long c)
{
    register long r0 __asm__("r0") = number;
    register long r3 __asm__("r3") = a;
    register long r4 __asm__("r4") = b;
    register long r5 __asm__("r5") = c;
    __asm__ volatile("sc\n\tbns+ 1f\n\tneg 3, 3\n1:"
                     : "+r"(r0), "+r"(r3), "+r"(r4), "+r"(r5)
                     :
                     : "r6", "r7", "r8", "r9", "r10", "r11", "r12", "cr0", "ctr", "memory");
    return r3;
}
#elif defined(__s390x__)
enum { SYS_READ = 3, SYS_WRITE = 4, SYS_EXIT = 248 };
static long system_call(long number, long a, long b, long c)
{
    register long r1 __asm__("r1") = number;
    register long r2 __asm__("r2") = a;
    register long r3 __asm__("r3") = b;
    register long r4 __asm__("r4") = c;
    __asm__ volatile("svc 0" : "+d"(r2) : "d"(r1), "d"(r3), "d"(r4) : "memory");
    return r2;
}
#elif defined(__mips64)
enum { SYS_READ = 5000, SYS_WRITE = 5001, SYS_EXIT = 5205 };
static long system_call(long number, long a, long b, long c)
{
    register long r2 __asm__("$2") = number;
    register long r4 __asm__("$4") = a;
    register long r5 __asm__("$5") = b;
    register long r6 __asm__("$6") = c;
    register long r7 __asm__("$7");
    __asm__ volatile("syscall"
                     : "+r"(r2), "=r"(r7)
                     : "r"(r4), "r"(r5), "r"(r6)
                     : "$1", "$3", "$8", "$9", "$10", "$11", "$12", "$13", "$14", "$15", "$24",
                       "$25", "hi", "lo", "memory");
    return r7 ? -r2 : r2;
}
#else
#error "no system calls are known for this processor"
#endif

/* What compiled code may call. Built without recognition of built-in functions, or each of these
   would become a call of itself. */
void *memcpy(void *to, const void *from, size_t size)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    if ((((uintptr_t)t | (uintptr_t)f) & 7) == 0)
        for (; size >= 8; size -= 8, t += 8, f += 8)
            *(uint64_t *)t = *(const uint64_t *)f;
    while (size--)
        *t++ = *f++;
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    if ((uintptr_t)t - (uintptr_t)f >= size)
        return memcpy(to, from, size);
    while (size--)
        t[size] = f[size];
    return to;
}

void *memset(void *to, int value, size_t size)
{
    unsigned char *t = to;
    while (size--)
        *t++ = (unsigned char)value;
    return to;
}

static _Noreturn void leave(int status)
{
    for (;;)
        system_call(SYS_EXIT, status, 0, 0);
}

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

/* The only caller is the assembler text below. */
__attribute__((used)) _Noreturn void sb_serve(void)
{
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

/* The stack is aligned as a call needs it, and what a function finds in registers is set up. */
#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n\txor %ebp, %ebp\n\tand $-16, %rsp\n\tcall sb_serve\n");
#elif defined(__i386__)
__asm__(".globl _start\n_start:\n\txor %ebp, %ebp\n\tand $-16, %esp\n\tcall sb_serve\n");
#elif defined(__aarch64__) || defined(__arm__)
__asm__(".globl _start\n_start:\n\tbl sb_serve\n");
#elif defined(__riscv)
__asm__(".globl _start\n_start:\n\tcall sb_serve\n");
#elif defined(__loongarch__)
__asm__(".globl _start\n_start:\n\tbl sb_serve\n");
#elif defined(__powerpc64__)
__asm__(".globl _start\n_start:\n"
        "\taddis 2, 12, .TOC.-_start@ha\n\taddi 2, 2, .TOC.-_start@l\n"
        "\tli 0, 0\n\tstdu 1, -64(1)\n\tbl sb_serve\n\tnop\n");
#elif defined(__s390x__)
__asm__(".globl _start\n_start:\n\taghi %r15, -160\n\tbrasl %r14, sb_serve\n");
#elif defined(__mips64)
__asm__(".globl _start\n.ent _start\n_start:\n"
        "\t.set push\n\t.set noreorder\n\tbal 1f\n\tnop\n1:\n"
        "\t.cpsetup $ra, $t3, 1b\n\tdla $t9, sb_serve\n\tjalr $t9\n\tnop\n\t.set pop\n.end _start\n");
#endif
