/* Rounding and sticky flags of each processor, as its registers hold them; both fields are 0 in a
   program that just began. */

typedef uint64_t fp_word;

#if defined(__x86_64__) || defined(__i386__)
/* mxcsr below, the x87 control and status words above: both units round and have flags. */
#define FP_BOTH(sse, control, status) \
    ((fp_word)(sse) | (fp_word)(control) << 32 | (fp_word)(status) << 48)
#define FP_ROUNDING FP_BOTH(0x6000, 0x0C00, 0)
#define FP_UPWARD FP_BOTH(0x4000, 0x0800, 0)
#define FP_FLAGS FP_BOTH(0x3F, 0, 0x3F)
#define FP_INEXACT FP_BOTH(0x20, 0, 0x20)
#define FP_INVALID FP_BOTH(0x01, 0, 0x01)
#define FP_DIVIDED FP_BOTH(0x04, 0, 0x04)
static fp_word fp_get(void)
{
    uint32_t sse;
    uint16_t control, status;
    __asm__ volatile("stmxcsr %0" : "=m"(sse));
    __asm__ volatile("fnstcw %0" : "=m"(control));
    __asm__ volatile("fnstsw %0" : "=m"(status));
    return FP_BOTH(sse, control, status);
}
static void fp_set(fp_word w)
{
    uint32_t sse = (uint32_t)w;
    uint32_t unit[7];
    __asm__ volatile("ldmxcsr %0" : : "m"(sse));
    __asm__ volatile("fnstenv %0" : "=m"(unit));
    unit[0] = (unit[0] & ~0xFFFFu) | (uint16_t)(w >> 32);
    unit[1] = (unit[1] & ~0x3Fu) | (uint32_t)(w >> 48 & 0x3F);
    __asm__ volatile("fldenv %0" : : "m"(unit));
}
#elif defined(__aarch64__)
#define FP_ROUNDING ((fp_word)3 << 54)
#define FP_UPWARD ((fp_word)1 << 54)
#define FP_FLAGS ((fp_word)0x1F)
#define FP_INEXACT ((fp_word)0x10)
#define FP_INVALID ((fp_word)1)
#define FP_DIVIDED ((fp_word)2)
static fp_word fp_get(void)
{
    uint64_t control, status;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    __asm__ volatile("mrs %0, fpsr" : "=r"(status));
    return control << 32 | (uint32_t)status;
}
static void fp_set(fp_word w)
{
    uint64_t control = w >> 32, status = (uint32_t)w;
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
    __asm__ volatile("msr fpsr, %0" : : "r"(status));
}
#elif defined(__powerpc64__)
/* Invalid is a summary; software's own cause of it is what can be set. */
#define FP_ROUNDING ((fp_word)3)
#define FP_UPWARD ((fp_word)2)
#define FP_FLAGS ((fp_word)0x3FF80700)
#define FP_INEXACT ((fp_word)0x02000000)
#define FP_INVALID ((fp_word)0x20000400)
#define FP_DIVIDED ((fp_word)0x04000000)
static fp_word fp_get(void)
{
    union { double d; uint64_t w; } v;
    __asm__ volatile("mffs %0" : "=f"(v.d));
    return (uint32_t)v.w;
}
static void fp_set(fp_word w)
{
    union { double d; uint64_t w; } v = {.w = w};
    __asm__ volatile("mtfsf 255, %0" : : "f"(v.d));
}
#else
#if defined(__arm__)
#define FP_READ "vmrs %0, fpscr"
#define FP_WRITE "vmsr fpscr, %0"
#define FP_ROUNDING ((fp_word)0x00C00000)
#define FP_UPWARD ((fp_word)0x00400000)
#define FP_FLAGS ((fp_word)0x1F)
#define FP_INEXACT ((fp_word)0x10)
#define FP_INVALID ((fp_word)1)
#define FP_DIVIDED ((fp_word)2)
#elif defined(__riscv)
#define FP_READ "csrr %0, fcsr"
#define FP_WRITE "csrw fcsr, %0"
#define FP_ROUNDING ((fp_word)0xE0)
#define FP_UPWARD ((fp_word)0x60)
#define FP_FLAGS ((fp_word)0x1F)
#define FP_INEXACT ((fp_word)1)
#define FP_INVALID ((fp_word)0x10)
#define FP_DIVIDED ((fp_word)8)
#elif defined(__loongarch__)
#define FP_READ "movfcsr2gr %0, $fcsr0"
#define FP_WRITE "movgr2fcsr $fcsr0, %0"
#define FP_ROUNDING ((fp_word)0x300)
#define FP_UPWARD ((fp_word)0x200)
#define FP_FLAGS ((fp_word)0x1F0000)
#define FP_INEXACT ((fp_word)0x010000)
#define FP_INVALID ((fp_word)0x100000)
#define FP_DIVIDED ((fp_word)0x080000)
#elif defined(__s390x__)
#define FP_READ "efpc %0"
#define FP_WRITE "sfpc %0"
#define FP_ROUNDING ((fp_word)3)
#define FP_UPWARD ((fp_word)2)
#define FP_FLAGS ((fp_word)0xF80000)
#define FP_INEXACT ((fp_word)0x080000)
#define FP_INVALID ((fp_word)0x800000)
#define FP_DIVIDED ((fp_word)0x400000)
#elif defined(__mips64)
#define FP_READ "cfc1 %0, $31"
#define FP_WRITE "ctc1 %0, $31"
#define FP_ROUNDING ((fp_word)3)
#define FP_UPWARD ((fp_word)2)
#define FP_FLAGS ((fp_word)0x7C)
#define FP_INEXACT ((fp_word)0x04)
#define FP_INVALID ((fp_word)0x40)
#define FP_DIVIDED ((fp_word)0x20)
#endif
static fp_word fp_get(void)
{
    unsigned long w;
    __asm__ volatile(FP_READ : "=r"(w));
    return (uint32_t)w;
}
static void fp_set(fp_word w)
{
    unsigned long word = (unsigned long)w;
    __asm__ volatile(FP_WRITE : : "r"(word));
}
#endif
