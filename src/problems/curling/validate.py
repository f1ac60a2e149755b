DATASETS_MAX = 100

datasets = 0
while True:
    header = line(rb"([1-9]\d?) ([1-9]\d?)|0 0", "a width and a height, or the last line `0 0`,")
    if header[0] == b"0 0":
        break
    datasets += 1
    if datasets > DATASETS_MAX:
        refuse(f"more than {DATASETS_MAX} datasets")
    width, height = int(header[1]), int(header[2])
    if not 2 <= width <= 20 or height > 20:
        refuse("the width is from 2 to 20, the height from 1 to 20")
    row = rb"[0-3](?: [0-3]){%d}" % (width - 1)
    board = b"".join(line(row, f"a row of {width} cells")[0] for _ in range(height))
    if board.count(b"2") != 1 or board.count(b"3") != 1:
        refuse("each board has exactly one start and one goal")
end()
