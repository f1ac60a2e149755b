import pathlib
import sys

feedback = pathlib.Path(sys.argv[3])
what, word = pathlib.Path(sys.argv[1]).read_text().split()
said = sys.stdin.read().strip()
hidden = feedback / "hidden"
if what == "find":
    right = said == hidden.read_text()
    (feedback / "teammessage.txt").write_text("found" if right else "another number")
    if word == "forever":
        (feedback / "nextpass.in").write_text("find forever\n")
    sys.exit(42 if right else 43)
if not said.isalpha():
    (feedback / "teammessage.txt").write_text("these are not letters")
    sys.exit(43)
hidden.write_text(word)
(feedback / "nextpass.in").write_text(f"find {said}\n")
sys.exit(42)
