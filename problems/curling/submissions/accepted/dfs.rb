# Depth first on a flat board with a border, ten throws at most, blocks put back on return.
FREE, BLOCK, START, GOAL, BORDER = 0, 1, 2, 3, 4

class Game
  def initialize(board, side)
    @board = board
    @steps = [1, -1, side, -side]
    @best = 11
  end

  def fewest
    start = @board.index(START)
    @board[start] = FREE
    play(start, 1)
    @best > 10 ? -1 : @best
  end

  def play(at, throws)
    board = @board
    @steps.each do |step|
      return if throws >= @best
      here = at + step
      here += step while board[here] == FREE
      if board[here] == GOAL
        @best = throws
      elsif board[here] == BLOCK && here - step != at
        board[here] = FREE
        play(here - step, throws + 1)
        board[here] = BLOCK
      end
    end
  end
end

loop do
  w, h = gets.split.map(&:to_i)
  break if w == 0
  edge = [BORDER] * (w + 2)
  rows = Array.new(h) { [BORDER] + gets.split.map(&:to_i) + [BORDER] }
  puts Game.new(edge + rows.flatten + edge, w + 2).fewest
end
