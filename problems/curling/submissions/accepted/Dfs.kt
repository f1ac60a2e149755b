// Depth first on a flat board with a border, ten throws at most, blocks put back on return.
import java.io.StreamTokenizer

const val FREE = 0
const val BLOCK = 1
const val START = 2
const val GOAL = 3
const val BORDER = 4

class Game(private val board: IntArray, side: Int) {
    private val steps = intArrayOf(1, -1, side, -side)
    private var best = 11

    fun fewest(): Int {
        val start = board.indexOf(START)
        board[start] = FREE
        play(start, 1)
        return if (best > 10) -1 else best
    }

    private fun play(at: Int, throws: Int) {
        for (step in steps) {
            if (throws >= best) return
            var here = at + step
            while (board[here] == FREE) here += step
            if (board[here] == GOAL) {
                best = throws
            } else if (board[here] == BLOCK && here - step != at) {
                board[here] = FREE
                play(here - step, throws + 1)
                board[here] = BLOCK
            }
        }
    }
}

fun main() {
    val tokens = StreamTokenizer(System.`in`.bufferedReader())
    fun number(): Int {
        tokens.nextToken()
        return tokens.nval.toInt()
    }
    val out = StringBuilder()
    while (true) {
        val w = number()
        val h = number()
        if (w == 0) break
        val side = w + 2
        val board = IntArray(side * (h + 2)) { BORDER }
        for (y in 1..h) for (x in 1..w) board[y * side + x] = number()
        out.append(Game(board, side).fewest()).append('\n')
    }
    print(out)
}
