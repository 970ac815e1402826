"""Divisions of more than 64 bits, which LLVM's passes introduce and no processor has.

For the final value of a sum of a loop's counter, they divide 65 bits or more by the loop's step,
and code generation calls a compiler's library for that, which is not linked. Such code is generated
again, from text that divides by a function of its own.
"""

from __future__ import annotations

import re

from samebits.backend.lowering.int64_builtins import LIBRARY
from samebits.backend.targets.table import Target

_CALLS = re.compile(rb"__u(?:div|mod)ti3")
_PRODUCT = "__multi3"
_DIVISION = re.compile(
    r"^  (?P<result>%\S+) = u(?P<kind>div|rem) (?:exact )?i(?P<bits>\d+) "
    r"(?P<a>[^,]+), (?P<b>[^,\n]+).*$",
    re.MULTILINE,
)

_FUNCTIONS = """
define internal i128 @sb.udiv.i128(i128 %a, i128 %b) nounwind noinline {
entry:
  %both = or i128 %a, %b
  %narrow = icmp ule i128 %both, 18446744073709551615
  br i1 %narrow, label %short, label %loop
short:
  %a.low = trunc i128 %a to i64
  %b.low = trunc i128 %b to i64
  %low = udiv i64 %a.low, %b.low
  %wide = zext i64 %low to i128
  ret i128 %wide
loop:
  %left = phi i32 [ 128, %entry ], [ %left.next, %loop ]
  %bits = phi i128 [ %a, %entry ], [ %bits.next, %loop ]
  %rest = phi i128 [ 0, %entry ], [ %rest.next, %loop ]
  %quotient = phi i128 [ 0, %entry ], [ %quotient.next, %loop ]
  %beyond = icmp slt i128 %rest, 0
  %bit = lshr i128 %bits, 127
  %moved = shl i128 %rest, 1
  %more = or i128 %moved, %bit
  %enough = icmp uge i128 %more, %b
  %fits = or i1 %beyond, %enough
  %taken = select i1 %fits, i128 %b, i128 0
  %rest.next = sub i128 %more, %taken
  %one = zext i1 %fits to i128
  %doubled = shl i128 %quotient, 1
  %quotient.next = or i128 %doubled, %one
  %bits.next = shl i128 %bits, 1
  %left.next = sub i32 %left, 1
  %last = icmp eq i32 %left.next, 0
  br i1 %last, label %done, label %loop
done:
  ret i128 %quotient.next
}

define internal i128 @sb.urem.i128(i128 %a, i128 %b) nounwind noinline {
entry:
  %quotient = call i128 @sb.udiv.i128(i128 %a, i128 %b)
  %product = mul i128 %quotient, %b
  %rest = sub i128 %a, %product
  ret i128 %rest
}
"""


def is_lacking(code: bytes | str, given: str, target: Target) -> bool:
    """Whether an object or assembly, made of the text `given`, calls such a library function."""
    code = code.encode() if isinstance(code, str) else code
    if _CALLS.search(code):
        return True
    lacks = target.architecture in LIBRARY and f"@{_PRODUCT}(" not in given
    return lacks and _PRODUCT.encode() in code


def completed(text: str, target: Target) -> str:
    """LLVM text after the passes, with each wide division replaced by a call of its own
    function."""
    count = 0

    def call(match: re.Match[str]) -> str:
        nonlocal count
        bits = int(match["bits"])
        if bits <= 64:
            return match[0]
        count += 1
        name = f"%sb.wide.{count}"
        width = f"i{bits}"
        widened = "zext" if bits < 128 else "bitcast"
        narrowed = "trunc" if bits < 128 else "bitcast"
        return (
            f"  {name}.a = {widened} {width} {match['a']} to i128\n"
            f"  {name}.b = {widened} {width} {match['b']} to i128\n"
            f"  {name} = call i128 @sb.u{match['kind']}.i128(i128 {name}.a, i128 {name}.b)\n"
            f"  {match['result']} = {narrowed} i128 {name} to {width}"
        )

    text = _DIVISION.sub(call, text)
    product = LIBRARY.get(target.architecture, "")
    return text + _FUNCTIONS * (count > 0) + product * (f"@{_PRODUCT}(" not in text)
