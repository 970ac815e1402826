
/* Layouts: a text becomes steps that copy memory to canonical bytes. */
enum { SB_PLAIN_, SB_BOOL_, SB_FLOAT_, SB_SIGNED_, SB_UNSIGNED_, SB_LOOP_ };

typedef struct sb_step_ {
  size_t offset; /* from the start of the struct or element around it */
  size_t stride; /* of a loop: bytes from element to element */
  uint32_t count;
  uint32_t span; /* steps up to the next one: 1, or the whole of a loop */
  unsigned char kind, from, to; /* bytes of a number in memory, and of the canonical one */
} sb_step_;

typedef struct sb_layout_ {
  sb_step_ *steps;
  uint32_t count, room;
  size_t native, canonical;
  const char *fault; /* what is wrong, and where in the text */
  const char *at;
} sb_layout_;

typedef struct sb_type_ {
  const char *name;
  unsigned char kind, from, to, align, vector;
} sb_type_;

/* Alignment inside of a struct, which on 32-bit x86 is not that of a variable. */
#define SB_ALIGNED_(type, name) typedef struct { char c; type t; } sb_aligned_##name##_;
SB_ALIGNED_(int8_t, i8) SB_ALIGNED_(int16_t, i16) SB_ALIGNED_(int32_t, i32)
SB_ALIGNED_(int64_t, i64) SB_ALIGNED_(float, f32) SB_ALIGNED_(double, f64)
SB_ALIGNED_(long, long) SB_ALIGNED_(size_t, size)
#define SB_ALIGN_(name) ((unsigned char)offsetof(sb_aligned_##name##_, t))
#define SB_NUMBER_(name, kind, type, to, like) \
  {name, kind, (unsigned char)sizeof(type), to, SB_ALIGN_(like), 0}

static const sb_type_ sb_types_[] = {
    {"bool", SB_BOOL_, 1, 1, 1, 0},
    SB_NUMBER_("i8", SB_PLAIN_, int8_t, 1, i8), SB_NUMBER_("u8", SB_PLAIN_, uint8_t, 1, i8),
    SB_NUMBER_("i16", SB_PLAIN_, int16_t, 2, i16), SB_NUMBER_("u16", SB_PLAIN_, uint16_t, 2, i16),
    SB_NUMBER_("i32", SB_PLAIN_, int32_t, 4, i32), SB_NUMBER_("u32", SB_PLAIN_, uint32_t, 4, i32),
    SB_NUMBER_("i64", SB_PLAIN_, int64_t, 8, i64), SB_NUMBER_("u64", SB_PLAIN_, uint64_t, 8, i64),
    SB_NUMBER_("f16", SB_FLOAT_, uint16_t, 2, i16), SB_NUMBER_("f32", SB_FLOAT_, float, 4, f32),
    SB_NUMBER_("f64", SB_FLOAT_, double, 8, f64),
    SB_NUMBER_("int", SB_SIGNED_, int, 4, i32), SB_NUMBER_("uint", SB_UNSIGNED_, unsigned, 4, i32),
    SB_NUMBER_("long", SB_SIGNED_, long, 8, long),
    SB_NUMBER_("ulong", SB_UNSIGNED_, unsigned long, 8, long),
    SB_NUMBER_("size", SB_UNSIGNED_, size_t, 8, size),
    {"float", SB_FLOAT_, 4, 4, SB_ALIGN_(f32), 1}, {"double", SB_FLOAT_, 8, 8, SB_ALIGN_(f64), 1},
    {"int", SB_PLAIN_, 4, 4, SB_ALIGN_(i32), 1}, {"uint", SB_PLAIN_, 4, 4, SB_ALIGN_(i32), 1},
};

static int sb_letter_(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static int sb_digit_(char c) { return c >= '0' && c <= '9'; }

static void sb_blanks_(sb_layout_ *l) {
  while (*l->at == ' ' || *l->at == ',' || *l->at == '\n' || *l->at == '\t') l->at++;
}

static int sb_wrong_(sb_layout_ *l, const char *fault) {
  if (!l->fault) l->fault = fault;
  return -1;
}

static int sb_number_(sb_layout_ *l, size_t *value) {
  if (!sb_digit_(*l->at)) return sb_wrong_(l, "a number is missing");
  for (*value = 0; sb_digit_(*l->at); l->at++) {
    *value = *value * 10 + (size_t)(*l->at - '0');
    if (*value > (size_t)1 << 28) return sb_wrong_(l, "a number is above 268435456");
  }
  return 0;
}

static sb_step_ *sb_new_step_(sb_layout_ *l) {
  if (l->count == l->room) {
    uint32_t room = l->room ? l->room * 2 : 16;
    sb_step_ *steps = (sb_step_ *)realloc(l->steps, room * sizeof *steps);
    if (!steps) return 0;
    l->steps = steps, l->room = room;
  }
  memset(&l->steps[l->count], 0, sizeof *l->steps);
  return &l->steps[l->count++];
}

/* Steps from `first` on become an array of `count` elements of `size` bytes. */
static int sb_repeat_(sb_layout_ *l, uint32_t first, size_t count, size_t size) {
  sb_step_ *body = &l->steps[first];
  if (l->count == first || count == 1) return 0; /* nothing in it, or nothing to repeat */
  if (l->count == first + 1 && body->offset == 0 && body->kind != SB_LOOP_ &&
      (size_t)body->count * body->from == size) {
    body->count *= (uint32_t)count;
    return 0;
  }
  if (!sb_new_step_(l)) return sb_wrong_(l, "there is no memory");
  body = &l->steps[first];
  memmove(body + 1, body, (l->count - 1 - first) * sizeof *body);
  memset(body, 0, sizeof *body);
  body->kind = SB_LOOP_, body->count = (uint32_t)count, body->stride = size;
  body->span = l->count - first;
  return 0;
}

static int sb_parse_(sb_layout_ *l, int depth, size_t *size, size_t *align, size_t *out);

static int sb_scalar_(sb_layout_ *l, size_t *size, size_t *align, size_t *out) {
  const char *start = l->at;
  size_t letters, k, parts = 1;
  const sb_type_ *t = 0;
  sb_step_ *step;
  while (sb_letter_(*l->at) || sb_digit_(*l->at)) l->at++;
  letters = (size_t)(l->at - start);
  for (k = 0; k < sizeof sb_types_ / sizeof *sb_types_ && !t; k++) {
    const sb_type_ *each = &sb_types_[k];
    size_t length = strlen(each->name);
    if (strncmp(each->name, start, length) || letters != length + each->vector) continue;
    if (each->vector && (start[length] < '2' || start[length] > '4')) continue;
    if (each->vector) parts = (size_t)(start[length] - '0');
    t = each;
  }
  if (!t) {
    l->at = start;
    return sb_wrong_(l, "there is no such type");
  }
  step = sb_new_step_(l);
  if (!step) return sb_wrong_(l, "there is no memory");
  step->kind = t->kind, step->from = t->from, step->to = t->to;
  if ((t->kind == SB_SIGNED_ || t->kind == SB_UNSIGNED_) && t->from == t->to) step->kind = SB_PLAIN_;
  step->count = (uint32_t)parts, step->span = 1;
  *size = parts * t->from, *align = t->align, *out = parts * t->to;
  return 0;
}

static int sb_struct_(sb_layout_ *l, int depth, size_t *size, size_t *align, size_t *out) {
  size_t at = 0;
  uint32_t last = UINT32_MAX; /* the last step of this struct that lies in no loop */
  l->at++;
  *align = 1, *out = 0;
  for (sb_blanks_(l); *l->at != '}'; sb_blanks_(l)) {
    const char *start;
    size_t inner = 0, inner_align = 1, inner_out = 0, skipped, placed = 0;
    uint32_t first = l->count;
    int is_placed = *l->at == '@';
    if (is_placed) {
      l->at++;
      if (sb_number_(l, &placed)) return -1;
      sb_blanks_(l);
    }
    start = l->at;
    while (sb_letter_(*l->at) || (l->at > start && sb_digit_(*l->at))) l->at++;
    if (l->at == start) return sb_wrong_(l, "a field's name is missing");
    if (*l->at != ':') return sb_wrong_(l, "a field's name has no type: write name:type");
    l->at++;
    if (l->at - start == 2 && *start == '_') {
      if (sb_number_(l, &skipped)) return -1;
      at = (is_placed ? placed : at) + skipped;
      continue;
    }
    if (sb_parse_(l, depth + 1, &inner, &inner_align, &inner_out)) return -1;
    at = is_placed ? placed : (at + inner_align - 1) / inner_align * inner_align;
    if (inner_align > *align) *align = inner_align;
    {
      sb_step_ *step = &l->steps[first], *before = last == UINT32_MAX ? 0 : &l->steps[last];
      uint32_t k;
      for (k = first; k < l->count; k += l->steps[k].span) l->steps[k].offset += at;
      /* One step for neighbours of one kind. */
      if (before && l->count == first + 1 && before->kind == step->kind &&
          step->kind != SB_LOOP_ && before->from == step->from && before->to == step->to &&
          before->offset + (size_t)before->count * before->from == step->offset) {
        before->count += step->count;
        l->count--;
      } else {
        for (k = first; k < l->count; k += l->steps[k].span) last = k;
      }
    }
    at += inner, *out += inner_out;
    if (at > (size_t)1 << 28) return sb_wrong_(l, "more than 256 MiB");
  }
  l->at++;
  if (!*out) return sb_wrong_(l, "a struct has no field");
  *size = (at + *align - 1) / *align * *align;
  return 0;
}

static int sb_parse_(sb_layout_ *l, int depth, size_t *size, size_t *align, size_t *out) {
  uint32_t first = l->count;
  if (depth > 16) return sb_wrong_(l, "structs nest more than 16 deep");
  sb_blanks_(l);
  if (*l->at == '{' ? sb_struct_(l, depth, size, align, out) : sb_scalar_(l, size, align, out))
    return -1;
  for (;;) {
    uint64_t count = 1;
    size_t length;
    if (*l->at != '[') return 0;
    do {
      l->at++;
      sb_blanks_(l);
      if (sb_number_(l, &length)) return -1;
      if (!length) return sb_wrong_(l, "an array has no element");
      count *= length;
      if (count > (uint64_t)1 << 28) return sb_wrong_(l, "more than 256 MiB");
      while (*l->at == ' ') l->at++;
    } while (*l->at == ',');
    if (*l->at != ']') return sb_wrong_(l, "a ] is missing");
    l->at++;
    /* [3][4] is [3,4]: what follows counts faster, which the same steps copy. */
    if (count * *size > (uint64_t)1 << 28 || count * *out > (uint64_t)1 << 28)
      return sb_wrong_(l, "more than 256 MiB");
    if (sb_repeat_(l, first, (size_t)count, *size)) return -1;
    *size *= (size_t)count, *out *= (size_t)count;
  }
}

static int sb_compile_(sb_layout_ *l, const char *text) {
  size_t align;
  memset(l, 0, sizeof *l);
  l->at = text;
  if (sb_parse_(l, 0, &l->native, &align, &l->canonical)) return -1;
  sb_blanks_(l);
  return *l->at ? sb_wrong_(l, "this follows the end of the type") : 0;
}

#if !defined(SB_BIG_ENDIAN_)
/* Whether a float of `size` bytes among so many is infinite or no number: whether its exponent is
   all ones, and one more carries into the sign. Eight bytes at a time. */
static int sb_has_odd_(const unsigned char *p, size_t bytes, unsigned size) {
  uint64_t ones = size == 4 ? UINT64_C(0x7f8000007f800000)
                  : size == 8 ? UINT64_C(0x7ff0000000000000) : UINT64_C(0x7c007c007c007c00);
  uint64_t one = size == 4 ? UINT64_C(0x0080000000800000)
                 : size == 8 ? UINT64_C(0x0010000000000000) : UINT64_C(0x0400040004000400);
  uint64_t found = 0, w = 0;
  const unsigned char *last = bytes < 8 ? p : p + bytes - 8;
  if (bytes < 8) {
    memcpy(&w, p, bytes);
  } else {
    for (; p < last; p += 8) {
      memcpy(&w, p, 8);
      found |= (w & ones) + one;
    }
    memcpy(&w, last, 8); /* some of it is looked at twice */
  }
  found |= (w & ones) + one;
  return (found & (ones + one)) != 0;
}
#endif

/* A step in each of `rows` elements, which lie `in` bytes apart in memory and `out` bytes in the
   canonical form. Floats are looked at as patterns: no comparison of them is the same under every
   flag. */
static void sb_numbers_(const sb_step_ *s, const unsigned char *from, size_t in, unsigned char *to,
                        size_t out, size_t rows) {
  size_t k, n = s->count;
#if !defined(SB_BIG_ENDIAN_)
  size_t bytes = n * s->from;
  int is_plain = s->kind == SB_PLAIN_, is_copied = is_plain || s->kind == SB_FLOAT_;
#endif
  for (; rows; rows--, from += in, to += out) {
    const unsigned char *p = from;
    unsigned char *q = to;
#if !defined(SB_BIG_ENDIAN_)
    if (is_copied) { /* NaNs are rare */
      memcpy(q, p, bytes);
      if (is_plain || !sb_has_odd_(p, bytes, s->from)) continue;
    }
#endif
    if (s->kind == SB_BOOL_) {
      for (k = 0; k < n; k++) q[k] = p[k] != 0;
    } else if (s->kind == SB_SIGNED_ || s->kind == SB_UNSIGNED_) { /* of 4 or 8 bytes here */
      for (k = 0; k < n; k++, p += s->from, q += s->to) {
        uint64_t v;
        if (s->from == 8) {
          memcpy(&v, p, 8);
        } else {
          uint32_t word;
          memcpy(&word, p, 4);
          v = s->kind == SB_SIGNED_ && word >> 31 ? word | UINT64_C(0xffffffff00000000) : word;
        }
        if (s->to == 8) sb_put64_(q, v);
        else sb_put32_(q, (uint32_t)v);
      }
    } else if (s->from == 4) {
      uint32_t most = s->kind == SB_FLOAT_ ? 0x7f800000u : 0x7fffffffu, v;
      for (k = 0; k < n; k++, p += 4, q += 4) {
        memcpy(&v, p, 4);
        sb_store32_(q, (v & 0x7fffffffu) > most ? 0x7fc00000u : v);
      }
    } else if (s->from == 8) {
      uint64_t most = s->kind == SB_FLOAT_ ? UINT64_C(0x7ff0000000000000) : INT64_MAX, v;
      for (k = 0; k < n; k++, p += 8, q += 8) {
        memcpy(&v, p, 8);
        sb_store64_(q, (v & INT64_MAX) > most ? UINT64_C(0x7ff8000000000000) : v);
      }
    } else if (s->from == 2) {
      uint32_t most = s->kind == SB_FLOAT_ ? 0x7c00u : 0x7fffu;
      uint16_t v;
      for (k = 0; k < n; k++, p += 2, q += 2) {
        memcpy(&v, p, 2);
        sb_put16_(q, (v & 0x7fffu) > most ? 0x7e00u : v);
      }
    } else {
      memcpy(q, p, n);
    }
  }
}

static unsigned char *sb_copy_(const sb_step_ *s, const sb_step_ *end, const unsigned char *p,
                               unsigned char *out) {
  for (; s < end; s += s->span) {
    const sb_step_ *inner = s + 1;
    const unsigned char *from = p + s->offset;
    size_t bytes = 0;
    uint32_t k;
    if (s->kind != SB_LOOP_) {
      sb_numbers_(s, from, 0, out, 0, 1);
      out += (size_t)s->count * s->to;
      continue;
    }
    for (; inner < s + s->span && inner->kind != SB_LOOP_; inner++) bytes += (size_t)inner->count * inner->to;
    if (inner < s + s->span) {
      for (k = 0; k < s->count; k++) out = sb_copy_(s + 1, s + s->span, from + k * s->stride, out);
      continue;
    }
    /* No loop in it: a field of all elements at a time, which is several times as fast. */
    for (inner = s + 1; inner < s + s->span; inner++) {
      sb_numbers_(inner, from + inner->offset, s->stride, out, bytes, s->count);
      out += (size_t)inner->count * inner->to;
    }
    out += bytes * (s->count - 1);
  }
  return out;
}

static unsigned char *sb_canonical_(const sb_layout_ *l, const void *memory, unsigned char *out) {
  return sb_copy_(l->steps, l->steps + l->count, (const unsigned char *)memory, out);
}
