// Depth first on a board with a border, ten throws at most, blocks put back on return.
package main

import (
	"bufio"
	"fmt"
	"os"
)

const (
	free = iota
	block
	start
	goal
	border
)

var (
	board [22][22]int
	best  int
	steps = [4][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}
)

func play(x, y, throws int) {
	for _, step := range steps {
		if throws >= best {
			return
		}
		dx, dy := step[0], step[1]
		a, b := x+dx, y+dy
		for board[b][a] == free {
			a, b = a+dx, b+dy
		}
		if board[b][a] == goal {
			best = throws
		} else if board[b][a] == block && (a-dx != x || b-dy != y) {
			board[b][a] = free
			play(a-dx, b-dy, throws+1)
			board[b][a] = block
		}
	}
}

func main() {
	in := bufio.NewReader(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for {
		var w, h, x, y int
		fmt.Fscan(in, &w, &h)
		if w == 0 {
			break
		}
		for i := range board {
			for j := range board[i] {
				board[i][j] = border
			}
		}
		for i := 1; i <= h; i++ {
			for j := 1; j <= w; j++ {
				fmt.Fscan(in, &board[i][j])
				if board[i][j] == start {
					x, y = j, i
					board[i][j] = free
				}
			}
		}
		best = 11
		play(x, y, 1)
		if best > 10 {
			best = -1
		}
		fmt.Fprintln(out, best)
	}
}
