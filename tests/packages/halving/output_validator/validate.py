import sys

answer = float(open(sys.argv[2]).read())
try:
    distance = abs(float(sys.stdin.read()) - answer)
except ValueError:
    sys.exit(43)
if distance <= float(sys.argv[4]):
    sys.exit(42)
with open(sys.argv[3] + "judgemessage.txt", "w") as message:
    message.write(f"off by {distance}, more than {sys.argv[4]}")
sys.exit(43)
