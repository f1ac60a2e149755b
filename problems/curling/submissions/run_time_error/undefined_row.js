// Mistake: looks for the cell beside the board in a row that is not there.
const numbers = require('fs').readFileSync(0, 'utf8').split(/\s+/).map(Number);
const out = [];
for (let next = 0; ;) {
  const w = numbers[next++], h = numbers[next++];
  if (!w) break;
  const board = [];
  let x = 0, y = 0;
  for (let i = 0; i < h; i++) {
    board.push(numbers.slice(next, next += w));
    const at = board[i].indexOf(2);
    if (at >= 0) [x, y] = [at, i];
  }
  let best = 11;
  const play = (x, y, throws) => {
    if (throws > 10) return;
    for (const [dx, dy] of [[0, 1], [1, 0], [0, -1], [-1, 0]]) {
      let a = x, b = y;
      for (;;) {
        const what = board[b + dy][a + dx];
        if (what === undefined) break;
        if (what === 3) { best = Math.min(best, throws); break; }
        if (what === 1) {
          if (a !== x || b !== y) {
            board[b + dy][a + dx] = 0;
            play(a, b, throws + 1);
            board[b + dy][a + dx] = 1;
          }
          break;
        }
        a += dx;
        b += dy;
      }
    }
  };
  play(x, y, 1);
  out.push(best > 10 ? -1 : best);
}
if (out.length) console.log(out.join('\n'));
