# Row 16: Python counts its frames itself.
def down(depth):
    return down(depth + 1) + 1
down(0)
