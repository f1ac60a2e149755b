# Breadth first over cells: from each cell a slide in all four directions, one segment a slide.
# Around the board there is a ring that is free, and around that one that is not.
def fewest(free, width, start, goal)
  steps = [1, -1, width, -width]
  segments = Array.new(free.size)
  segments[start] = 0
  queue = [start]
  queue.each do |from|
    further = segments[from] + 1
    steps.each do |step|
      cell = from + step
      while free[cell]
        unless segments[cell]
          segments[cell] = further
          queue << cell
        end
        cell += step
      end
      return further if cell == goal
    end
  end
  nil
end

number = 0
loop do
  w, h = gets.split.map(&:to_i)
  break if w == 0
  width = w + 4
  free = Array.new(width * (h + 4), false)
  [' ' * w, *Array.new(h) { gets.chomp.ljust(w) }, ' ' * w].each_with_index do |row, y|
    " #{row} ".each_char.with_index { |what, x| free[(y + 1) * width + x + 1] = what == ' ' }
  end
  puts "Board ##{number += 1}:"
  pair = 0
  loop do
    x1, y1, x2, y2 = gets.split.map(&:to_i)
    break if x1 == 0
    segments = fewest(free, width, (y1 + 1) * width + x1 + 1, (y2 + 1) * width + x2 + 1)
    puts "Pair #{pair += 1}: #{segments ? "#{segments} segments." : 'impossible.'}"
  end
  puts
end
