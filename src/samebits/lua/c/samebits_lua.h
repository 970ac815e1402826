/* Lua scripts with the same bits everywhere, in a C or C++ program with Lua 5.4 or LuaJIT 2.1.

   A state gets samebits' rules: math.* and ^ from sbmath, pairs by sorted keys, random numbers from
   a seed, no clocks, no addresses, no bytecode. Scripts come prepared, by `samebits lua build`.
   Compile samebits_lua.c with the headers of the Lua that the program has, and link libsbmath.a.

   Every function but sb_lua_hash leaves one value on the stack: its result, or, where it does not
   give 0, what went wrong, a text with the script's line. Calls run with rounding to nearest and
   subnormals kept, whatever the program has set, and leave the program's setting as it was. */
#ifndef SAMEBITS_LUA_H
#define SAMEBITS_LUA_H

#include <stddef.h>
#include <stdint.h>

#include "lua.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Put a state that luaL_openlibs was called for, and that no other code uses, under the rules.
   `seed` starts math.random, a whole number up to 2^53. `instructions` bound each call. Refuses a
   Lua whose arithmetic is not that of doubles, and a locale that changes numbers or texts. */
int sb_lua_open(lua_State *L, double seed, double instructions);

/* Give `require` a module, a prepared text. */
int sb_lua_module(lua_State *L, const char *name, const char *text, size_t size);

/* Run a prepared script; errors call it `name`. What it returns is the program. */
int sb_lua_run(lua_State *L, const char *name, const char *text, size_t size);

/* Call a global function of the script, or with ".step" one of the program, with `given` values
   from the top of the stack, which are popped; leaves its first result. */
int sb_lua_call(lua_State *L, const char *function, int given);

/* Give scripts the value on the top of the stack, which is popped, as a global. A C function that
   they get must compute the same everywhere: these rules end where it begins. */
int sb_lua_set(lua_State *L, const char *name);

/* Of a program with state, init and step: begin it, go on by a frame with all players' canonical
   inputs, or go back to a state. Each leaves the canonical bytes of the state, which end with the
   32 bytes of math.random. */
int sb_lua_start(lua_State *L);
int sb_lua_step(lua_State *L, const void *inputs, size_t size);
int sb_lua_restore(lua_State *L, const void *state, size_t size);

/* XXH64 of a state, as records have it. */
uint64_t sb_lua_hash(const void *data, size_t size);

/* `require "samebits_lua"` of an interpreter gives open, module, run, call, set, start, step and
   restore, which raise errors. */
int luaopen_samebits_lua(lua_State *L);

#ifdef __cplusplus
}
#endif
#endif
