SIDE_MAX = 75
BOARDS_MAX = QUERIES_MAX = 20_000

def card(x, y):
    if x > width or y > height or rows[y - 1][x - 1] != ord("X"):
        refuse(f"no card lies at ({x}, {y})")


number = rb"([1-9]\d?)"
boards = queries = 0
while True:
    header = line(number + b" " + number + b"|0 0", "a width and a height, or the last line `0 0`,")
    if header[0] == b"0 0":
        break
    boards += 1
    width, height = int(header[1]), int(header[2])
    if max(width, height) > SIDE_MAX or boards > BOARDS_MAX:
        refuse(f"up to {BOARDS_MAX} boards of up to {SIDE_MAX} columns and rows are allowed")
    rows = [line(rb"[X ]{%d}" % width, f"a row of {width} cells")[0] for _ in range(height)]
    while True:
        query = line(b" ".join([number] * 4) + b"|0 0 0 0", "a pair of cards or `0 0 0 0`")
        if query[0] == b"0 0 0 0":
            break
        queries += 1
        x1, y1, x2, y2 = map(int, query.groups())
        card(x1, y1)
        card(x2, y2)
        if (x1, y1) == (x2, y2) or queries > QUERIES_MAX:
            refuse(f"the two cards differ, and there are up to {QUERIES_MAX} pairs")
end()
