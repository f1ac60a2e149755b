// Mistake: counts rounds, in which both players move, instead of moves.
const words = require('fs').readFileSync(0, 'utf8').trim().split(/\s+/);
const m = +words[0];
const n = +words[1];
const cells = words.slice(2).join('');
const dist = new Array(m * n).fill(-1);
let level = [0];
let d = 0;
while (level.length) {
  for (const v of level) if (dist[v] < 0) dist[v] = d;
  const next = [];
  for (let i = 0; i < level.length; i++) {
    const v = level[i];
    if (dist[v] !== d) continue;
    const beside = [];
    if (v % n > 0) beside.push(v - 1);
    if (v % n < n - 1) beside.push(v + 1);
    if (v >= n) beside.push(v - n);
    if (v + n < m * n) beside.push(v + n);
    for (const u of beside) {
      if (dist[u] >= 0) continue;
      if (cells[u] === cells[v]) {
        dist[u] = d;
        level.push(u);
      } else next.push(u);
    }
  }
  level = next;
  d++;
}
const moves = dist[m * n - 1] - 1;
console.log(Math.ceil(moves / 2));
