// What the pages of these tests share: the rules of the game, and numbers drawn from a seed.

function mulberry32(seed) {
  return () => {
    seed = (seed + 0x6D2B79F5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function neighbours(index, rows, cols) {
  const row = Math.floor(index / cols), col = index % cols, found = [];
  for (let r = Math.max(0, row - 1); r <= Math.min(rows - 1, row + 1); r++)
    for (let c = Math.max(0, col - 1); c <= Math.min(cols - 1, col + 1); c++)
      if (r * cols + c !== index) found.push(r * cols + c);
  return found;
}

function spreadMines(cells, mines, spared, random) {
  for (let left = mines; left;) {
    const at = Math.floor(random() * cells.length);
    if (!spared.has(at) && !cells[at].mine) { cells[at].mine = true; left--; }
  }
  cells.started = true;
}

// Open a cell; around a zero all cells, only the other "zeros", or "none".
function openFrom(index, cells, around, count, opens) {
  const stack = [index];
  while (stack.length) {
    const at = stack.pop();
    if (cells[at].open) continue;
    cells[at].open = true;
    if (count(at) || opens === "none") continue;
    stack.push(...around(at).filter(i => !cells[i].flag && (opens === "all" || !count(i))));
  }
}
