// Labels the regions, joins those that touch, and goes breadth first from the first to the last.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	in := bufio.NewReader(os.Stdin)
	var m, n int
	fmt.Fscan(in, &m, &n)
	rest, _ := io.ReadAll(in)
	// Rows are written with and without blanks.
	cells := strings.Join(strings.Fields(string(rest)), "")

	beside := func(v int) (found []int) {
		if v%n > 0 {
			found = append(found, v-1)
		}
		if v%n < n-1 {
			found = append(found, v+1)
		}
		if v >= n {
			found = append(found, v-n)
		}
		if v+n < m*n {
			found = append(found, v+n)
		}
		return
	}

	region := make([]int, m*n)
	for v := range region {
		region[v] = -1
	}
	regions := 0
	for first := range region {
		if region[first] >= 0 {
			continue
		}
		region[first] = regions
		for open := []int{first}; len(open) > 0; {
			v := open[len(open)-1]
			open = open[:len(open)-1]
			for _, u := range beside(v) {
				if region[u] < 0 && cells[u] == cells[v] {
					region[u] = regions
					open = append(open, u)
				}
			}
		}
		regions++
	}

	touching := make([]map[int]bool, regions)
	for r := range touching {
		touching[r] = map[int]bool{}
	}
	for v := range region {
		for _, u := range beside(v) {
			touching[region[v]][region[u]] = true
		}
	}

	distance := make([]int, regions)
	for r := range distance {
		distance[r] = -1
	}
	distance[region[0]] = 0
	for queue := []int{region[0]}; len(queue) > 0; queue = queue[1:] {
		for next := range touching[queue[0]] {
			if distance[next] < 0 {
				distance[next] = distance[queue[0]] + 1
				queue = append(queue, next)
			}
		}
	}
	fmt.Println(distance[region[m*n-1]] - 1)
}
