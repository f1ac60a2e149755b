-- Depth first on a flat board with a border, ten throws at most, blocks put back on return.
local FREE <const>, BLOCK <const>, START <const>, GOAL <const>, BORDER <const> = 0, 1, 2, 3, 4

local function fewest(board, side, start)
  local steps = { 1, -1, side, -side }
  local best = 11

  local function play(at, throws)
    for d = 1, 4 do
      if throws >= best then return end
      local step = steps[d]
      local here = at + step
      while board[here] == FREE do here = here + step end
      if board[here] == GOAL then
        best = throws
      elseif board[here] == BLOCK and here - step ~= at then
        board[here] = FREE
        play(here - step, throws + 1)
        board[here] = BLOCK
      end
    end
  end

  play(start, 1)
  return best > 10 and -1 or best
end

while true do
  local w, h = io.read("n", "n")
  if w == 0 then break end
  local side, start = w + 2, nil
  local board = {}
  for at = 1, side * (h + 2) do board[at] = BORDER end
  for y = 1, h do
    for x = 2, w + 1 do
      local at = y * side + x
      board[at] = io.read("n")
      if board[at] == START then
        start = at
        board[at] = FREE
      end
    end
  end
  print(fewest(board, side, start))
end
