// The differences that can be planted, one a build (-DHARBOUR_PLANT=3) or a run (--plant 3). Each
// changes one expression as some compiler, library or mistake would.
#ifndef HARBOUR_PLANTS_H
#define HARBOUR_PLANTS_H

namespace harbour {

enum Plant {
  kNone = 0,
  kFusedMove,         // bodies.cpp: a product and a sum rounded once
  kReassociatedSum,   // waves.cpp: four neighbours added in another order
  kReciprocal,        // joints.cpp: a division as a product with the inverse
  kFlushedEcho,       // weather.cpp: subnormal numbers become zero
  kWiderDot,          // collide.cpp: a dot product in double
  kNarrowEnergy,      // world.cpp: a sum in float that is declared double
  kEstimatedRoot,     // vec.h: a square root by an estimate and one Newton step
  kOtherSine,         // angles.cpp: one term less in the series
  kRoundingUp,        // cargo.cpp: a conversion that rounds instead of cutting
  kNegativeShift,     // cargo.cpp: a shift that is no division of negative numbers
  kCharSign,          // terrain.cpp: plain char that is unsigned
  kArgumentOrder,     // sparks.cpp: two random numbers drawn the other way round
  kPairOrder,         // collide.cpp: pairs in another order
  kUnsetField,        // agents.cpp: a field that keeps what was in memory
  kExtraDraw,         // weather.cpp: one random number too many
  kLateInput,         // input.cpp: a player's input a frame later
  kDroppedInput,      // input.cpp: a player's input missing in one frame
  kSetUpTerrain,      // terrain.cpp: a difference in the set-up
  kNegativeZero,      // bodies.cpp: -0 in place of +0
  kNanCompare,        // agents.cpp: a minimum that lets NaN through
  kPlants
};

#ifdef HARBOUR_PLANT
inline bool planted(Plant each) { return HARBOUR_PLANT == static_cast<int>(each); }
#else
extern int plant_of_this_run;
inline bool planted(Plant each) { return plant_of_this_run == static_cast<int>(each); }
#endif

/// The name of a plant, as `--list` prints it; null behind the last.
const char *plant_name(int plant);

}  // namespace harbour

#endif
