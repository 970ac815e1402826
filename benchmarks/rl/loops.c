/* CartPole and Pendulum as one writes them by hand: an array of structs, one loop, the C library's
   sine and cosine, episodes that begin again in the frame after their last. */
#include <math.h>
#include <stdint.h>

static double drawn(uint64_t *state) { /* splitmix64 */
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

typedef struct { double x, x_dot, theta, theta_dot; uint64_t random; int64_t frame, over; } cart;

void cartpole(cart *carts, const int64_t *actions, float *seen, float *rewards, uint8_t *ended,
              uint8_t *cut, int64_t n) {
    const double mass = 1.1, moment = 0.05, tau = 0.02, tilt = 12 * 2 * 3.141592653589793 / 360;
    for (int64_t i = 0; i < n; i++) {
        cart *c = &carts[i];
        if (c->over) {
            c->x = 0.1 * drawn(&c->random) - 0.05;
            c->x_dot = 0.1 * drawn(&c->random) - 0.05;
            c->theta = 0.1 * drawn(&c->random) - 0.05;
            c->theta_dot = 0.1 * drawn(&c->random) - 0.05;
            c->frame = c->over = 0;
            rewards[i] = 0;
            ended[i] = cut[i] = 0;
        } else {
            double force = actions[i] == 1 ? 10.0 : -10.0;
            double cosine = cos(c->theta), sine = sin(c->theta);
            double along = (force + moment * (c->theta_dot * c->theta_dot) * sine) / mass;
            double bend = (9.8 * sine - cosine * along)
                        / (0.5 * (4.0 / 3.0 - 0.1 * (cosine * cosine) / mass));
            double pushed = along - moment * bend * cosine / mass;
            c->x += tau * c->x_dot;
            c->x_dot += tau * pushed;
            c->theta += tau * c->theta_dot;
            c->theta_dot += tau * bend;
            c->frame++;
            rewards[i] = 1;
            ended[i] = c->x < -2.4 || c->x > 2.4 || c->theta < -tilt || c->theta > tilt;
            cut[i] = c->frame >= 500;
            c->over = ended[i] | cut[i];
        }
        seen[4 * i] = (float)c->x;
        seen[4 * i + 1] = (float)c->x_dot;
        seen[4 * i + 2] = (float)c->theta;
        seen[4 * i + 3] = (float)c->theta_dot;
    }
}

typedef struct { double angle, speed; uint64_t random; int64_t frame, over; } rod;

void pendulum(rod *rods, const float *actions, float *seen, float *rewards, uint8_t *ended,
              uint8_t *cut, int64_t n) {
    const double pi = 3.141592653589793;
    for (int64_t i = 0; i < n; i++) {
        rod *r = &rods[i];
        if (r->over) {
            r->angle = (2 * drawn(&r->random) - 1) * pi;
            r->speed = 2 * drawn(&r->random) - 1;
            r->frame = r->over = 0;
            rewards[i] = 0;
            ended[i] = cut[i] = 0;
        } else {
            float torque = fminf(fmaxf(actions[i], -2.0f), 2.0f);
            double off = fmod(r->angle + pi, 2 * pi);
            if (off < 0) off += 2 * pi;
            off -= pi;
            double cost = off * off + 0.1 * (r->speed * r->speed) + 0.001f * (torque * torque);
            double speed = r->speed + (15.0 * sin(r->angle) + 3.0f * torque) * 0.05;
            r->speed = fmin(fmax(speed, -8.0), 8.0);
            r->angle += r->speed * 0.05;
            r->frame++;
            rewards[i] = (float)-cost;
            ended[i] = 0;
            cut[i] = r->frame >= 200;
            r->over = cut[i];
        }
        seen[3 * i] = (float)cos(r->angle);
        seen[3 * i + 1] = (float)sin(r->angle);
        seen[3 * i + 2] = (float)r->speed;
    }
}
