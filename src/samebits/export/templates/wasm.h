/* What the modules for WebAssembly share: how functions are exported, and memory beyond the static
   one. */

#define EXPORT(name) __attribute__((export_name(#name)))

/* Memory that nothing else uses, all zero; NULL where there is no more. */
static void *grown(uint64_t size)
{
    uint64_t pages = (size + 65535) / 65536;
    size_t first = pages < 65536 ? __builtin_wasm_memory_grow(0, (size_t)pages) : SIZE_MAX;
    return first == SIZE_MAX ? NULL : (void *)(first * 65536);
}
