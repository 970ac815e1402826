/* Floats of a file, in arrays of one to nine: the arguments are the record and the file. */
#define SAMEBITS_IMPLEMENTATION
#include "samebits.h"

#define ROW(n) struct { uint16_t half[n]; float single[n]; double twice[n]; unsigned char end; }
#define TELL(n)                                                                            \
  do {                                                                                     \
    static ROW(n) rows[3];                                                                 \
    char name[8], layout[64];                                                              \
    int k;                                                                                 \
    for (k = 0; k < 3; k++) {                                                              \
      read += fread(rows[k].half, 2, n, in) + fread(rows[k].single, 4, n, in);             \
      read += fread(rows[k].twice, 8, n, in), rows[k].end = (unsigned char)k;              \
    }                                                                                      \
    snprintf(name, sizeof name, "r%d", n);                                                 \
    snprintf(layout, sizeof layout, "{h:f16[%d] s:f32[%d] d:f64[%d] end:u8}[3]", n, n, n); \
    sb_region(run, name, rows, sizeof rows, layout);                                       \
  } while (0)

int main(int count, char **words) {
  sb_run *run = count > 2 ? sb_open(words[1], "rare", "1") : 0;
  FILE *in = count > 2 ? fopen(words[2], "rb") : 0;
  size_t read = 0;
  if (!run || !in) return 2;
  TELL(1); TELL(2); TELL(3); TELL(4); TELL(5); TELL(6); TELL(7); TELL(8); TELL(9);
  fclose(in);
  sb_begin(run, -1, NULL, 0);
  sb_end(run, -1);
  return sb_close(run) || read != 3 * 3 * 45;
}
