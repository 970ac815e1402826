"""The buffer that compiled code prints and traces to: its variable, and how code takes room in it.

Entries of one object that print are not called by two threads at once, and no parallel range that
prints runs on several: the words come in order.
"""

from __future__ import annotations

from samebits.backend.objects import OUTPUT, OUTPUT_HEAD
from samebits.ir.grammar import MOST_PRINTED
from samebits.printed import MOST_WORDS

CLAIMS = {"print": "@sb.output.print", "trace": "@sb.output.trace"}
"""The function of each opcode that gives the address for so many words."""
KEEP = "@sb.output.keep"
"""The function that counts so many words at an address as used, once they are written: a call may
be left at any instruction."""
_SPARE = "@sb.output.spare"
_WORDS = f"[{OUTPUT_HEAD + MOST_WORDS} x i64]"
_DROPPED = f"getelementptr (i64, ptr @{OUTPUT}, i64 1)"
_WANTED = f"getelementptr (i64, ptr @{OUTPUT}, i64 2)"
DEFINITIONS = f"""\
@{OUTPUT} = global {_WORDS} zeroinitializer, align 8
{_SPARE} = internal global [{1 + MOST_PRINTED} x i64] zeroinitializer, align 8

define internal ptr {CLAIMS["print"]}(i64 %words) noinline nounwind cold {{
  %used = load i64, ptr @{OUTPUT}, align 8
  %after = add i64 %used, %words
  %fits = icmp ule i64 %after, {MOST_WORDS}
  br i1 %fits, label %take, label %drop
take:
  %at = add i64 %used, {OUTPUT_HEAD}
  %place = getelementptr i64, ptr @{OUTPUT}, i64 %at
  ret ptr %place
drop:
  %count = load i64, ptr {_DROPPED}, align 8
  %more = add i64 %count, 1
  store i64 %more, ptr {_DROPPED}, align 8
  ret ptr {_SPARE}
}}

define internal void {KEEP}(ptr %place, i64 %words) noinline nounwind cold {{
  %dropped = icmp eq ptr %place, {_SPARE}
  br i1 %dropped, label %done, label %count
count:
  %used = load i64, ptr @{OUTPUT}, align 8
  %after = add i64 %used, %words
  store i64 %after, ptr @{OUTPUT}, align 8
  br label %done
done:
  ret void
}}

define internal ptr {CLAIMS["trace"]}(i64 %words) noinline nounwind cold {{
  %wanted = load i64, ptr {_WANTED}, align 8
  %some = icmp ne i64 %wanted, 0
  br i1 %some, label %take, label %drop
take:
  %place = call ptr {CLAIMS["print"]}(i64 %words)
  ret ptr %place
drop:
  ret ptr {_SPARE}
}}"""


def address_entry(number: int) -> str:
    """`sb_entry_<number>`, which gives the buffer's address as its first slot: for whoever cannot
    ask for the variable by name."""
    head = f"define i32 @sb_entry_{number}(ptr %args) #0 {{\nentry:\n"
    word = f"ptrtoint (ptr @{OUTPUT} to i64)"
    return f"{head}  store i64 {word}, ptr %args, align 8\n  ret i32 0\n}}"
