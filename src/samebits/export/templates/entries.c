/* An entry takes its parameters as 64-bit words: an array is its address, then its lengths. */
#define DECLARE(name) \
    __attribute__((visibility("hidden"))) int32_t @NAME@_entry_##name(int64_t *)
DECLARE(init);
DECLARE(step);
DECLARE(run);
DECLARE(hash);
#define ENTRY(name) @NAME@_entry_##name

int32_t @NAME@_level(void)
{
    return 0;
}

int32_t @NAME@_set_level(int32_t level)
{
    return level ? -1 : 0;
}
