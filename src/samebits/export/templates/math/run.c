/* What every function of arrays calls. A loop takes 64-bit words: each array's address and its
   length. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int32_t loop(int64_t *);
typedef struct {
    uintptr_t place;
    uintptr_t size; /* of an element, 8 at most */
} array;
enum { MOST = 5, BLOCK = 128 };

static void call(loop *work, size_t count, const uintptr_t *places, int arrays)
{
    int64_t words[2 * MOST];
    for (int k = 0; k < arrays; k++) {
        words[2 * k] = (int64_t)places[k];
        words[2 * k + 1] = (int64_t)count;
    }
    work(words);
}

static bool overlap(size_t count, array a, array b)
{
    return a.place < b.place + count * b.size && b.place < a.place + count * a.size;
}

/* Loops are fast where results overlap no argument: arguments that results replace go in blocks,
   each copied before its results are written. */
#if !defined(_WIN32) && !defined(__wasm__)
__attribute__((visibility("hidden")))
#endif
void sb_run(loop *work, size_t count, const array *arrays, int32_t inputs, int32_t all)
{
    uintptr_t places[MOST];
    bool copied[MOST] = {false}, any = false;
    for (int k = 0; k < all; k++) {
        places[k] = arrays[k].place;
        for (int j = inputs; k < inputs && j < all; j++)
            copied[k] |= overlap(count, arrays[k], arrays[j]);
        any |= copied[k];
    }
    if (!count) return;
    if (!any) {
        call(work, count, places, all);
        return;
    }
    uint64_t block[MOST][BLOCK];
    for (size_t done = 0; done < count; done += BLOCK) {
        size_t some = count - done < BLOCK ? count - done : BLOCK;
        for (int k = 0; k < all; k++) {
            places[k] = arrays[k].place + done * arrays[k].size;
            if (!copied[k]) continue;
            const unsigned char *from = (const unsigned char *)places[k];
            unsigned char *to = (unsigned char *)block[k];
            for (size_t byte = 0; byte < some * arrays[k].size; byte++) to[byte] = from[byte];
            places[k] = (uintptr_t)to;
        }
        call(work, some, places, all);
    }
}
