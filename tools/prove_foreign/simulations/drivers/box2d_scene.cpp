// A pyramid, loose polygons and circles, a bridge, a motor and a bullet: Box2D, recorded each step.
#define SAMEBITS_IMPLEMENTATION
#include "samebits.h"

#include <box2d/box2d.h>

namespace {

constexpr int kBodies = 72, kFrames = 120;

struct Shown {
  float place[2], speed[2], angle, spin;
};

b2Body *bodies[kBodies];
int count = 0;
uint32_t chance = 2463534242u;

float drawn(float low, float high) {
  chance ^= chance << 13;
  chance ^= chance >> 17;
  chance ^= chance << 5;
  return low + (high - low) * ((chance >> 8) / 16777216.0f);
}

void show(sb_items *items, void *) {
  for (int i = 0; i < count; i++) {
    const b2Body &body = *bodies[i];
    const b2Vec2 place = body.GetPosition(), speed = body.GetLinearVelocity();
    const Shown shown = {{place.x, place.y}, {speed.x, speed.y}, body.GetAngle(),
                         body.GetAngularVelocity()};
    sb_put(items, &shown);
  }
}

b2Body *add(b2World &world, float x, float y, const b2Shape &shape, float density) {
  b2BodyDef definition;
  definition.type = b2_dynamicBody;
  definition.position.Set(x, y);
  definition.angle = drawn(-0.4f, 0.4f);
  b2Body *body = world.CreateBody(&definition);
  b2FixtureDef fixture;
  fixture.shape = &shape;
  fixture.density = density;
  fixture.friction = drawn(0.2f, 0.9f);
  fixture.restitution = drawn(0.0f, 0.5f);
  body->CreateFixture(&fixture);
  return bodies[count++] = body;
}

void set_up(b2World &world) {
  b2BodyDef still;
  b2Body *ground = world.CreateBody(&still);
  b2EdgeShape edge;
  edge.SetTwoSided(b2Vec2(-40, 0), b2Vec2(40, -1.5f));
  ground->CreateFixture(&edge, 0);
  b2PolygonShape box;
  box.SetAsBox(0.5f, 0.5f);
  for (int row = 0; row < 7; row++)
    for (int i = row; i < 7; i++) add(world, -6 + i * 1.125f - row * 0.56f, 0.8f + row, box, 5);
  for (int i = 0; i < 20; i++) {
    b2CircleShape circle;
    circle.m_radius = drawn(0.2f, 0.7f);
    const float x = drawn(-9, 9), up = drawn(-5, 2);
    add(world, x, 10.0f + i, circle, 1)->SetLinearVelocity(b2Vec2(up, -1));
  }
  b2Body *last = ground;
  b2PolygonShape plank;
  plank.SetAsBox(0.5f, 0.12f);
  for (int i = 0; i < 10; i++) {
    b2Body *body = add(world, 10.5f + i, 5, plank, 20);
    b2RevoluteJointDef hinge;
    hinge.Initialize(last, body, b2Vec2(10.0f + i, 5));
    hinge.enableMotor = i == 4;
    hinge.motorSpeed = 2;
    hinge.maxMotorTorque = 60;
    world.CreateJoint(&hinge);
    last = body;
  }
  b2CircleShape shot;
  shot.m_radius = 0.25f;
  b2Body *bullet = add(world, -30, 3, shot, 20);
  bullet->SetBullet(true);
  bullet->SetLinearVelocity(b2Vec2(60, 3));
}

}  // namespace

int main() {
  sb_run *run = sb_open(nullptr, "box2d", "2.4.1");
  sb_heap(run, "bodies", "{place:float2 speed:float2 angle:f32 spin:f32}", sizeof(Shown), kBodies,
          show, nullptr);
  b2World world(b2Vec2(0, -10));
  sb_begin(run, -1, nullptr, 0);
  set_up(world);
  sb_end(run, -1);
  for (int frame = 0; frame < kFrames; frame++) {
    sb_begin(run, frame, nullptr, 0);
    world.Step(1.0f / 60, 8, 3);
    sb_end(run, frame);
  }
  return sb_close(run) ? 1 : 0;
}
