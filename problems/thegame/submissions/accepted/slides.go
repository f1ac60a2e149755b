// Breadth first over cells: from each cell a slide in all four directions, one segment a slide.
package main

import (
	"bufio"
	"fmt"
	"os"
)

type cell struct{ x, y, segments int }

var steps = [4][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}

// The board has a free ring around it. Without a path the answer is 0.
func fewest(card [][]bool, x1, y1, x2, y2 int) int {
	height, width := len(card), len(card[0])
	seen := make([][]bool, height)
	for y := range seen {
		seen[y] = make([]bool, width)
	}
	seen[y1][x1] = true
	queue := []cell{{x1, y1, 0}}
	for len(queue) > 0 {
		from := queue[0]
		queue = queue[1:]
		for _, step := range steps {
			x, y := from.x+step[0], from.y+step[1]
			for x >= 0 && x < width && y >= 0 && y < height {
				if x == x2 && y == y2 {
					return from.segments + 1
				}
				if card[y][x] {
					break
				}
				if !seen[y][x] {
					seen[y][x] = true
					queue = append(queue, cell{x, y, from.segments + 1})
				}
				x, y = x+step[0], y+step[1]
			}
		}
	}
	return 0
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for number := 1; in.Scan(); number++ {
		var w, h int
		fmt.Sscan(in.Text(), &w, &h)
		if w == 0 {
			break
		}
		card := make([][]bool, h+2)
		for y := range card {
			card[y] = make([]bool, w+2)
			if y == 0 || y == h+1 {
				continue
			}
			in.Scan()
			// A row may have lost its trailing blanks.
			for x, what := range in.Text() {
				card[y][x+1] = what == 'X'
			}
		}
		fmt.Fprintf(out, "Board #%d:\n", number)
		for pair := 1; in.Scan(); pair++ {
			var x1, y1, x2, y2 int
			fmt.Sscan(in.Text(), &x1, &y1, &x2, &y2)
			if x1 == 0 {
				break
			}
			if segments := fewest(card, x1, y1, x2, y2); segments > 0 {
				fmt.Fprintf(out, "Pair %d: %d segments.\n", pair, segments)
			} else {
				fmt.Fprintf(out, "Pair %d: impossible.\n", pair)
			}
		}
		fmt.Fprintln(out)
	}
}
