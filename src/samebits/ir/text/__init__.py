"""The text form of IR: what the compile cache hashes and golden tests compare, and back.

    samebits ir 1

    struct Ship
      pos: float2
      tags: uint8[4]

    table "game.primes": uint8
      2, 3, 5, 7

    function "game.drift" @3:0-5:12
      option mode "FAST"
      source "game.py" "drift"
      param "s": ref<Ship>
      result float32
      slot "i": int
      local "buffer": float32[16]
      body
        %0 = get "s": ref<Ship> @4:4-9
        %1 = length 0 %7: int @4:4-9
        %2 = add! %1, %1: int @4:12-17
        if#3 %8 @5:0-7:1
          …
        else
          …
        while#4 @5:0-7:1
          …
        do %6
          …
        for#5 "i" = %1, %2, 1 @5:0-7:1
          …
        return %9, %10.1 @5:4-12

An option is there only where it is not the default, `recursion 64` only in a function that
has a bound. An op is `%id = opcode attribute operands:
result types @span`; `!` marks it unchecked, `%10.1` is result 1 of op 10. Attributes are JSON
strings, integers, `true`, `false`, and hexadecimal floats. A span is `@line:column-line:column`,
the second line left out where it is the first; `@1!…` is in the function's source 1 (source 0 being
its own). Structs with one name are told apart by `#2`.
"""

from __future__ import annotations

from samebits.ir.text.parser import parse_module
from samebits.ir.text.printer import print_module, text_of

__all__ = ["parse_module", "print_module", "text_of"]
