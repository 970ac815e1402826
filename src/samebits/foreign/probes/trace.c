/* The traces of probes: one frame of one thread, written as it goes. Integers alone, so that no
   floating-point state is asked or changed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  uint64_t site, a, b, c, result;
} Record;

enum { kBuffered = 4096 };

static Record buffer[kBuffered];
static unsigned filled;
static FILE *out;
static uint64_t left;
static __thread int is_on;

static void flush(void) {
  if (out && filled) fwrite(buffer, sizeof *buffer, filled, out);
  filled = 0;
}

static int64_t asked(const char *name) {
  const char *text = getenv(name);
  return text ? (int64_t)strtoll(text, 0, 10) : -2;
}

/* A frame that is run again takes the place of itself. */
void sb_probe_begin(int64_t frame) {
  static const uint64_t mark = 0x3142524243525442u;
  const char *path = getenv("SAMEBITS_TRACE");
  if (!path || frame != asked("SAMEBITS_TRACE_FRAME")) return;
  if (out) fclose(out);
  filled = 0;
  left = (uint64_t)asked("SAMEBITS_TRACE_MOST");
  out = fopen(path, "wb");
  if (!out) return;
  fwrite(&mark, sizeof mark, 1, out);
  is_on = 1;
}

void sb_probe_end(int64_t frame) {
  (void)frame;
  if (!is_on) return;
  is_on = 0;
  flush();
  if (out) fclose(out);
  out = 0;
}

void sb_probe(uint32_t site, uint64_t a, uint64_t b, uint64_t c, uint64_t result) {
  Record *record;
  if (!is_on || !left) return;
  left--;
  record = &buffer[filled++];
  record->site = site, record->a = a, record->b = b, record->c = c, record->result = result;
  if (filled == kBuffered) flush();
}

#ifdef __cplusplus
}
#endif
