// Random numbers: PCG32 (Melissa O'Neill), whose state is part of the world.
#ifndef HARBOUR_CHANCE_H
#define HARBOUR_CHANCE_H

#include <cstdint>

namespace harbour {

struct Chance {
  uint64_t state, stream;
};

inline uint32_t draw(Chance &chance) {
  uint64_t old = chance.state;
  chance.state = old * UINT64_C(6364136223846793005) + chance.stream;
  uint32_t mixed = static_cast<uint32_t>(((old >> 18) ^ old) >> 27);
  uint32_t turn = static_cast<uint32_t>(old >> 59);
  return (mixed >> turn) | (mixed << ((32u - turn) & 31u));
}

inline Chance seeded(uint64_t seed, uint64_t stream) {
  Chance chance = {0, stream << 1 | 1u};
  draw(chance);
  chance.state += seed;
  draw(chance);
  return chance;
}

/// 0 up to, and without, 1, in steps of 2^-24.
inline float unit(Chance &chance) { return static_cast<float>(draw(chance) >> 8) * (1.0f / 16777216.0f); }
inline float between(Chance &chance, float low, float high) { return low + (high - low) * unit(chance); }
/// 0 to count - 1; the low numbers are favoured by less than count / 2^32.
inline uint32_t below(Chance &chance, uint32_t count) {
  return static_cast<uint32_t>((static_cast<uint64_t>(draw(chance)) * count) >> 32);
}

}  // namespace harbour

#endif
