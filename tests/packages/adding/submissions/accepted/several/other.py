def answer(line):
    total = sum(map(int, line.split()))
    return f"{total} {'SMALL' if total < 1000 else 'LARGE'}"
