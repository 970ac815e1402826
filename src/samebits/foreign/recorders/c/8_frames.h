
static void sb_note_unit_(sb_run *run, const sb_unit *unit) {
  char text[128], name[128];
  const char *base = unit->file, *c;
  for (c = unit->file; *c; c++)
    if (*c == '/' || *c == '\\') base = c + 1; /* no path of this machine */
  snprintf(name, sizeof name, "unit:%.100s", base);
  sb_fact(run, name, sb_unit_words(unit->probe(), text));
}

sb_run *sb_open(const char *path, const char *name, const char *version) {
  static const unsigned char magic[16] = {0x89, 'S', 'B', 'T', '\r', '\n', 0x1a, '\n', 1};
  const char *window = getenv("SAMEBITS_FRAMES");
  const sb_unit *unit;
  unsigned char *p;
  sb_run *run;
  if (!path) path = getenv("SAMEBITS_RECORD");
  if (!path || !*path) return 0;
  run = (sb_run *)calloc(1, sizeof *run);
  if (!run) return 0;
  run->rate = 60, run->frame = -2;
  run->limit = (uint64_t)1 << 28;
  run->keep_first = INT64_MIN, run->keep_stop = INT64_MAX;
  run->name = sb_copied_(name), run->version = sb_copied_(version);
  if (sb_file_open_(&run->file, path)) {
    run->is_broken = 1;
    sb_fail_(run, "cannot write", "", path);
  } else {
    run->is_open = 1;
    p = sb_file_reserve_(&run->file, 16);
    if (p) memcpy(p, magic, 16);
    if (!p || sb_file_add_(&run->file, 16)) run->is_broken = 1;
  }
  if (window && *window) {
    char *rest;
    run->keep_first = (int64_t)strtol(window, &rest, 10);
    run->keep_stop = *rest == ':' ? (int64_t)strtol(rest + 1, 0, 10) : run->keep_first + 1;
  }
#if defined(__clang__)
  sb_fact(run, "compiler", "clang " __clang_version__);
#elif defined(__GNUC__)
  sb_fact(run, "compiler", "gcc " __VERSION__);
#elif defined(_MSC_VER)
  sb_fact(run, "compiler", "msvc " SB_TEXT(_MSC_FULL_VER));
#endif
#if defined(__cplusplus)
  sb_fact(run, "language", "C++");
#else
  sb_fact(run, "language", "C");
#endif
#if defined(__x86_64__) || defined(_M_X64)
  sb_fact(run, "architecture", "x86_64");
#elif defined(__i386__) || defined(_M_IX86)
  sb_fact(run, "architecture", "i686");
#elif defined(__aarch64__) || defined(_M_ARM64)
  sb_fact(run, "architecture", "aarch64");
#elif defined(__arm__)
  sb_fact(run, "architecture", "arm");
#elif defined(__riscv)
  sb_fact(run, "architecture", sizeof(void *) == 8 ? "riscv64" : "riscv32");
#elif defined(__s390x__)
  sb_fact(run, "architecture", "s390x");
#elif defined(__powerpc64__)
  sb_fact(run, "architecture", "ppc64");
#elif defined(__wasm__)
  sb_fact(run, "architecture", "wasm32");
#endif
#if defined(_WIN32)
  sb_fact(run, "system", "Windows");
#elif defined(__APPLE__)
  sb_fact(run, "system", "Darwin");
#elif defined(__linux__)
  sb_fact(run, "system", "Linux");
#endif
#if defined(__GLIBC__)
  sb_fact(run, "libc", "glibc " SB_TEXT(__GLIBC__) "." SB_TEXT(__GLIBC_MINOR__));
#elif defined(__linux__)
  sb_fact(run, "libc", "not glibc");
#endif
  for (unit = sb_units_; unit; unit = unit->next) sb_note_unit_(run, unit);
  return run;
}

/* The record of what was told before the first frame. */
static int sb_start_(sb_run *run) {
  sb_text_ t = {0, 0, 0};
  uint32_t k;
  size_t state = 0;
  int bad = 0;
  if (!run->count) return sb_fail_(run, "no region: say sb_region before the first frame", "", "");
  run->is_started = 1;
  for (k = 0; k < run->count; k++) state += run->regions[k].size;
  if (state > (size_t)1 << 28) return sb_fail_(run, "more than 256 MiB of state", "", "");
  run->given_size = run->players ? run->input.canonical * run->players : 64;
  run->state_size = state;
  run->state = (unsigned char *)malloc(state);
  run->given = (unsigned char *)malloc(run->given_size);
  if (!run->state || !run->given) {
    run->is_broken = 1;
    return sb_fail_(run, "no memory for the state", "", "");
  }
  bad |= sb_append_text_(&t, run->name) | sb_append_text_(&t, run->version);
  bad |= sb_append_number_(&t, run->seed, 8) | sb_append_number_(&t, run->rate, 4);
  bad |= sb_append_number_(&t, run->players, 4);
  bad |= sb_append_text_(&t, run->input_text ? run->input_text : "");
  bad |= sb_append_number_(&t, run->count, 4);
  for (k = 0; k < run->count; k++) {
    bad |= sb_append_number_(&t, run->regions[k].capacity, 4);
    bad |= sb_append_text_(&t, run->regions[k].name) | sb_append_text_(&t, run->regions[k].text);
  }
  bad = bad || sb_record_text_(run, "run ", &t);
  free(t.bytes);
  return bad || sb_record_text_(run, "fact", &run->facts) ? sb_fail_(run, "cannot start", "", "") : 0;
}

/* A word of a control register: where 0 is the begin of the frame, 1 its end, 2 a guard's mark. */
static int sb_word_(sb_run *run, int64_t frame, unsigned where, const char *name, uint64_t word,
                    const char *who) {
  sb_text_ t = {0, 0, 0};
  int bad = sb_append_number_(&t, (uint64_t)frame, 8) | sb_append_number_(&t, word, 8);
  bad |= sb_append_number_(&t, where, 4) | sb_append_text_(&t, name) | sb_append_text_(&t, who);
  bad = bad || sb_record_text_(run, "word", &t);
  free(t.bytes);
  return bad ? -1 : 0;
}

static int sb_words_(sb_run *run, int64_t frame, unsigned where, int always) {
  sb_fp_words now = sb_fp_read();
  int bad = 0;
  if (SB_CONTROL_NAME_[0] && (always || now.control != run->words.control))
    bad |= sb_word_(run, frame, where, SB_CONTROL_NAME_, now.control, "");
#if defined(SB_X87_)
  if (always || now.x87 != run->words.x87) bad |= sb_word_(run, frame, where, "x87", now.x87, "");
#endif
  run->words = now;
  return bad;
}

int sb_fp_tell(sb_run *run, const sb_fp_guard *guard) {
  char who[200];
  const char *where, *place, *c;
  int bad = 0;
  if (!run || !guard->changes) return 0;
  where = place = guard->where;
  for (c = where; *c; c++)
    if (!strncmp(c, " at ", 4)) place = c + 4;
  c = place;
  if (place > where)
    for (; *c; c++)
      if (*c == '/' || *c == '\\') place = c + 1; /* no path of this machine */
  for (c = where; c < place && strncmp(c, " at ", 4); c++) {}
  snprintf(who, sizeof who, "%.*s%s%.60s, in %.60s", (int)(c - where < 60 ? c - where : 60), where,
           place > where ? " at " : "", place, guard->label);
  if (guard->found.control != guard->pinned.control)
    bad |= sb_word_(run, run->frame, 2, SB_CONTROL_NAME_, guard->found.control, who);
  if (guard->found.x87 != guard->pinned.x87)
    bad |= sb_word_(run, run->frame, 2, "x87", guard->found.x87, who);
  return bad;
}

/* All regions as canonical bytes; returns how many of them the record holds. */
static size_t sb_gather_(sb_run *run, uint32_t *flags) {
  unsigned char *out = run->state;
  size_t bytes = 0;
  uint32_t k;
  for (k = 0; k < run->count; k++) {
    sb_region_ *region = &run->regions[k];
    if (region->capacity) {
      sb_items items;
      items.region = region, items.out = out + 4;
      region->told = 0;
      region->fill(&items, region->user);
      sb_put32_(out, region->told);
      if (region->told > region->capacity) {
        *flags |= 2;
        sb_fail_(run, "more items than its capacity in heap", region->name, "");
      }
      bytes += (size_t)(items.out - out);
      memset(items.out, 0, (size_t)(out + region->size - items.out));
    } else {
      sb_canonical_(&region->layout, region->address, out);
      bytes += region->size;
    }
    out += region->size;
  }
  return bytes;
}

static int sb_frame_(sb_run *run, int64_t frame) {
  uint32_t flags = 0, k;
  size_t held, bytes = sb_gather_(run, &flags);
  const unsigned char *from = run->state;
  unsigned char *p, *out;
  int is_kept = frame + 1 >= run->keep_first && frame < run->keep_stop && run->kept + bytes <= run->limit;
  held = is_kept ? bytes : 0;
  p = sb_record_(run, "done", 24 + held);
  if (!p) return -1;
  if (is_kept) flags |= 1;
  sb_put64_(p, (uint64_t)frame);
  sb_put64_(p + 8, sb_xxh64_(run->state, run->state_size, 0));
  sb_put32_(p + 16, flags);
  sb_put32_(p + 20, (uint32_t)held);
  out = p + 24;
  for (k = 0; is_kept && k < run->count; from += run->regions[k].size, k++) {
    const sb_region_ *region = &run->regions[k];
    size_t each = region->size;
    if (region->capacity) {
      uint32_t items = region->told < region->capacity ? region->told : region->capacity;
      each = 4 + items * region->layout.canonical;
    }
    memcpy(out, from, each);
    out += each;
  }
  run->kept += held;
  return sb_commit_(run, p, 24 + held, 24);
}

int sb_begin(sb_run *run, int64_t frame, const void *input, size_t bytes) {
  unsigned char *p;
  size_t held = 0;
  int is_first;
  if (!run || run->is_broken) return run ? -1 : 0;
  is_first = !run->is_started;
  if (is_first && sb_start_(run)) return -1;
  if (run->is_in_frame) return sb_fail_(run, "a frame begins in a frame: sb_end is missing", "", "");
  if (frame < -1 || frame >= 4194304 || (!is_first && frame > run->frame + 1))
    return sb_fail_(run, "frames are -1 to 4194303, one after the other", "", "");
  if (is_first) {
    sb_words_(run, frame, 0, 1);
    if (frame > -1) {
      run->frame = frame - 1;
      if (sb_frame_(run, frame - 1)) return -1;
    }
  }
  if (input && bytes) {
    size_t want = run->players ? run->input.native * run->players : run->given_size;
    if (run->players ? bytes != want : bytes > want)
      return sb_fail_(run, "an input has other bytes than sb_input says (64 at most without it)", "", "");
    held = bytes;
    if (run->players) {
      unsigned char *out = run->given;
      uint32_t k;
      for (k = 0; k < run->players; k++)
        out = sb_canonical_(&run->input, (const unsigned char *)input + k * run->input.native, out);
      held = run->given_size;
    } else {
      memcpy(run->given, input, bytes);
    }
  }
  run->frame = frame, run->is_in_frame = 1;
  sb_words_(run, frame, 0, 0);
  p = sb_record_(run, "begn", 8 + held);
  if (!p) return -1;
  sb_put64_(p, (uint64_t)frame);
  if (held) memcpy(p + 8, run->given, held);
  return sb_commit_(run, p, 8 + held, 8 + held);
}

int sb_end(sb_run *run, int64_t frame) {
  if (!run || run->is_broken) return run ? -1 : 0;
  if (!run->is_in_frame || frame != run->frame)
    return sb_fail_(run, "a frame ends that has not begun", "", "");
  run->is_in_frame = 0;
  sb_words_(run, frame, 1, 0);
  return sb_frame_(run, frame);
}

int sb_close(sb_run *run) {
  uint32_t k;
  int bad;
  if (!run) return 0;
  if (run->is_open && !run->is_in_frame && !run->is_broken) {
    sb_text_ t = {0, 0, 0};
    if (!sb_append_number_(&t, (uint64_t)run->frame, 8)) sb_record_text_(run, "ends", &t);
    free(t.bytes);
  }
  bad = run->fault[0] != 0;
  if (run->is_open) bad |= sb_file_close_(&run->file) != 0;
  for (k = 0; k < run->count; k++) {
    free(run->regions[k].name), free(run->regions[k].text);
    free(run->regions[k].layout.steps);
  }
  free(run->regions), free(run->name), free(run->version), free(run->input_text);
  free(run->input.steps), free(run->facts.bytes), free(run->state), free(run->given);
  free(run);
  return bad ? -1 : 0;
}

#ifdef __cplusplus
}
#endif
#endif /* SAMEBITS_IMPLEMENTATION */
