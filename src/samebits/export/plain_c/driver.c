/* Runs the kernels as whoever started this says, a letter a command on stdin:
   `i` seed: a state of zeros, then init; answers its hash. `f` count, then as many rows of inputs:
   a step each; answers the hash after each. `s`: answers the state's memory. `r` memory: takes its
   place. `t` bytes: which form of each function acts.
   `l` most: log as many steps from now on; `g`: answers how many there were, and those. `v` count,
   then pairs of a step's place in the log and a value: gives that instead, with FORCES. */
#include <stdio.h>
#include <stdlib.h>
#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif

static STATE state;
static WORD words[WORD_COUNT];
static INPUT inputs[PLAYERS];

static struct { uint64_t number; double value; } *steps;
static uint64_t step_count, step_most;

static struct { uint64_t place; double value; } *forces;
static uint64_t force_count, next_force;
double forced;

bool log_step(uint32_t number, double value)
{
    uint64_t place = step_count++;
    if (place < step_most) {
        steps[place].number = number;
        steps[place].value = value;
    }
    if (next_force == force_count || forces[next_force].place != place) return false;
    forced = forces[next_force++].value;
    return true;
}

static void take(void *where, size_t size)
{
    if (size && fread(where, size, 1, stdin) != 1) exit(0);
}

static void give(const void *what, size_t size)
{
    fwrite(what, 1, size, stdout);
}

static void give_hash(void)
{
    uint64_t found = HASH(&state, (WORDS){words, WORD_COUNT});
    give(&found, sizeof found);
}

int main(void)
{
#ifdef _WIN32
    _setmode(0, _O_BINARY);
    _setmode(1, _O_BINARY);
#endif
    for (;;) {
        char command;
        uint64_t number;
        take(&command, 1);
        switch (command) {
        case 'i':
            take(&number, sizeof number);
            memset(&state, 0, sizeof state);
            INIT(&state, number);
            give_hash();
            break;
        case 'f':
            take(&number, sizeof number);
            for (; number; number--) {
                take(inputs, sizeof inputs);
                STEP(&state, (INPUTS){inputs, PLAYERS});
                give_hash();
            }
            break;
        case 's':
            give(&state, sizeof state);
            break;
        case 'r':
            take(&state, sizeof state);
            break;
        case 'l':
            take(&step_most, sizeof step_most);
            step_count = next_force = 0;
            steps = realloc(steps, step_most * sizeof *steps);
            if (step_most && !steps) return 1;
            break;
        case 'g':
            give(&step_count, sizeof step_count);
            give(steps, (step_count < step_most ? step_count : step_most) * sizeof *steps);
            break;
        case 'v':
            take(&force_count, sizeof force_count);
            forces = realloc(forces, force_count * sizeof *forces);
            if (force_count && !forces) return 1;
            take(forces, force_count * sizeof *forces);
            break;
        case 't':
            take(forms, FORMS);
            choose();
            break;
        default:
            return 1;
        }
        fflush(stdout);
    }
}
