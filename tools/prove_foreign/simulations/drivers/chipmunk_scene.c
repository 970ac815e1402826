/* A pile of balls and boxes, a chain, a motor's wheel and springs: Chipmunk, recorded each step. */
#define SAMEBITS_IMPLEMENTATION
#include "samebits.h"

#include <chipmunk/chipmunk.h>

enum { BODIES = 60, FRAMES = 120 };

typedef struct {
  double place[2], speed[2], angle, spin;
} Shown;

static cpBody *bodies[BODIES];
static uint32_t chance = 2463534242u;

static double drawn(double low, double high) {
  chance ^= chance << 13;
  chance ^= chance >> 17;
  chance ^= chance << 5;
  return low + (high - low) * (chance / 4294967296.0);
}

static void show(sb_items *items, void *user) {
  (void)user;
  for (int i = 0; i < BODIES; i++) {
    cpVect place = cpBodyGetPosition(bodies[i]), speed = cpBodyGetVelocity(bodies[i]);
    Shown shown = {{place.x, place.y}, {speed.x, speed.y}, 0, 0};
    shown.angle = cpBodyGetAngle(bodies[i]);
    shown.spin = cpBodyGetAngularVelocity(bodies[i]);
    sb_put(items, &shown);
  }
}

static void wall(cpSpace *space, cpVect from, cpVect to) {
  cpShape *shape = cpSegmentShapeNew(cpSpaceGetStaticBody(space), from, to, 1.0);
  cpShapeSetElasticity(shape, 0.4);
  cpShapeSetFriction(shape, 0.7);
  cpSpaceAddShape(space, shape);
}

static void set_up(cpSpace *space) {
  cpSpaceSetIterations(space, 12);
  cpSpaceSetGravity(space, cpv(0, -120));
  cpSpaceSetDamping(space, 0.97);
  wall(space, cpv(-80, 0), cpv(70, -8));
  wall(space, cpv(-80, 0), cpv(-95, 120));
  wall(space, cpv(70, -8), cpv(90, 120));
  for (int i = 0; i < BODIES; i++) {
    double size = drawn(2.5, 5.5), mass = size * size * 0.1;
    int is_box = i % 3 == 1;
    double moment = is_box ? cpMomentForBox(mass, 2 * size, size)
                           : cpMomentForCircle(mass, 0, size, cpvzero);
    cpBody *body = bodies[i] = cpSpaceAddBody(space, cpBodyNew(mass, moment));
    double x = drawn(-1, 1), across = drawn(-40, 40), up = drawn(-20, 20);
    cpBodySetPosition(body, cpv(-60 + 14 * (i % 9) + x, 12 + 13 * (i / 9)));
    cpBodySetAngle(body, drawn(-3, 3));
    cpBodySetVelocity(body, cpv(across, up));
    cpShape *shape = is_box ? cpBoxShapeNew(body, 2 * size, size, 0.3)
                            : cpCircleShapeNew(body, size, cpvzero);
    cpShapeSetElasticity(shape, drawn(0, 0.6));
    cpShapeSetFriction(shape, drawn(0.2, 1));
    cpSpaceAddShape(space, shape);
  }
  for (int i = 0; i < 6; i++)
    cpSpaceAddConstraint(space, cpPinJointNew(bodies[i], bodies[i + 1], cpvzero, cpvzero));
  cpSpaceAddConstraint(space, cpSimpleMotorNew(bodies[20], cpSpaceGetStaticBody(space), 5));
  cpSpaceAddConstraint(
      space, cpDampedSpringNew(bodies[30], bodies[31], cpvzero, cpvzero, 20, 40, 0.8));
  cpSpaceAddConstraint(space, cpDampedRotarySpringNew(bodies[40], bodies[41], 0.5, 900, 30));
}

int main(void) {
  sb_run *run = sb_open(NULL, "chipmunk", "7.0.3");
  sb_heap(run, "bodies", "{place:double2 speed:double2 angle:f64 spin:f64}", sizeof(Shown), BODIES,
          show, NULL);
  cpSpace *space = cpSpaceNew();
  sb_begin(run, -1, NULL, 0);
  set_up(space);
  sb_end(run, -1);
  for (int frame = 0; frame < FRAMES; frame++) {
    sb_begin(run, frame, NULL, 0);
    cpSpaceStep(space, 1.0 / 60);
    sb_end(run, frame);
  }
  return sb_close(run) ? 1 : 0;
}
