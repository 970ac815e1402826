"""The fixed-shape sum of docs/reference/reductions.md in C, for a peer that must give its bits."""

from string import Template

_TEXT = Template("""
static $element ${name}_fold($element *lanes) {
    for (int half = 32; half > 0; half /= 2)
        for (int i = 0; i < half; i++) lanes[i] += lanes[half + i];
    return lanes[0];
}

static $element ${name}_block($parameters, int64_t start, int64_t rows, int64_t rest) {
    $element lanes[64];
    for (int i = 0; i < 64; i++) lanes[i] = ($element)-0.0;
    for (int64_t row = 0; row < rows; row++) {
        for (int lane = 0; lane < 64; lane++) {
            int64_t i = start + row * 64 + lane;
            lanes[lane] += $term;
        }
    }
    for (int64_t lane = 0; lane < rest; lane++) {
        int64_t i = start + rows * 64 + lane;
        lanes[lane] += $term;
    }
    return ${name}_fold(lanes);
}

static $element $name($parameters, int64_t n) {
    $element levels[56];
    int64_t blocks = n / 2048, last = n % 2048;
    for (int64_t b = 0; b < blocks; b++) {
        $element total = ${name}_block($arguments, b * 2048, 32, 0);
        int k = 0;
        for (; b >> k & 1; k++) total = levels[k] + total;
        levels[k] = total;
    }
    $element total = ${name}_block($arguments, blocks * 2048, last / 64, last % 64);
    for (int k = 0; blocks >> k; k++)
        if (blocks >> k & 1) total = levels[k] + total;
    return total;
}
""")


def fixed_shape(name: str, element: str, term: str, parameters: str, arguments: str) -> str:
    """C source of `element name(parameters, int64_t n)`: the sum of `term` over i, in the shape.

    `arguments` hands the parameters on. The source needs <stdint.h>.
    """
    return _TEXT.substitute(
        name=name, element=element, term=term, parameters=parameters, arguments=arguments
    )
