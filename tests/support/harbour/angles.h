// Sine, cosine and angle of a direction by polynomials, so that no math library is asked.
#ifndef HARBOUR_ANGLES_H
#define HARBOUR_ANGLES_H

#include "vec.h"

namespace harbour {

const float kPi = 3.14159265f;

/// An angle between -pi and pi; of angles up to some hundred turns.
float wrapped(float angle);
/// Within some ULP for angles of -pi to pi.
float sine(float angle);
float cosine(float angle);
/// The angle of a direction, -pi to pi; 0 for no direction.
float angle_of(Vec direction);
Vec at_angle(float angle);

}  // namespace harbour

#endif
