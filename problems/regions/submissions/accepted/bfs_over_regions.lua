-- Labels the regions, joins those that touch, and goes breadth first from the first to the last.
local m, n = io.read("n", "n")
local all = m * n
-- Rows are written with and without blanks.
local cells = {}
for digit in io.read("a"):gmatch("%d") do cells[#cells + 1] = digit end

local function beside(v)
  local found = {}
  local x = (v - 1) % n
  if x > 0 then found[#found + 1] = v - 1 end
  if x < n - 1 then found[#found + 1] = v + 1 end
  if v > n then found[#found + 1] = v - n end
  if v + n <= all then found[#found + 1] = v + n end
  return found
end

local region, touching = {}, {}
for first = 1, all do
  if not region[first] then
    local number = #touching + 1
    touching[number] = {}
    region[first] = number
    local open = { first }
    while #open > 0 do
      local v = table.remove(open)
      for _, u in ipairs(beside(v)) do
        if not region[u] and cells[u] == cells[v] then
          region[u] = number
          open[#open + 1] = u
        end
      end
    end
  end
end
for v = 1, all do
  for _, u in ipairs(beside(v)) do touching[region[v]][region[u]] = true end
end

local distance = { [region[1]] = 0 }
local queue, head = { region[1] }, 1
while queue[head] do
  local from = queue[head]
  head = head + 1
  for next_region in pairs(touching[from]) do
    if not distance[next_region] then
      distance[next_region] = distance[from] + 1
      queue[#queue + 1] = next_region
    end
  end
end
print(distance[region[all]] - 1)
