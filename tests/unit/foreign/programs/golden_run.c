/* The run of golden.sbt: every kind of number, NaN of all sorts, padding, a heap, two players, frames
   that are run again. All values are exact and made of
   integers, so that every compiler, flag and processor has the same. */
#define SAMEBITS_IMPLEMENTATION
#include "samebits.h"

typedef struct ball {
  float pos[3];
  double x, y;
  int16_t hp;
  unsigned char live;
} ball;
typedef struct spark {
  uint32_t id;
  float heat;
} spark;
typedef struct hand {
  float push;
  unsigned char jump;
} hand;

static ball balls[3];
static unsigned char grid[4][4];
static int64_t wide[2];
static uint16_t half[4];
static int sparks;

static void fill(sb_items *items, void *user) {
  int k;
  for (k = 0; k < *(int *)user; k++) {
    spark each;
    each.id = (uint32_t)k * 3u;
    each.heat = (float)k * 0.5f;
    sb_put(items, &each);
  }
}

static void step(int n) {
  int i;
  for (i = 0; i < 3; i++) {
    uint32_t pattern = n == 3 ? 0x7fa00001u : 0x80000000u;
    balls[i].pos[0] += 0.5f;
    balls[i].pos[1] = (float)(4 * i - n) * 0.25f;
    memcpy(&balls[i].pos[2], &pattern, 4);
    balls[i].x = (double)n / 8.0;
    balls[i].y = 1.0;
    if (n == 4) {
      uint64_t nan = UINT64_C(0xfff0000000000123);
      memcpy(&balls[i].y, &nan, 8);
    }
    balls[i].hp = (int16_t)(n * 100 - i * 7);
    balls[i].live = n & 1 ? 2 : 0;
  }
  for (i = 0; i < 16; i++) grid[i / 4][i % 4] = (unsigned char)(n * i);
  wide[0] = -(int64_t)n * ((int64_t)1 << 40), wide[1] = n;
  for (i = 0; i < 4; i++) half[i] = (uint16_t)(0x3c00 + i);
  half[3] = 0x7c01;
  sparks = (n + 5) % 5;
}

static int play(sb_run *run, int n, float more) {
  hand hands[2];
  int p, bad;
  memset(hands, 0, sizeof hands);
  for (p = 0; p < 2; p++) {
    hands[p].push = (float)(n - 4 * p) * 0.25f + more;
    hands[p].jump = (n + p) % 3 == 0;
  }
  bad = sb_begin(run, n, n == 5 ? 0 : hands, n == 5 ? 0 : sizeof hands);
  step(n);
  return bad | sb_end(run, n);
}

int main(int argc, char **argv) {
  sb_run *run = sb_open(argc > 1 ? argv[1] : 0, "golden", "1");
  int n, bad = 0;
  if (!run) return 2;
  memset(balls, 0xff, sizeof balls); /* padding that must not show */
  sb_seed(run, 7), sb_rate(run, 50);
  bad |= sb_input(run, "{push:f32 jump:bool}", sizeof(hand), 2);
  bad |= sb_region(run, "balls", balls, sizeof balls, "{pos:float3 vel:{x:f64 y:f64} hp:i16 live:bool}[3]") < 0;
  bad |= sb_region(run, "grid", grid, sizeof grid, "u8[4,4]") < 0;
  bad |= sb_region(run, "wide", wide, sizeof wide, "i64[2]") < 0;
  bad |= sb_region(run, "half", half, sizeof half, "f16[4]") < 0;
  bad |= sb_heap(run, "sparks", "{id:u32 heat:f32}", sizeof(spark), 5, fill, &sparks) < 0;
  bad |= sb_begin(run, -1, 0, 0);
  for (n = 0; n < 3; n++) balls[n].pos[0] = (float)n;
  step(-1);
  bad |= sb_end(run, -1);
  for (n = 0; n < 7; n++) bad |= play(run, n, 0.0f);
  for (n = 5; n < 10; n++) bad |= play(run, n, 0.5f);
  return sb_close(run) || bad;
}
