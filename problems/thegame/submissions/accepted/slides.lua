-- Breadth first over cells: from each cell a slide in all four directions, one segment a slide.
-- Around the board there is a ring that is free, and around that one that is not.
local function fewest(free, width, start, goal)
  local steps = { 1, -1, width, -width }
  local segments = { [start] = 0 }
  local queue, head = { start }, 1
  while queue[head] do
    local from = queue[head]
    head = head + 1
    local further = segments[from] + 1
    for d = 1, 4 do
      local step = steps[d]
      local cell = from + step
      while free[cell] do
        if not segments[cell] then
          segments[cell] = further
          queue[#queue + 1] = cell
        end
        cell = cell + step
      end
      if cell == goal then return further end
    end
  end
end

local function numbers()
  local found = {}
  for word in io.read():gmatch("%d+") do found[#found + 1] = tonumber(word) end
  return table.unpack(found)
end

local number = 0
while true do
  local w, h = numbers()
  if w == 0 then break end
  local width = w + 4
  local function at(x, y) return (y + 1) * width + x + 1 end
  local free = {}
  for cell = 0, width * (h + 4) do free[cell] = false end
  for y = 0, h + 1 do
    local row = 1 <= y and y <= h and io.read() or ""
    -- A row may have lost its trailing blanks.
    for x = 0, w + 1 do free[at(x, y)] = row:sub(x, x) ~= "X" end
  end
  number = number + 1
  print("Board #" .. number .. ":")
  local pair = 0
  while true do
    local x1, y1, x2, y2 = numbers()
    if x1 == 0 then break end
    pair = pair + 1
    local segments = fewest(free, width, at(x1, y1), at(x2, y2))
    print("Pair " .. pair .. ": " .. (segments and segments .. " segments." or "impossible."))
  end
  print()
end
