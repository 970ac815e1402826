/* Lua scripts with the same bits everywhere: see samebits_lua.h. */
#include "samebits_lua.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lauxlib.h"
#include "lualib.h"
#include "samebits_lua_prelude.h"
#include "sbmath.h"

#if LUA_VERSION_NUM == 504
#define SB_LUA_ENGINE "lua54"
#define sb_lua_load_part(L, reader, part, name) lua_load(L, reader, part, name, "t")
#elif LUA_VERSION_NUM == 501
#define SB_LUA_ENGINE "luajit"
#define sb_lua_load_part(L, reader, part, name) lua_load(L, reader, part, name)
#else
#error "samebits: this is neither Lua 5.4 nor LuaJIT 2.1"
#endif

static const char sb_lua_key = 0;

/* Functions of numbers: the prelude has checked their arguments. */
#define SB_LUA_ONE(name)                                    \
  static int sb_lua_##name(lua_State *L) {                  \
    lua_pushnumber(L, sb_##name(lua_tonumber(L, 1)));       \
    return 1;                                               \
  }
#define SB_LUA_TWO(name)                                                     \
  static int sb_lua_##name(lua_State *L) {                                   \
    lua_pushnumber(L, sb_##name(lua_tonumber(L, 1), lua_tonumber(L, 2)));    \
    return 1;                                                                \
  }
#define SB_LUA_ENTRY(name) {#name, sb_lua_##name},
#define SB_LUA_ONES(X) \
  X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(exp) X(log) X(log2) X(log10) X(sqrt) X(sinh) \
  X(cosh) X(tanh)
#define SB_LUA_TWOS(X) X(pow) X(atan2) X(fmod)
SB_LUA_ONES(SB_LUA_ONE)
SB_LUA_TWOS(SB_LUA_TWO)

static int sb_lua_printed(lua_State *L) {
  size_t size;
  const char *line = lua_tolstring(L, 1, &size);
  fwrite(line, 1, size, stdout);
  fputc('\n', stdout);
  return 0;
}

#if LUA_VERSION_NUM == 501
/* A number's text. The prelude made the form, of at most two digits of width and of precision. */
static int sb_lua_write(lua_State *L) {
  char text[512];
  snprintf(text, sizeof text, lua_tostring(L, 1), lua_tonumber(L, 2));
  lua_pushstring(L, text);
  return 1;
}
#endif

static const struct {
  const char *name;
  lua_CFunction function;
} sb_lua_natives[] = {
  SB_LUA_ONES(SB_LUA_ENTRY) SB_LUA_TWOS(SB_LUA_ENTRY) {"printed", sb_lua_printed},
#if LUA_VERSION_NUM == 501
  {"write", sb_lua_write},
#endif
};

/* One call with the floating-point environment pinned. x87's results have 53 bits where the program
   says that its Lua was compiled for x87. */
typedef struct {
  lua_State *L;
  int given, status;
} sb_lua_job;

static int sb_lua_protected(void *data) {
  sb_lua_job *job = (sb_lua_job *)data;
#ifdef SB_LUA_X87
  unsigned short before, word;
  __asm__ volatile("fnstcw %0" : "=m"(before));
  word = (unsigned short)((before & ~0x0f00u) | 0x0200u);
  __asm__ volatile("fldcw %0" : : "m"(word));
#endif
  job->status = lua_pcall(job->L, job->given, 2, 0);
#ifdef SB_LUA_X87
  __asm__ volatile("fldcw %0" : : "m"(before));
#endif
  return 0;
}

/* Call the function below `given` values, which gives true and a result, or false and a text. */
static int sb_lua_finish(lua_State *L, int given) {
  sb_lua_job job;
  int ok;
  job.L = L;
  job.given = given;
  job.status = 0;
  sb_pinned(sb_lua_protected, &job);
  if (job.status) return job.status;
  ok = lua_toboolean(L, -2);
  lua_remove(L, -2);
  return ok ? 0 : LUA_ERRRUN;
}

/* Push a function of host.lua. */
static int sb_lua_begin(lua_State *L, const char *name) {
  if (!lua_checkstack(L, 8)) return LUA_ERRMEM;
  lua_pushlightuserdata(L, (void *)&sb_lua_key);
  lua_rawget(L, LUA_REGISTRYINDEX);
  if (!lua_istable(L, -1)) {
    lua_pop(L, 1);
    lua_pushliteral(L, "samebits: sb_lua_open was not called for this state");
    return LUA_ERRRUN;
  }
  lua_getfield(L, -1, name);
  lua_remove(L, -2);
  return 0;
}

/* The prelude's texts, line by line. */
static const char *sb_lua_line(lua_State *L, void *data, size_t *size) {
  const char *const **next = (const char *const **)data;
  const char *line = **next;
  (void)L;
  *size = line ? strlen(line) : 0;
  if (line) ++*next;
  return line;
}

static void sb_lua_part(lua_State *L, const char *const *lines, const char *name) {
  if (sb_lua_load_part(L, sb_lua_line, &lines, name)) lua_error(L);
}

/* What a Lua that was compiled with other rules than those of doubles computes otherwise. */
static int sb_lua_computes_otherwise(lua_State *L) {
  static const struct {
    const char *text;
    double a, b, result;
  } rows[] = {
    /* Rounded once, to 53 bits; not to 64 before, and no fused product. */
    {"a + b", 1.0, 0x1.002p-53, 0x1.0000000000001p+0},
    {"a * b - 1", 0x1.0000002p+0, 0x1.ffffffcp-1, 0.0},
    {"a / b", 1.0, 3.0, 0x1.5555555555555p-2},
    {"a * 0.1 / b", 49.0, 49.0, 0x1.999999999999ap-4},
    {"a * b", 0x1p-1000, 0x1p-50, 0x1p-1050},
#ifndef SB_LUA_X87
    {"a * b", 0x1.7af0208d6af57p-520, 0x1.be6523e2434e3p-506, 0x0.294c40e90f833p-1022},
#endif
    /* Zeros with a sign, infinities, NaN. */
    {"1 / (a * b)", 0.0, -1.0, -HUGE_VAL},
    {"(0 / 0 ~= 0 / 0) and 1 or 0", 0.0, 0.0, 1.0},
    {"(a - b ~= a - b) and 1 or 0", HUGE_VAL, HUGE_VAL, 1.0},
    {"(a < b or a >= b) and 1 or 0", 1.0, NAN, 0.0},
    {"math.max(-1e308, a)", -HUGE_VAL, 0.0, -1e308},
    /* Texts of numbers. */
    {"tonumber('7450580596923828125e-27')", 0.0, 0.0, 0x1p-27},
    {"tonumber(string.format('%.17g', a))", 0x1.0123456789abdp-700, 0.0, 0x1.0123456789abdp-700},
  };
  size_t n;
  for (n = 0; n < sizeof rows / sizeof *rows; n++) {
    lua_pushfstring(L, "local a, b = ... return %s", rows[n].text);
    if (luaL_loadstring(L, lua_tostring(L, -1))) lua_error(L);
    lua_pushnumber(L, rows[n].a);
    lua_pushnumber(L, rows[n].b);
    lua_call(L, 2, 1);
    if (lua_tonumber(L, -1) != rows[n].result) {
      lua_pushfstring(L, "samebits: this Lua computes %s otherwise than in doubles: compile it "
                      "without -ffast-math, and for 32-bit x86 with -msse2 -mfpmath=sse", rows[n].text);
      return 1;
    }
    lua_pop(L, 2);
  }
  return 0;
}

static int sb_lua_install(lua_State *L) {
  double seed = lua_tonumber(L, 1), most = lua_tonumber(L, 2);
  size_t n;
  if (!(seed >= -0x1p53 && seed <= 0x1p53 && seed == floor(seed)))
    return luaL_error(L, "samebits: the seed is a whole number up to 2^53");
  if (!(most >= 1)) return luaL_error(L, "samebits: at least one instruction is needed");
  lua_pushlightuserdata(L, (void *)&sb_lua_key);
  lua_rawget(L, LUA_REGISTRYINDEX);
  if (!lua_isnil(L, -1)) return luaL_error(L, "samebits: sb_lua_open was called for this state");
  if (strcmp(setlocale(LC_NUMERIC, NULL), "C") || strcmp(setlocale(LC_COLLATE, NULL), "C"))
    return luaL_error(L, "samebits: the locale changes numbers or texts: "
                      "setlocale(LC_NUMERIC, \"C\"), setlocale(LC_COLLATE, \"C\")");
#if LUA_VERSION_NUM == 501
  if (luaL_loadstring(L, "jit.off() jit.flush()")) lua_error(L);
  lua_call(L, 0, 0);
#endif
  if (sb_lua_computes_otherwise(L)) return lua_error(L);
  lua_newtable(L);
  for (n = 0; n < sizeof sb_lua_natives / sizeof *sb_lua_natives; n++) {
    lua_pushcfunction(L, sb_lua_natives[n].function);
    lua_setfield(L, -2, sb_lua_natives[n].name);
  }
  sb_lua_part(L, sb_lua_engine_lines, "=samebits prelude, engine");
  lua_pushvalue(L, -2);
  lua_call(L, 1, 0);
  sb_lua_part(L, sb_lua_prelude_lines, "=samebits prelude, prelude");
  lua_pushvalue(L, -2);
  lua_call(L, 1, 1);
  sb_lua_part(L, sb_lua_host_lines, "=samebits prelude, host");
  lua_pushvalue(L, -3);
  lua_pushvalue(L, -3);
  lua_pushliteral(L, SB_LUA_ENGINE);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  lua_call(L, 5, 1);
  lua_pushlightuserdata(L, (void *)&sb_lua_key);
  lua_pushvalue(L, -2);
  lua_rawset(L, LUA_REGISTRYINDEX);
  lua_pushboolean(L, 1);
  lua_pushnil(L);
  return 2;
}

int sb_lua_open(lua_State *L, double seed, double instructions) {
  if (!lua_checkstack(L, 8)) return LUA_ERRMEM;
  lua_pushcfunction(L, sb_lua_install);
  lua_pushnumber(L, seed);
  lua_pushnumber(L, instructions);
  return sb_lua_finish(L, 2);
}

/* Call a function of host.lua with a name, where there is one, and bytes. */
static int sb_lua_give(lua_State *L, const char *which, const char *name, const void *data, size_t size) {
  int status = sb_lua_begin(L, which);
  if (status) return status;
  if (name) lua_pushstring(L, name);
  lua_pushlstring(L, size ? (const char *)data : "", size);
  return sb_lua_finish(L, name ? 2 : 1);
}

int sb_lua_module(lua_State *L, const char *name, const char *text, size_t size) {
  return sb_lua_give(L, "module", name, text, size);
}

int sb_lua_run(lua_State *L, const char *name, const char *text, size_t size) {
  return sb_lua_give(L, "run", name, text, size);
}

int sb_lua_call(lua_State *L, const char *function, int given) {
  int status = sb_lua_begin(L, "call");
  if (status) return status;
  lua_pushstring(L, function);
  lua_insert(L, -2 - given);
  lua_insert(L, -2 - given);
  return sb_lua_finish(L, given + 1);
}

int sb_lua_set(lua_State *L, const char *name) {
  int status = sb_lua_begin(L, "set");
  if (status) return status;
  lua_insert(L, -2);
  lua_pushstring(L, name);
  lua_insert(L, -2);
  return sb_lua_finish(L, 2);
}

int sb_lua_start(lua_State *L) { return sb_lua_give(L, "start", NULL, NULL, 0); }

int sb_lua_step(lua_State *L, const void *inputs, size_t size) {
  return sb_lua_give(L, "step", NULL, inputs, size);
}

int sb_lua_restore(lua_State *L, const void *state, size_t size) {
  return sb_lua_give(L, "restore", NULL, state, size);
}

#define SB_XXH_1 0x9E3779B185EBCA87u
#define SB_XXH_2 0xC2B2AE3D27D4EB4Fu
#define SB_XXH_3 0x165667B19E3779F9u
#define SB_XXH_4 0x85EBCA77C2B2AE63u
#define SB_XXH_5 0x27D4EB2F165667C5u

static uint64_t sb_xxh_word(const unsigned char *at, int bytes) {
  uint64_t word = 0;
  while (bytes--) word = word << 8 | at[bytes];
  return word;
}

static uint64_t sb_xxh_turn(uint64_t x, int by) { return x << by | x >> (64 - by); }

static uint64_t sb_xxh_round(uint64_t lane, uint64_t word) {
  return sb_xxh_turn(lane + word * SB_XXH_2, 31) * SB_XXH_1;
}

uint64_t sb_lua_hash(const void *data, size_t size) {
  const unsigned char *at = (const unsigned char *)data, *end = at + size;
  uint64_t hash = SB_XXH_5;
  if (size >= 32) {
    uint64_t lanes[4] = {SB_XXH_1 + SB_XXH_2, SB_XXH_2, 0, 0u - SB_XXH_1};
    int n;
    for (; end - at >= 32; at += 32)
      for (n = 0; n < 4; n++) lanes[n] = sb_xxh_round(lanes[n], sb_xxh_word(at + 8 * n, 8));
    hash = sb_xxh_turn(lanes[0], 1) + sb_xxh_turn(lanes[1], 7) + sb_xxh_turn(lanes[2], 12) +
           sb_xxh_turn(lanes[3], 18);
    for (n = 0; n < 4; n++) hash = (hash ^ sb_xxh_round(0, lanes[n])) * SB_XXH_1 + SB_XXH_4;
  }
  hash += size;
  for (; end - at >= 8; at += 8)
    hash = sb_xxh_turn(hash ^ sb_xxh_round(0, sb_xxh_word(at, 8)), 27) * SB_XXH_1 + SB_XXH_4;
  for (; end - at >= 4; at += 4)
    hash = sb_xxh_turn(hash ^ sb_xxh_word(at, 4) * SB_XXH_1, 23) * SB_XXH_2 + SB_XXH_3;
  for (; at < end; at++) hash = sb_xxh_turn(hash ^ *at * SB_XXH_5, 11) * SB_XXH_1;
  hash = (hash ^ hash >> 33) * SB_XXH_2;
  hash = (hash ^ hash >> 29) * SB_XXH_3;
  return hash ^ hash >> 32;
}

/* The same for a script of the interpreter. */
static int sb_lua_given(lua_State *L, int status) { return status ? lua_error(L) : 1; }

static int sb_lua_m_open(lua_State *L) {
  double seed = luaL_optnumber(L, 1, 0), most = luaL_optnumber(L, 2, 2e8);
  return sb_lua_given(L, sb_lua_open(L, seed, most));
}

static int sb_lua_m_named(lua_State *L) {
  size_t size;
  const char *name = luaL_checkstring(L, 1), *text = luaL_checklstring(L, 2, &size);
  return sb_lua_given(L, sb_lua_give(L, lua_tostring(L, lua_upvalueindex(1)), name, text, size));
}

static int sb_lua_m_bytes(lua_State *L) {
  size_t size;
  const char *data = luaL_optlstring(L, 1, "", &size);
  return sb_lua_given(L, sb_lua_give(L, lua_tostring(L, lua_upvalueindex(1)), NULL, data, size));
}

static int sb_lua_m_call(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  return sb_lua_given(L, sb_lua_call(L, name, lua_gettop(L) - 1));
}

static int sb_lua_m_set(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  lua_settop(L, 2);
  return sb_lua_given(L, sb_lua_set(L, name));
}

int luaopen_samebits_lua(lua_State *L) {
  static const struct {
    const char *name;
    lua_CFunction function;
  } entries[] = {
    {"open", sb_lua_m_open}, {"call", sb_lua_m_call}, {"set", sb_lua_m_set},
    {"module", sb_lua_m_named}, {"run", sb_lua_m_named},
    {"start", sb_lua_m_bytes}, {"step", sb_lua_m_bytes}, {"restore", sb_lua_m_bytes},
  };
  size_t n;
  lua_newtable(L);
  for (n = 0; n < sizeof entries / sizeof *entries; n++) {
    lua_pushstring(L, entries[n].name);
    lua_pushcclosure(L, entries[n].function, 1);
    lua_setfield(L, -2, entries[n].name);
  }
  return 1;
}
