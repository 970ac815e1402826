"""Sudoku by depth-first search with bounded recursion: the cell with the fewest choices first."""

import samebits as sb
from samebits import uint8, uint32


@sb.kernel
def choices(board: sb.ReadOnly[uint8], cell: int) -> int:
    """The digits that may stand in a cell, a bit each."""
    row, column = cell // 9, cell % 9
    used = 0
    for k in range(9):
        used |= 1 << int(board[row * 9 + k])
        used |= 1 << int(board[k * 9 + column])
        used |= 1 << int(board[(row // 3 * 3 + k // 3) * 9 + column // 3 * 3 + k % 3])
    return ~used & 0b1111111110


@sb.kernel(recursion=82)
def solve(board: sb.Array[uint8]) -> bool:
    """Fill the zeros of a board of 81 digits, row by row; whether that can be done."""
    best, fewest = -1, 10
    for cell in range(81):
        if board[cell] == 0:
            count = int(sb.popcount(uint32(choices(board, cell))))
            if count < fewest:
                best, fewest = cell, count
    if best < 0:
        return True
    bits = choices(board, best)
    for digit in range(1, 10):
        if bits >> digit & 1 == 1:
            board[best] = uint8(digit)
            if solve(board):
                return True
    board[best] = 0
    return False
