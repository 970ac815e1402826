#define SAMEBITS_IMPLEMENTATION
#include "samebits.h"

#include "recording.h"

SAMEBITS_TELL();

namespace harbour {

static void give_sparks(sb_items *items, void *user) {
  for (const Spark &spark : static_cast<World *>(user)->sparks) sb_put(items, &spark);
}

bool describe(sb_run *run, World &world, uint64_t seed) {
  struct Part {
    const char *name;
    const void *address;
    size_t bytes;
    const char *layout;
  };
  const Part parts[] = {
      {"chance", &world.chance, sizeof world.chance, "{state:u64 stream:u64}"},
      {"frame", &world.frame, sizeof world.frame, "u32"},
      {"ships", world.ships, sizeof world.ships,
       "{place:float2 speed:float2 heading:f32 turning:f32 mass:f32 radius:f32 cargo:i32[4] hull:i16"
       " owner:u8 afloat:bool}[24]"},
      {"ropes", world.ropes, sizeof world.ropes,
       "{from:u16 to:u16 rest:f32 stiffness:f32 strain:f32 whole:bool}[16]"},
      {"gulls", world.gulls, sizeof world.gulls,
       "{place:float2 speed:float2 hunger:f32 target:u32 patience:f32}[12]"},
      {"berths", world.berths, sizeof world.berths, "{place:float2 stock:i32[4] price:i32[4]}[6]"},
      {"weather", &world.weather, sizeof world.weather,
       "{wind:float2 gust:f32 cloud:f32 echo:f32 lightning:u32}"},
      {"height", world.height, sizeof world.height, "f32[32,32]"},
      {"swell", world.swell, sizeof world.swell, "f32[32,32]"},
      {"depth", world.depth, sizeof world.depth, "i8[32,32]"},
      {"coins", world.coins, sizeof world.coins, "i64[2]"},
      {"energy", &world.energy, sizeof world.energy, "f64"},
      {"next_spark", &world.next_spark, sizeof world.next_spark, "u32"},
  };
  if (sb_seed(run, seed)) return false;
  if (sb_input(run, "{rudder:f32 throttle:f32 buttons:u32}", sizeof(Input), kPlayers)) return false;
  for (const Part &part : parts)
    if (sb_region(run, part.name, part.address, part.bytes, part.layout) < 0) return false;
  return sb_heap(run, "sparks", "{place:float2 speed:float2 heat:f32 id:u32}", sizeof(Spark),
                 kMostSparks, give_sparks, &world) >= 0;
}

}  // namespace harbour
