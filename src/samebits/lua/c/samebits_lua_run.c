/* Runs a prepared script with inputs from the standard input, and prints each frame's hash:

     samebits_lua_run game.lua [--module NAME FILE]... SEED FRAMES < inputs

   `samebits lua verify game.lua run.sbt --host "./samebits_lua_run game.lua"` compares it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif

#include "lauxlib.h"
#include "lualib.h"
#include "samebits_lua.h"

static char *whole_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  char *data = NULL;
  size_t room = 0, got;
  *size = 0;
  if (!file) return NULL;
  do {
    char *more = (char *)realloc(data, room += 1 << 16);
    if (!more) exit(2);
    data = more;
    got = fread(data + *size, 1, room - *size, file);
    *size += got;
  } while (got);
  fclose(file);
  return data;
}

/* Errors name a file without its folder, and scripts can read what errors say. */
static const char *without_folder(const char *path) {
  const char *at;
  for (at = path; *at; at++)
    if (*at == '/' || *at == '\\') path = at + 1;
  return path;
}

static int failed(lua_State *L) {
  const char *said = lua_tostring(L, -1);
  fprintf(stderr, "%s\n", said ? said : "Lua has no memory left");
  return 1;
}

static void tell(lua_State *L, long frame) {
  size_t size;
  const char *state = lua_tolstring(L, -1, &size);
  printf("%ld %016" PRIx64 "\n", frame, sb_lua_hash(state, size));
  lua_pop(L, 1);
}

int main(int argc, char **argv) {
  size_t size, each;
  char *text, *inputs;
  long frame, frames;
  int at = 2;
  lua_State *L = luaL_newstate();
  if (argc < 4 || !L) return 2;
#ifdef _WIN32
  _setmode(_fileno(stdin), _O_BINARY);
#endif
  luaL_openlibs(L);
  if (sb_lua_open(L, atof(argv[argc - 2]), 2e8)) return failed(L);
  for (; at + 2 < argc - 2 && !strcmp(argv[at], "--module"); at += 3) {
    text = whole_file(argv[at + 2], &size);
    if (!text || sb_lua_module(L, argv[at + 1], text, size)) return failed(L);
    free(text);
  }
  text = whole_file(argv[1], &size);
  if (!text) return fprintf(stderr, "cannot read %s\n", argv[1]), 2;
  if (sb_lua_run(L, without_folder(argv[1]), text, size)) return failed(L);
  free(text);
  frames = atol(argv[argc - 1]);
  inputs = NULL;
  each = 0;
  if (frames > 0) {
    size_t room = 0, got;
    do {
      char *more = (char *)realloc(inputs, room += 1 << 16);
      if (!more) return 2;
      inputs = more;
      got = fread(inputs + each, 1, room - each, stdin);
      each += got;
    } while (got);
    each /= (size_t)frames;
  }
  if (sb_lua_start(L)) return failed(L);
  tell(L, -1);
  for (frame = 0; frame < frames; frame++) {
    if (sb_lua_step(L, inputs + (size_t)frame * each, each)) return failed(L);
    tell(L, frame);
  }
  free(inputs);
  lua_close(L);
  return 0;
}
