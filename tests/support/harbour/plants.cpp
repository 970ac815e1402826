#include "plants.h"

namespace harbour {

#ifndef HARBOUR_PLANT
int plant_of_this_run = kNone;
#endif

const char *plant_name(int plant) {
  static const char *const names[] = {
      "none",          "fused move",       "reassociated sum", "reciprocal",     "flushed echo",
      "wider dot",     "narrow energy",    "estimated root",   "other sine",     "rounding up",
      "negative shift", "char sign",       "argument order",   "pair order",     "unset field",
      "extra draw",    "late input",       "dropped input",    "set-up terrain", "negative zero",
      "nan compare"};
  static_assert(sizeof names / sizeof *names == kPlants, "a name for each plant");
  return plant >= 0 && plant < kPlants ? names[plant] : nullptr;
}

}  // namespace harbour
