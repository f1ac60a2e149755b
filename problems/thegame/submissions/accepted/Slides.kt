// Breadth first over cells: from each cell a slide in all four directions, one segment a slide.
// Around the board there is a ring that is free, and around that one that is not.
const val NEVER = -1

fun fewest(free: BooleanArray, width: Int, start: Int, goal: Int): Int {
    val steps = intArrayOf(1, -1, width, -width)
    val segments = IntArray(free.size) { NEVER }
    val queue = IntArray(free.size)
    var tail = 0
    segments[start] = 0
    queue[tail++] = start
    var head = 0
    while (head < tail) {
        val from = queue[head++]
        for (step in steps) {
            var cell = from + step
            while (true) {
                if (cell == goal) return segments[from] + 1
                if (!free[cell]) break
                if (segments[cell] == NEVER) {
                    segments[cell] = segments[from] + 1
                    queue[tail++] = cell
                }
                cell += step
            }
        }
    }
    return NEVER
}

fun main() {
    val lines = System.`in`.bufferedReader().lineSequence().iterator()
    fun numbers() = lines.next().trim().split(' ').map { it.toInt() }
    val out = StringBuilder()
    var number = 0
    while (true) {
        val (w, h) = numbers()
        if (w == 0) break
        val width = w + 4
        fun at(x: Int, y: Int) = (y + 1) * width + x + 1
        val free = BooleanArray(width * (h + 4))
        for (y in 0..h + 1) for (x in 0..w + 1) free[at(x, y)] = true
        for (y in 1..h) lines.next().forEachIndexed { x, what -> if (what == 'X') free[at(x + 1, y)] = false }
        out.append("Board #${++number}:\n")
        var pair = 0
        while (true) {
            val query = numbers()
            if (query[0] == 0) break
            val segments = fewest(free, width, at(query[0], query[1]), at(query[2], query[3]))
            out.append("Pair ${++pair}: ")
            out.append(if (segments == NEVER) "impossible.\n" else "$segments segments.\n")
        }
        out.append('\n')
    }
    print(out)
}
