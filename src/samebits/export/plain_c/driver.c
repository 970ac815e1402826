/* Runs the kernels as whoever started this says, a letter a command on stdin:
   `i` seed: a state of zeros, then init; answers its hash. `f` count, then as many rows of inputs:
   a step each; answers the hash after each. `s`: answers the state's memory. `r` memory: takes its
   place. `t` bytes: which form of each function acts.
   `l` most: log as many steps from now on; `g`: answers how many there were, and those. */
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

void log_step(uint32_t number, double value)
{
    if (step_count < step_most) {
        steps[step_count].number = number;
        steps[step_count].value = value;
    }
    step_count++;
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
            step_count = 0;
            steps = realloc(steps, step_most * sizeof *steps);
            if (step_most && !steps) return 1;
            break;
        case 'g':
            give(&step_count, sizeof step_count);
            give(steps, (step_count < step_most ? step_count : step_most) * sizeof *steps);
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
