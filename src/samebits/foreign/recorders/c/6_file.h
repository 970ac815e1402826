
/* The file. Where there is mmap its tail lies in memory that the system writes, whatever becomes of
   the program; elsewhere each frame is flushed. A record is 8 bytes of kind and length, 8 of a
   checksum, its body, and zeros up to the next multiple of 8. */
#if defined(__unix__) || (defined(__APPLE__) && defined(__MACH__))
#if !defined(__EMSCRIPTEN__) && !defined(SAMEBITS_STDIO)
#define SB_MMAP_ 1
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#endif
#endif

#define SB_CHUNK_ ((size_t)1 << 20)
#define SB_PAGE_ ((size_t)1 << 16)
#define SB_MOST_ ((uint64_t)1 << 30)

typedef struct sb_file_ {
#if defined(SB_MMAP_)
  int handle;
  uint64_t mapped; /* where the map begins in the file */
  size_t room;     /* bytes of the map */
#else
  FILE *handle;
  size_t room, used;
#endif
  unsigned char *memory;
  uint64_t end; /* where the next record goes */
} sb_file_;

#if defined(SB_MMAP_)
static int sb_file_open_(sb_file_ *f, const char *path) {
  f->handle = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
  return f->handle < 0 ? -1 : 0;
}

/* Written, not only made longer: a full disk is told here, where a map would end the program. */
static int sb_file_grow_(sb_file_ *f, size_t bytes) {
  static const unsigned char zeros[1 << 16] = {0};
  uint64_t start = f->end / SB_PAGE_ * SB_PAGE_;
  size_t room = (bytes + SB_PAGE_ - 1) / SB_PAGE_ * SB_PAGE_ + SB_PAGE_;
  off_t length = lseek(f->handle, 0, SEEK_END);
  void *memory;
  if (room < SB_CHUNK_) room = SB_CHUNK_;
  if (length < 0) return -1;
  while ((uint64_t)length < start + room) {
    ssize_t wrote = write(f->handle, zeros, sizeof zeros);
    if (wrote <= 0) return -1;
    length += wrote;
  }
  if (f->memory) munmap((void *)f->memory, f->room);
  f->memory = 0;
  memory = mmap(0, room, PROT_READ | PROT_WRITE, MAP_SHARED, f->handle, (off_t)start);
  if (memory == MAP_FAILED) return -1;
#if defined(__linux__) && defined(MADV_NORMAL)
  madvise(memory, room, 23); /* MADV_POPULATE_WRITE: one call in place of a fault a page */
#endif
  f->memory = (unsigned char *)memory, f->mapped = start, f->room = room;
  return 0;
}

static unsigned char *sb_file_reserve_(sb_file_ *f, size_t bytes) {
  if (!f->memory || f->end - f->mapped + bytes > f->room)
    if (sb_file_grow_(f, bytes)) return 0;
  return f->memory + (size_t)(f->end - f->mapped);
}

static int sb_file_add_(sb_file_ *f, size_t bytes) {
  f->end += bytes;
  return 0;
}

static int sb_file_close_(sb_file_ *f) {
  int fault = 0;
  if (f->memory) munmap((void *)f->memory, f->room);
#if defined(_POSIX_C_SOURCE) || defined(_GNU_SOURCE) || defined(__APPLE__) || defined(__USE_XOPEN2K)
  fault = ftruncate(f->handle, (off_t)f->end); /* else zeros follow, which a reader passes over */
#endif
  return close(f->handle) || fault ? -1 : 0;
}
#else
static int sb_file_open_(sb_file_ *f, const char *path) {
  f->handle = fopen(path, "wb");
  if (f->handle) setvbuf(f->handle, 0, _IONBF, 0);
  return f->handle ? 0 : -1;
}

static unsigned char *sb_file_reserve_(sb_file_ *f, size_t bytes) {
  if (f->used + bytes > f->room) {
    size_t room = (f->used + bytes) * 2;
    unsigned char *memory = (unsigned char *)realloc(f->memory, room);
    if (!memory) return 0;
    f->memory = memory, f->room = room;
  }
  memset(f->memory + f->used, 0, bytes);
  return f->memory + f->used;
}

/* One write a record, which outlives the program. */
static int sb_file_add_(sb_file_ *f, size_t bytes) {
  f->used += bytes, f->end += bytes;
  if (fwrite(f->memory, 1, f->used, f->handle) != f->used) return -1;
  f->used = 0;
  return 0;
}

static int sb_file_close_(sb_file_ *f) {
  free(f->memory);
  return fclose(f->handle) ? -1 : 0;
}
#endif
