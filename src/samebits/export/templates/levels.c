/* An entry takes its parameters as 64-bit words: an array is its address, then its lengths. */
typedef int32_t entry(int64_t *);
#define DECLARE(level, name) \
    __attribute__((visibility("hidden"))) entry @NAME@_##level##_entry_##name
#define ROW(number, level)                                                                \
    {number, @NAME@_##level##_entry_init, @NAME@_##level##_entry_step,                    \
     @NAME@_##level##_entry_run, @NAME@_##level##_entry_hash}

@DECLARATIONS@

/* The same kernels for each level, the lowest first: it is taken for granted. */
typedef struct {
    int32_t number;
    entry *init, *step, *run, *hash;
} level_row;

static const level_row levels[] = {
@LEVEL_ROWS@
};
enum { LEVELS = sizeof levels / sizeof *levels };

static void cpuid(uint32_t leaf, uint32_t found[4]) /* eax, ebx, ecx, edx */
{
    __asm__ volatile("cpuid"
                     : "=a"(found[0]), "=b"(found[1]), "=c"(found[2]), "=d"(found[3])
                     : "a"(leaf), "c"(0));
}

#define BIT(n) (UINT32_C(1) << (n))
/* By leaf 1 (ecx), leaf 7 (ebx) and leaf 0x80000001 (ecx), in the order of the levels' lists:
   SSE3 SSSE3 CX16 SSE4.1 SSE4.2 POPCNT, LAHF; FMA MOVBE OSXSAVE AVX F16C, BMI1 AVX2 BMI2, LZCNT;
   AVX512F DQ CD BW VL. */
#define V2 (BIT(0) | BIT(9) | BIT(13) | BIT(19) | BIT(20) | BIT(23))
#define V3 (BIT(12) | BIT(22) | BIT(27) | BIT(28) | BIT(29))
#define V3_SEVEN (BIT(3) | BIT(5) | BIT(8))
#define V4_SEVEN (BIT(16) | BIT(17) | BIT(28) | BIT(30) | BIT(31))

/* What the processor has and the operating system keeps across its switches of threads. */
static int32_t highest_level(void)
{
    uint32_t first[4], seven[4] = {0}, more[4] = {0};
    cpuid(0, first);
    uint32_t leaves = first[0];
    cpuid(1, first);
    if (leaves >= 7) cpuid(7, seven);
    cpuid(UINT32_C(0x80000000), more);
    if (more[0] <= UINT32_C(0x80000000)) return 1;
    cpuid(UINT32_C(0x80000001), more);
    if ((first[2] & V2) != V2 || !(more[2] & BIT(0))) return 1;
    if ((first[2] & V3) != V3 || (seven[1] & V3_SEVEN) != V3_SEVEN || !(more[2] & BIT(5))) return 2;
    uint32_t kept, high;
    __asm__ volatile("xgetbv" : "=a"(kept), "=d"(high) : "c"(0));
    if ((kept & 0x06) != 0x06) return 2;
    if ((seven[1] & V4_SEVEN) != V4_SEVEN || (kept & 0xE6) != 0xE6) return 3;
    return 4;
}

/* Which row is used, counted from 1; 0 before the first use. Threads that find it 0 at one time
   all write the same. */
static int32_t chosen;

static int32_t best_row(void)
{
    int32_t highest = highest_level(), row = LEVELS;
    while (row > 1 && levels[row - 1].number > highest) row--;
    return row;
}

static const level_row *level_in_use(void)
{
    int32_t row = __atomic_load_n(&chosen, __ATOMIC_RELAXED);
    if (!row) __atomic_store_n(&chosen, row = best_row(), __ATOMIC_RELAXED);
    return &levels[row - 1];
}
#define ENTRY(name) level_in_use()->name

int32_t @NAME@_level(void)
{
    return level_in_use()->number;
}

int32_t @NAME@_set_level(int32_t level)
{
    int32_t row = level ? 0 : best_row();
    for (int32_t k = 0; k < best_row(); k++)
        if (levels[k].number == level) row = k + 1;
    if (!row) return -1;
    __atomic_store_n(&chosen, row, __ATOMIC_RELAXED);
    return levels[row - 1].number;
}
