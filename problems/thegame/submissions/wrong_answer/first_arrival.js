// Mistake: breadth first over steps that is content with the first path to the second card: the shortest, not the straightest.
const lines = require("fs").readFileSync(0, "utf8").split("\n");
let at = 0;
let number = 0;
for (;;) {
  const [w, h] = lines[at++].split(" ").map(Number);
  if (w === 0) break;
  const rows = [" ".repeat(w + 2)];
  for (let y = 0; y < h; y++) rows.push(" " + lines[at++] + " ");
  rows.push(rows[0]);
  console.log(`Board #${++number}:`);
  for (let pair = 1; ; pair++) {
    const [x1, y1, x2, y2] = lines[at++].split(" ").map(Number);
    if (x1 === 0) break;
    const best = new Map();
    let layer = [[x1, y1, -1, 0]];
    let answer = 0;
    while (layer.length > 0 && answer === 0) {
      const next = [];
      for (const [x, y, last, segments] of layer) {
        [[1, 0], [0, 1], [-1, 0], [0, -1]].forEach(([dx, dy], d) => {
          const [nx, ny] = [x + dx, y + dy];
          if (nx < 0 || ny < 0 || nx > w + 1 || ny > h + 1) return;
          const cost = segments + (d === last ? 0 : 1);
          if (nx === x2 && ny === y2 && (answer === 0 || cost < answer)) answer = cost;
          const key = (ny * 80 + nx) * 4 + d;
          if (rows[ny][nx] === "X" || (best.has(key) && best.get(key) <= cost)) return;
          best.set(key, cost);
          next.push([nx, ny, d, cost]);
        });
      }
      layer = next;
    }
    console.log(`Pair ${pair}: ${answer ? answer + " segments" : "impossible"}.`);
  }
  console.log();
}
