// What of a world is recorded, and how its memory is laid out.
#ifndef HARBOUR_RECORDING_H
#define HARBOUR_RECORDING_H

#include "samebits.h"
#include "world.h"

namespace harbour {

/// Tells the recorder of all of the world; false where it refuses.
bool describe(sb_run *run, World &world, uint64_t seed);

}  // namespace harbour

#endif
