// Too slow: tries paths of 1 segment, then of 2, 3 and so on, all of them each time.
const lines = require("fs").readFileSync(0, "latin1").split("\n");
let at = 0;

function joins(rows, x, y, goal, segments, horizontal) {
  for (const sign of [1, -1]) {
    let cx = x;
    let cy = y;
    for (;;) {
      if (horizontal) cx += sign;
      else cy += sign;
      if (cx < 0 || cy < 0 || cy >= rows.length || cx >= rows[0].length) break;
      if (cx === goal[0] && cy === goal[1]) {
        if (segments === 1) return true;
        break;
      }
      if (rows[cy][cx] === "X") break;
      if (segments > 1 && joins(rows, cx, cy, goal, segments - 1, !horizontal)) return true;
    }
  }
  return false;
}

for (let number = 1; ; number++) {
  const [w, h] = lines[at++].split(" ").map(Number);
  if (w === 0) break;
  const blank = " ".repeat(w + 2);
  const rows = [blank, ...lines.slice(at, at + h).map((row) => ` ${row.padEnd(w)} `), blank];
  at += h;
  console.log(`Board #${number}:`);
  for (let pair = 1; ; pair++) {
    const [x1, y1, x2, y2] = lines[at++].split(" ").map(Number);
    if (x1 === 0) break;
    let segments = 1;
    const most = w * h + 8;
    const found = (n) => joins(rows, x1, y1, [x2, y2], n, true) || joins(rows, x1, y1, [x2, y2], n, false);
    while (segments <= most && !found(segments)) segments++;
    console.log(`Pair ${pair}: ${segments <= most ? `${segments} segments` : "impossible"}.`);
  }
  console.log();
}
