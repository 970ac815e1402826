
/* The recorder: what is told of a run, and its frames. */
typedef struct sb_region_ {
  char *name, *text;
  sb_layout_ layout;
  const void *address;
  uint32_t capacity; /* of a heap; 0 for memory in one place */
  sb_fill *fill;
  void *user;
  size_t size;  /* canonical bytes, all of the capacity */
  uint32_t told; /* items given in this frame, those too many as well */
} sb_region_;

struct sb_items {
  sb_region_ *region;
  unsigned char *out;
};

typedef struct sb_text_ {
  char *bytes;
  size_t used, room;
} sb_text_;

struct sb_run {
  sb_file_ file;
  char *name, *version;
  char fault[256];
  uint64_t seed;
  uint32_t rate;
  sb_region_ *regions;
  uint32_t count;
  sb_layout_ input;
  char *input_text;
  uint32_t players;
  sb_text_ facts;
  unsigned char *state, *given;
  size_t state_size, given_size;
  int64_t keep_first, keep_stop, frame;
  uint64_t limit, kept;
  sb_fp_words words;
  int is_started, is_open, is_in_frame, is_broken;
};

static int sb_fail_(sb_run *run, const char *what, const char *name, const char *detail) {
  if (!run->fault[0]) {
    snprintf(run->fault, sizeof run->fault, "%s%s%.40s%s%.80s", what, name[0] ? " " : "", name,
             detail[0] ? ": " : "", detail);
    fprintf(stderr, "samebits: %s: %s\n", run->name ? run->name : "", run->fault);
  }
  return -1;
}

static char *sb_copied_(const char *text) {
  size_t bytes = strlen(text ? text : "") + 1;
  char *copy = (char *)malloc(bytes);
  if (copy) memcpy(copy, text ? text : "", bytes);
  return copy;
}

static int sb_append_(sb_text_ *t, const void *bytes, size_t count) {
  if (t->used + count > t->room) {
    size_t room = (t->used + count) * 2;
    char *grown = (char *)realloc(t->bytes, room);
    if (!grown) return -1;
    t->bytes = grown, t->room = room;
  }
  memcpy(t->bytes + t->used, bytes, count);
  t->used += count;
  return 0;
}

static int sb_append_text_(sb_text_ *t, const char *text) {
  unsigned char length[2];
  size_t bytes = strlen(text);
  if (bytes > 0xffff) return -1;
  sb_put16_(length, (uint32_t)bytes);
  return sb_append_(t, length, 2) || sb_append_(t, text, bytes) ? -1 : 0;
}

static int sb_append_number_(sb_text_ *t, uint64_t value, size_t bytes) {
  unsigned char word[8];
  sb_put64_(word, value);
  return sb_append_(t, word, bytes);
}

/* The start of a record's body of `bytes`, of which the checksum covers the first `covered`. */
static unsigned char *sb_record_(sb_run *run, const char *kind, size_t bytes) {
  unsigned char *p;
  if (run->is_broken) return 0;
  p = run->file.end + bytes + 24 > SB_MOST_ ? 0 : sb_file_reserve_(&run->file, (bytes + 23) / 8 * 8);
  if (!p) {
    run->is_broken = 1;
    sb_fail_(run, "the record ends here: the disk is full, or it has 1 GiB", "", "");
    return 0;
  }
  memcpy(p, kind, 4);
  sb_put32_(p + 4, (uint32_t)bytes);
  return p + 16;
}

static int sb_commit_(sb_run *run, unsigned char *body, size_t bytes, size_t covered) {
  sb_put64_(body - 8, sb_xxh64_(body, covered, sb_get64_(body - 16)));
  if (!sb_file_add_(&run->file, (bytes + 23) / 8 * 8)) return 0;
  run->is_broken = 1;
  return sb_fail_(run, "the record cannot be written further", "", "");
}

static int sb_record_text_(sb_run *run, const char *kind, const sb_text_ *t) {
  unsigned char *p = sb_record_(run, kind, t->used);
  if (!p) return -1;
  memcpy(p, t->bytes, t->used);
  return sb_commit_(run, p, t->used, t->used);
}

const char *sb_fault(const sb_run *run) { return run ? run->fault : ""; }

static int sb_early_(sb_run *run, const char *what) {
  return run->is_started ? sb_fail_(run, what, "", "say it before the first sb_begin") : 0;
}

int sb_seed(sb_run *run, uint64_t seed) {
  if (!run || sb_early_(run, "the seed comes late")) return run ? -1 : 0;
  run->seed = seed;
  return 0;
}

int sb_rate(sb_run *run, uint32_t frames_a_second) {
  if (!run || sb_early_(run, "the rate comes late")) return run ? -1 : 0;
  if (!frames_a_second || frames_a_second > 1000000) return sb_fail_(run, "a rate is 1 to 1000000", "", "");
  run->rate = frames_a_second;
  return 0;
}

int sb_fact(sb_run *run, const char *name, const char *value) {
  if (!run || sb_early_(run, "a fact comes late")) return run ? -1 : 0;
  if (sb_append_text_(&run->facts, name) || sb_append_text_(&run->facts, value))
    return sb_fail_(run, "a fact cannot be kept", name, "");
  return 0;
}

int sb_keep(sb_run *run, int64_t first, int64_t stop) {
  if (run) run->keep_first = first, run->keep_stop = stop;
  return 0;
}

int sb_limit(sb_run *run, uint64_t bytes) {
  if (run) run->limit = bytes;
  return 0;
}

static int sb_new_region_(sb_run *run, const char *name, size_t bytes, const char *layout) {
  sb_region_ *grown, *region;
  const char *c;
  if (sb_early_(run, "a region comes late")) return -1;
  for (c = name; sb_letter_(*c) || (c > name && sb_digit_(*c)); c++) {}
  if (c == name || *c) return sb_fail_(run, "a region's name is letters and digits, not", name, "");
  grown = (sb_region_ *)realloc(run->regions, (run->count + 1) * sizeof *grown);
  if (!grown) return sb_fail_(run, "no memory for region", name, "");
  run->regions = grown;
  region = &grown[run->count];
  memset(region, 0, sizeof *region);
  region->name = sb_copied_(name), region->text = sb_copied_(layout);
  run->count++;
  if (!region->name || !region->text) return sb_fail_(run, "no memory for region", name, "");
  if (sb_compile_(&region->layout, region->text)) {
    char detail[100];
    snprintf(detail, sizeof detail, "%s, at \"%.30s\"", region->layout.fault, region->layout.at);
    run->count--;
    return sb_fail_(run, "the layout of", name, detail);
  }
  if (region->layout.native != bytes) {
    char detail[100];
    snprintf(detail, sizeof detail, "it has %lu bytes, the memory %lu: say _:N for padding",
             (unsigned long)region->layout.native, (unsigned long)bytes);
    run->count--;
    return sb_fail_(run, "the layout of", name, detail);
  }
  region->size = region->layout.canonical;
  return (int)run->count - 1;
}

int sb_region(sb_run *run, const char *name, const void *address, size_t bytes, const char *layout) {
  int found;
  if (!run) return 0;
  found = sb_new_region_(run, name, bytes, layout);
  if (found >= 0) run->regions[found].address = address;
  return found;
}

int sb_move(sb_run *run, int region, const void *address) {
  if (!run) return 0;
  if (region < 0 || region >= (int)run->count) return sb_fail_(run, "no such region to move", "", "");
  run->regions[region].address = address;
  return 0;
}

int sb_heap(sb_run *run, const char *name, const char *layout, size_t item_bytes, uint32_t capacity,
            sb_fill *fill, void *user) {
  int found;
  sb_region_ *region;
  if (!run) return 0;
  if (!capacity) return sb_fail_(run, "a heap has a capacity of 1 or more:", name, "");
  found = sb_new_region_(run, name, item_bytes, layout);
  if (found < 0) return -1;
  region = &run->regions[found];
  region->capacity = capacity, region->fill = fill, region->user = user;
  if ((uint64_t)capacity * region->size > (uint64_t)1 << 28)
    return sb_fail_(run, "more than 256 MiB in heap", name, "");
  region->size = 4 + capacity * region->size;
  return found;
}

int sb_put(sb_items *items, const void *item) {
  sb_region_ *region = items->region;
  if (region->told++ >= region->capacity) return -1;
  items->out = sb_canonical_(&region->layout, item, items->out);
  return 0;
}

int sb_input(sb_run *run, const char *layout, size_t bytes, uint32_t players) {
  if (!run || sb_early_(run, "the input's type comes late")) return run ? -1 : 0;
  if (!players || players > 1024) return sb_fail_(run, "players are 1 to 1024", "", "");
  run->input_text = sb_copied_(layout);
  if (!run->input_text) return sb_fail_(run, "no memory for the input's type", "", "");
  if (sb_compile_(&run->input, run->input_text))
    return sb_fail_(run, "the layout of the input", "", run->input.fault);
  if (run->input.native != bytes || run->input.canonical * players > 61440)
    return sb_fail_(run, "the layout of the input has other bytes than its memory, or over 60 KiB", "", "");
  run->players = players;
  return 0;
}
