/* What a Linux program without a C library stands on: system calls, the memory functions that
   compilers make calls of, and its start. Each program includes this once. */

#ifndef SAMEBITS_LINUX_H
#define SAMEBITS_LINUX_H

#include <stddef.h>
#include <stdint.h>

static long system_call(long number, long a, long b, long c);

#if defined(__x86_64__)
enum { SYS_READ = 0, SYS_WRITE = 1, SYS_EXIT = 231 };
enum { SYS_OPENAT = 257, LARGE_FILE = 0 };
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
enum { SYS_OPENAT = 295, LARGE_FILE = 0100000 };
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
enum { SYS_OPENAT = 56, LARGE_FILE = 0 };
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
enum { SYS_OPENAT = 322, LARGE_FILE = 0400000 };
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
enum { SYS_OPENAT = 56, LARGE_FILE = 0 };
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
enum { SYS_OPENAT = 56, LARGE_FILE = 0 };
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
enum { SYS_OPENAT = 286, LARGE_FILE = 0 };
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
enum { SYS_OPENAT = 288, LARGE_FILE = 0 };
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
enum { SYS_OPENAT = 5247, LARGE_FILE = 0 };
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

/* START(f): the program begins in f(stack), which must not return; `stack` holds the count of
   arguments, then their addresses. The stack is aligned as a call needs it, and what a function
   finds in registers is set up. */
#if defined(__x86_64__)
#define START(f) \
    __asm__(".globl _start\n_start:\n\txor %ebp, %ebp\n\tmov %rsp, %rdi\n\tand $-16, %rsp\n" \
            "\tcall " #f "\n");
#elif defined(__i386__)
#define START(f) \
    __asm__(".globl _start\n_start:\n\txor %ebp, %ebp\n\tmov %esp, %eax\n\tand $-16, %esp\n" \
            "\tsub $12, %esp\n\tpush %eax\n\tcall " #f "\n");
#elif defined(__aarch64__)
#define START(f) __asm__(".globl _start\n_start:\n\tmov x0, sp\n\tbl " #f "\n");
#elif defined(__arm__)
#define START(f) __asm__(".globl _start\n_start:\n\tmov r0, sp\n\tbl " #f "\n");
#elif defined(__riscv)
#define START(f) __asm__(".globl _start\n_start:\n\tmv a0, sp\n\tcall " #f "\n");
#elif defined(__loongarch__)
#define START(f) __asm__(".globl _start\n_start:\n\tmove $a0, $sp\n\tbl " #f "\n");
#elif defined(__powerpc64__)
#define START(f) \
    __asm__(".globl _start\n_start:\n\tmr 3, 1\n" \
            "\taddis 2, 12, .TOC.-_start@ha\n\taddi 2, 2, .TOC.-_start@l\n" \
            "\tli 0, 0\n\tstdu 1, -64(1)\n\tbl " #f "\n\tnop\n");
#elif defined(__s390x__)
#define START(f) \
    __asm__(".globl _start\n_start:\n\tlgr %r2, %r15\n\taghi %r15, -160\n\tbrasl %r14, " #f "\n");
#elif defined(__mips64)
#define START(f) \
    __asm__(".globl _start\n.ent _start\n_start:\n" \
            "\t.set push\n\t.set noreorder\n\tmove $a0, $sp\n\tbal 1f\n\tnop\n1:\n" \
            "\t.cpsetup $ra, $t3, 1b\n\tdla $t9, " #f "\n\tjalr $t9\n\tnop\n\t.set pop\n" \
            ".end _start\n");
#endif

#endif
