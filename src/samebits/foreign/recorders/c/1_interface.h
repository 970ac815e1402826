/* samebits.h: records what a C or C++ program computes, frame by frame, to be compared elsewhere.

   C99 or C++11, no dependency. Include it where it is used, and in one file, before any other header:

       #define SAMEBITS_IMPLEMENTATION
       #include "samebits.h"

   A run is recorded so:

       sb_run *run = sb_open("run.sbt", "pinball", "1.4");
       sb_region(run, "balls", balls, sizeof balls, "{pos:float2 vel:float2 live:bool _:3}[64]");
       sb_begin(run, -1, 0, 0);   set up the world;             sb_end(run, -1);
       sb_begin(run, n, &input, sizeof input);   step();        sb_end(run, n);
       sb_close(run);

   `samebits diagnose a.sbt b.sbt` names the first frame and fields that differ. A null run records
   nothing: every function takes it and returns 0. Functions return 0, or -1 after a first fault,
   which is printed to stderr once and is what sb_fault() tells; the program goes on.

   A layout says what lies in memory, in C's own order and padding:
       bool i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64     numbers of these bits
       int uint long ulong size                           as this compiler has them; as 32 and 64 bits
       float2..4 double2..4 int2..4 uint2..4              x y z w, one behind the other
       {name:type name:type}   [n] [n,m]                  a struct; an array of what stands before it
       _:12     @64 name:type                             bytes passed over; a field at an offset */
#ifndef SAMEBITS_H
#define SAMEBITS_H

#include <stddef.h>
#include <stdint.h>

#if defined(SAMEBITS_REQUIRE_STRICT)
#if defined(__FAST_MATH__) || defined(_M_FP_FAST) || \
    (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)
#error "samebits: this file is compiled with fast math: its bits depend on compiler and processor"
#elif defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0
#error "samebits: this file computes wider than its types (x87): use -msse2 -mfpmath=sse"
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sb_run sb_run;
typedef struct sb_items sb_items;
typedef void sb_fill(sb_items *items, void *user);

/* Opens a record. Without a path it is the one that the environment's SAMEBITS_RECORD names; null
   where that is not set. SAMEBITS_FRAMES=120:130 keeps the states of these frames whole. */
sb_run *sb_open(const char *path, const char *name, const char *version);
/* Ends the record and frees it. */
int sb_close(sb_run *run);
/* What went wrong first; "" for nothing. */
const char *sb_fault(const sb_run *run);

/* Facts of the run, before its first frame: the seed, frames a second (60), anything else. */
int sb_seed(sb_run *run, uint64_t seed);
int sb_rate(sb_run *run, uint32_t frames_a_second);
int sb_fact(sb_run *run, const char *name, const char *value);
/* The frames whose states are kept whole, first to stop - 1; by default all of them, until their
   states take `sb_limit` bytes (256 MiB). Every frame's hash is kept. */
int sb_keep(sb_run *run, int64_t first, int64_t stop);
int sb_limit(sb_run *run, uint64_t bytes);

/* Memory that is part of the state. Returns the region's number, or -1. */
int sb_region(sb_run *run, const char *name, const void *address, size_t bytes, const char *layout);
/* A region lies elsewhere from now on (two buffers in turn). */
int sb_move(sb_run *run, int region, const void *address);
/* State that does not lie in one place: `fill` is called at every sb_end, and gives each item to
   sb_put, at most `capacity` of them, in an order that is the same on every machine. */
int sb_heap(sb_run *run, const char *name, const char *layout, size_t item_bytes, uint32_t capacity,
            sb_fill *fill, void *user);
int sb_put(sb_items *items, const void *item);
/* The input of one player, and how many players there are; without it sb_begin takes up to 64 bytes
   of no known type. */
int sb_input(sb_run *run, const char *layout, size_t bytes, uint32_t players);

/* A frame: -1 is the set-up, then 0, 1, 2 … A frame that is run again takes the place of itself and
   of those behind it. The state is read by sb_end, and by the first sb_begin where that is not -1. */
int sb_begin(sb_run *run, int64_t frame, const void *input, size_t bytes);
int sb_end(sb_run *run, int64_t frame);

/* Words of the calling thread's floating-point control registers, sticky flags left out. */
typedef struct sb_fp_words {
  uint64_t control; /* MXCSR, FPCR, FPSCR, fcsr or fpc */
  uint64_t x87;     /* the x87 control word; 0 where there is none */
} sb_fp_words;
sb_fp_words sb_fp_read(void);
void sb_fp_write(sb_fp_words words);
/* Rounding to nearest, subnormals kept, nothing signalled, as the system starts a thread. */
sb_fp_words sb_fp_usual(void);

/* A guard on one thread's stack: what the code between begin and end does to the environment.
   `where` and `label` are texts that stay; what is told of is the first change. */
typedef struct sb_fp_guard {
  sb_fp_words before, pinned, found;
  const char *label, *where;
  unsigned changes;
} sb_fp_guard;
/* Keeps the thread's environment and sets the usual one. */
void sb_fp_begin(sb_fp_guard *guard, const char *label);
/* Whether it was changed since the last mark: then the guard remembers `where`, and sets it again. */
int sb_fp_mark(sb_fp_guard *guard, const char *where);
/* Restores what the thread had; returns how many changes there were. */
unsigned sb_fp_end(sb_fp_guard *guard);
/* Writes a guard's first change to the record, on the thread that has the run. */
int sb_fp_tell(sb_run *run, const sb_fp_guard *guard);
#define SB_TEXT_(x) #x
#define SB_TEXT(x) SB_TEXT_(x)
/* A call between two marks: a change is told of with the call itself, its file and line. */
#define SB_FP_CALL(guard, call) \
  do { \
    sb_fp_mark(guard, "before " #call); \
    call; \
    sb_fp_mark(guard, #call " at " __FILE__ ":" SB_TEXT(__LINE__)); \
  } while (0)

/* What the compiler made of one source file. */
typedef struct sb_unit {
  const char *file;
  unsigned (*probe)(void);
  struct sb_unit *next;
} sb_unit;
void sb_unit_add(sb_unit *unit, int must_be_strict);
/* A probe's bits in words, such as "fused, flushed"; "strict" for 0. Returns `text`. */
const char *sb_unit_words(unsigned found, char text[128]);

#ifdef __cplusplus
}
#endif
