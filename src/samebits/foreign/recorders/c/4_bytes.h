
/* Bytes: little-endian whatever the machine, and XXH64 (Yann Collet's xxHash) over them. */
static void sb_put16_(unsigned char *p, uint32_t v) {
  p[0] = (unsigned char)v, p[1] = (unsigned char)(v >> 8);
}
static void sb_put32_(unsigned char *p, uint32_t v) {
  sb_put16_(p, v), sb_put16_(p + 2, v >> 16);
}
static void sb_put64_(unsigned char *p, uint64_t v) {
  sb_put32_(p, (uint32_t)v), sb_put32_(p + 4, (uint32_t)(v >> 32));
}
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define SB_BIG_ENDIAN_ 1
static uint64_t sb_get64_(const unsigned char *p) {
  uint64_t v = 0;
  int k;
  for (k = 7; k >= 0; k--) v = v << 8 | p[k];
  return v;
}
#define SB_GET_WORDS_(w, p)                                         \
  ((w)[0] = sb_get64_(p), (w)[1] = sb_get64_((p) + 8),              \
   (w)[2] = sb_get64_((p) + 16), (w)[3] = sb_get64_((p) + 24))
#define sb_store32_ sb_put32_
#define sb_store64_ sb_put64_
#else
#define SB_GET_WORDS_(w, p) memcpy(w, p, 32)
static void sb_store32_(unsigned char *p, uint32_t v) { memcpy(p, &v, 4); }
static void sb_store64_(unsigned char *p, uint64_t v) { memcpy(p, &v, 8); }
static uint64_t sb_get64_(const unsigned char *p) {
  uint64_t v;
  memcpy(&v, p, 8);
  return v;
}
#endif

#define SB_P1_ UINT64_C(0x9E3779B185EBCA87)
#define SB_P2_ UINT64_C(0xC2B2AE3D27D4EB4F)
#define SB_P3_ UINT64_C(0x165667B19E3779F9)
#define SB_P4_ UINT64_C(0x85EBCA77C2B2AE63)
#define SB_P5_ UINT64_C(0x27D4EB2F165667C5)
#define SB_ROTATED_(v, n) ((v) << (n) | (v) >> (64 - (n)))
#define SB_ROUND_(acc, v) ((acc) += (v) * SB_P2_, (acc) = SB_ROTATED_(acc, 31) * SB_P1_)

static uint64_t sb_xxh64_(const unsigned char *p, size_t bytes, uint64_t seed) {
  const unsigned char *end = p + bytes;
  uint64_t h = seed + SB_P5_, word;
  if (bytes >= 32) {
    uint64_t acc[4], w[4];
    int k;
    acc[0] = seed + SB_P1_ + SB_P2_, acc[1] = seed + SB_P2_, acc[2] = seed, acc[3] = seed - SB_P1_;
    for (; end - p >= 32; p += 32) {
      SB_GET_WORDS_(w, p); /* by no call, which a debug build would make */
      SB_ROUND_(acc[0], w[0]);
      SB_ROUND_(acc[1], w[1]);
      SB_ROUND_(acc[2], w[2]);
      SB_ROUND_(acc[3], w[3]);
    }
    h = SB_ROTATED_(acc[0], 1) + SB_ROTATED_(acc[1], 7) + SB_ROTATED_(acc[2], 12) +
        SB_ROTATED_(acc[3], 18);
    for (k = 0; k < 4; k++) {
      word = 0;
      SB_ROUND_(word, acc[k]);
      h = (h ^ word) * SB_P1_ + SB_P4_;
    }
  }
  h += (uint64_t)bytes;
  for (; end - p >= 8; p += 8) {
    word = 0;
    SB_ROUND_(word, sb_get64_(p));
    h ^= word;
    h = SB_ROTATED_(h, 27) * SB_P1_ + SB_P4_;
  }
  if (end - p >= 4) {
    uint32_t v = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    h ^= v * SB_P1_;
    h = SB_ROTATED_(h, 23) * SB_P2_ + SB_P3_;
    p += 4;
  }
  for (; p < end; p++) {
    h ^= *p * SB_P5_;
    h = SB_ROTATED_(h, 11) * SB_P1_;
  }
  h = (h ^ h >> 33) * SB_P2_;
  h = (h ^ h >> 29) * SB_P3_;
  return h ^ h >> 32;
}
