# Labels the regions, joins those that touch, and goes breadth first from the first to the last.
require 'set'

m, n, *rows = $stdin.read.split
m = m.to_i
n = n.to_i
# Rows are written with and without blanks.
cells = rows.join

beside = lambda do |v|
  found = []
  found << v - 1 if v % n > 0
  found << v + 1 if v % n < n - 1
  found << v - n if v >= n
  found << v + n if v + n < m * n
  found
end

region = Array.new(m * n)
regions = 0
(m * n).times do |first|
  next if region[first]
  region[first] = regions
  open = [first]
  while (v = open.pop)
    beside[v].each do |u|
      next if region[u] || cells[u] != cells[v]
      region[u] = regions
      open << u
    end
  end
  regions += 1
end

touching = Array.new(regions) { Set.new }
(m * n).times { |v| beside[v].each { |u| touching[region[v]] << region[u] } }

distance = { region.first => 0 }
queue = [region.first]
queue.each do |from|
  touching[from].each do |to|
    next if distance[to]
    distance[to] = distance[from] + 1
    queue << to
  end
end
puts distance[region.last] - 1
