// Labels the regions, joins those that touch, and goes breadth first from the first to the last.
import java.util.ArrayDeque

fun main() {
    val words = System.`in`.bufferedReader().readText().split(Regex("\\s+")).filter { it.isNotEmpty() }
    val m = words[0].toInt()
    val n = words[1].toInt()
    // Rows are written with and without blanks.
    val cells = words.drop(2).joinToString("")

    fun beside(v: Int): List<Int> {
        val found = mutableListOf<Int>()
        if (v % n > 0) found.add(v - 1)
        if (v % n < n - 1) found.add(v + 1)
        if (v >= n) found.add(v - n)
        if (v + n < m * n) found.add(v + n)
        return found
    }

    val region = IntArray(m * n) { -1 }
    var regions = 0
    for (first in cells.indices) {
        if (region[first] >= 0) continue
        region[first] = regions
        val open = ArrayDeque<Int>(listOf(first))
        while (open.isNotEmpty()) {
            val v = open.removeLast()
            for (u in beside(v)) {
                if (region[u] >= 0 || cells[u] != cells[v]) continue
                region[u] = regions
                open.addLast(u)
            }
        }
        regions++
    }

    val touching = List(regions) { mutableSetOf<Int>() }
    for (v in cells.indices) for (u in beside(v)) touching[region[v]].add(region[u])

    val distance = IntArray(regions) { -1 }
    val queue = ArrayDeque<Int>(listOf(region.first()))
    distance[region.first()] = 0
    while (queue.isNotEmpty()) {
        val from = queue.removeFirst()
        for (next in touching[from]) {
            if (distance[next] >= 0) continue
            distance[next] = distance[from] + 1
            queue.addLast(next)
        }
    }
    println(distance[region.last()] - 1)
}
