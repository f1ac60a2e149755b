// Both players grow in turn, as in the game, each taking every region around his own; the rounds are counted.
const data = require('fs').readFileSync(0, 'utf8');
const digits = data.split('\n');
const [m, n] = digits[0].trim().split(' ').map(Number);
const cells = digits.slice(1).join('').replace(/\s/g, '');

const beside = (v) => {
  const found = [];
  if (v % n > 0) found.push(v - 1);
  if (v % n < n - 1) found.push(v + 1);
  if (v >= n) found.push(v - n);
  if (v + n < m * n) found.push(v + n);
  return found;
};

const owner = new Array(m * n).fill(0);
const take = (v, who) => {
  const cellsTaken = [v];
  owner[v] = who;
  for (let i = 0; i < cellsTaken.length; i++)
    for (const u of beside(cellsTaken[i]))
      if (owner[u] === 0 && cells[u] === cells[v]) {
        owner[u] = who;
        cellsTaken.push(u);
      }
  return cellsTaken;
};

let edges = [null, take(0, 1), take(m * n - 1, 2)];
const touching = () => {
  for (let v = 0; v < m * n; v++)
    if (owner[v] === 1 && beside(v).some((u) => owner[u] === 2)) return true;
  return false;
};

let moves = 0;
let who = 1;
while (!touching()) {
  const grown = [];
  for (const v of edges[who])
    for (const u of beside(v)) if (owner[u] === 0) grown.push(...take(u, who));
  edges[who] = grown;
  who = 3 - who;
  moves++;
}
console.log(moves);
