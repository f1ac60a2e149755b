// Presentation: no blank line after a board.
const lines = require("fs").readFileSync(0, "latin1").split("\n");
const out = [];
let at = 0;

function fewest(free, width, start, goal) {
  const steps = [1, width, -1, -width];
  const done = new Uint8Array(free.length * 4);
  const buckets = [[], [0, 1, 2, 3].map((d) => start * 4 + d)];
  for (let cost = 1; cost < buckets.length; cost++) {
    const bucket = buckets[cost];
    while (bucket.length > 0) {
      const state = bucket.pop();
      if (done[state]) continue;
      done[state] = 1;
      const direction = state & 3;
      const ahead = (state >> 2) + steps[direction];
      if (ahead === goal) return cost;
      if (!free[ahead]) continue;
      bucket.push(ahead * 4 + direction);
      if (buckets.length === cost + 1) buckets.push([]);
      buckets[cost + 1].push(ahead * 4 + (direction ^ 1), ahead * 4 + (direction ^ 3));
    }
  }
  return 0;
}

for (let number = 1; ; number++) {
  const [w, h] = lines[at++].split(" ").map(Number);
  if (w === 0) break;
  const width = w + 4;
  const free = new Uint8Array(width * (h + 4));
  for (let y = 0; y <= h + 1; y++) {
    const row = y >= 1 && y <= h ? lines[at++] : "";
    for (let x = 0; x <= w + 1; x++) free[(y + 1) * width + x + 1] = row[x - 1] === "X" ? 0 : 1;
  }
  out.push(`Board #${number}:`);
  for (let pair = 1; ; pair++) {
    const [x1, y1, x2, y2] = lines[at++].split(" ").map(Number);
    if (x1 === 0) break;
    const cost = fewest(free, width, (y1 + 1) * width + x1 + 1, (y2 + 1) * width + x2 + 1);
    out.push(`Pair ${pair}: ${cost > 0 ? `${cost} segments.` : "impossible."}`);
  }
}
process.stdout.write(out.map((line) => line + "\n").join(""));
