
#if defined(SAMEBITS_IMPLEMENTATION) && !defined(SB_IMPLEMENTED_)
#define SB_IMPLEMENTED_

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) || defined(_M_X64) || defined(__SSE__) || (defined(_M_IX86_FP) && _M_IX86_FP > 0)
#include <xmmintrin.h>
#define SB_MXCSR_ 1
#endif
#if (defined(__i386__) || defined(__x86_64__)) && defined(__GNUC__)
#define SB_X87_ 1
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if defined(SB_MXCSR_)
#define SB_CONTROL_NAME_ "mxcsr"
#elif defined(__aarch64__)
#define SB_CONTROL_NAME_ "fpcr"
#elif defined(__arm__) && defined(__VFP_FP__) && !defined(__SOFTFP__)
#define SB_CONTROL_NAME_ "fpscr"
#elif defined(__riscv_flen)
#define SB_CONTROL_NAME_ "fcsr"
#elif defined(__s390x__)
#define SB_CONTROL_NAME_ "fpc"
#else
#define SB_CONTROL_NAME_ ""
#endif

sb_fp_words sb_fp_read(void) {
  sb_fp_words words = {0, 0};
#if defined(SB_MXCSR_)
  words.control = _mm_getcsr() & 0xffc0u;
#elif defined(__aarch64__) && defined(__GNUC__)
  __asm__ volatile("mrs %0, fpcr" : "=r"(words.control));
#elif defined(__arm__) && defined(__VFP_FP__) && !defined(__SOFTFP__) && defined(__GNUC__)
  uint32_t word;
  __asm__ volatile("vmrs %0, fpscr" : "=r"(word));
  words.control = word & 0x07ff9f00u;
#elif defined(__riscv_flen) && defined(__GNUC__)
  unsigned long word;
  __asm__ volatile("frcsr %0" : "=r"(word));
  words.control = word & 0xe0u;
#elif defined(__s390x__) && defined(__GNUC__)
  uint32_t word;
  __asm__ volatile("efpc %0" : "=d"(word));
  words.control = word & 0xf8000077u;
#endif
#if defined(SB_X87_)
  {
    uint16_t word;
    __asm__ volatile("fnstcw %0" : "=m"(word));
    words.x87 = word & 0x0f3fu;
  }
#endif
  return words;
}

void sb_fp_write(sb_fp_words words) {
  (void)words;
#if defined(SB_MXCSR_)
  _mm_setcsr((_mm_getcsr() & 0x3fu) | (unsigned)words.control);
#elif defined(__aarch64__) && defined(__GNUC__)
  __asm__ volatile("msr fpcr, %0" : : "r"(words.control));
#elif defined(__arm__) && defined(__VFP_FP__) && !defined(__SOFTFP__) && defined(__GNUC__)
  uint32_t word;
  __asm__ volatile("vmrs %0, fpscr" : "=r"(word));
  word = (word & ~0x07ff9f00u) | (uint32_t)words.control;
  __asm__ volatile("vmsr fpscr, %0" : : "r"(word));
#elif defined(__riscv_flen) && defined(__GNUC__)
  unsigned long word;
  __asm__ volatile("frcsr %0" : "=r"(word));
  word = (word & 0x1fu) | (unsigned long)words.control;
  __asm__ volatile("fscsr %0" : : "r"(word));
#elif defined(__s390x__) && defined(__GNUC__)
  uint32_t word;
  __asm__ volatile("efpc %0" : "=d"(word));
  word = (word & ~0xf8000077u) | (uint32_t)words.control;
  __asm__ volatile("sfpc %0" : : "d"(word));
#endif
#if defined(SB_X87_)
  {
    uint16_t word;
    __asm__ volatile("fnstcw %0" : "=m"(word));
    word = (uint16_t)((word & ~0x0f3fu) | words.x87);
    __asm__ volatile("fldcw %0" : : "m"(word));
  }
#endif
}

sb_fp_words sb_fp_usual(void) {
  sb_fp_words words = {0, 0};
#if defined(SB_MXCSR_)
  words.control = 0x1f80;
#endif
#if defined(SB_X87_) && defined(_WIN32)
  words.x87 = 0x023f; /* 53 bits of significand */
#elif defined(SB_X87_)
  words.x87 = 0x033f; /* 64 */
#endif
  return words;
}

static int sb_fp_same_(sb_fp_words a, sb_fp_words b) {
  return a.control == b.control && a.x87 == b.x87;
}

void sb_fp_begin(sb_fp_guard *guard, const char *label) {
  memset(guard, 0, sizeof *guard);
  guard->label = label ? label : "";
  guard->where = "";
  guard->before = sb_fp_read();
  guard->pinned = guard->found = sb_fp_usual();
  if (!sb_fp_same_(guard->before, guard->pinned)) sb_fp_write(guard->pinned);
}

int sb_fp_mark(sb_fp_guard *guard, const char *where) {
  sb_fp_words now = sb_fp_read();
  if (sb_fp_same_(now, guard->pinned)) return 0;
  if (!guard->changes++) {
    guard->found = now;
    guard->where = where ? where : "";
  }
  sb_fp_write(guard->pinned);
  return 1;
}

unsigned sb_fp_end(sb_fp_guard *guard) {
  sb_fp_mark(guard, "before the end");
  sb_fp_write(guard->before);
  return guard->changes;
}

static sb_unit *sb_units_;

static const char *const sb_unit_names_[] = {
    "fused", "reassociated", "flushed", "rounding", "wider", "reciprocal", "no NaN", "no signed zero"};

const char *sb_unit_words(unsigned found, char text[128]) {
  unsigned k;
  text[0] = 0;
  for (k = 0; k < 8; k++)
    if (found >> k & 1) {
      if (text[0]) strcat(text, ", ");
      strcat(text, sb_unit_names_[k]);
    }
  return text[0] ? text : strcpy(text, "strict");
}

void sb_unit_add(sb_unit *unit, int must_be_strict) {
  char text[128];
  unsigned found = unit->probe();
  unit->next = sb_units_;
  sb_units_ = unit;
  if (!must_be_strict || !found) return;
  fprintf(stderr,
          "samebits: %s is not strict: %s\n  compile it with -ffp-contract=off -fno-fast-math"
          " (MSVC: /fp:strict), on 32-bit x86 with -msse2 -mfpmath=sse\n",
          unit->file, sb_unit_words(found, text));
  fflush(stderr);
  _Exit(3);
}
