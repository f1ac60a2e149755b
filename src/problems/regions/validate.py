SIDE_MAX = 50
REGIONS_MAX = 50

size = line(rb"([1-9]\d?) ([1-9]\d?)", "the number of rows and of columns")
rows, columns = int(size[1]), int(size[2])
if max(rows, columns) > SIDE_MAX:
    refuse(f"there are up to {SIDE_MAX} rows and columns")
# The first row decides for all whether a space stands between the digits.
gap = b" " if b" " in b"".join(LINES[1:2]) else b""
row = b"[1-6](?:%s[1-6]){%d}" % (gap, columns - 1)
cells = {}
for y in range(rows):
    for x, colour in enumerate(line(row, f"a row of {columns} colours")[0].replace(b" ", b"")):
        cells[x, y] = colour
if cells[0, 0] == cells[columns - 1, rows - 1]:
    refuse("the first and the last cell have different colours")
regions, left = 0, set(cells)
while left:
    regions += 1
    edge = [left.pop()]
    while edge:
        x, y = edge.pop()
        for other in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if other in left and cells[other] == cells[x, y]:
                left.remove(other)
                edge.append(other)
if regions > REGIONS_MAX:
    refuse(f"the board has more than {REGIONS_MAX} regions")
end()
