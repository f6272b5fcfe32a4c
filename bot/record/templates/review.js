"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const turns = data.turns.concat(data.final ?? []);
const element = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const INK = { 1: "#1a56db", 2: "#137333", 3: "#c5221f", 4: "#5b2a9d", 5: "#8d3b00", 6: "#00796b", 7: "#202124", 8: "#5f6368" };
const DARK_INK = { 1: "#8ab4f8", 2: "#81c995", 3: "#f28b82", 4: "#c58af9", 5: "#fcad70", 6: "#78d9ec", 7: "#e8eaed", 8: "#bdc1c6" };
const dark = matchMedia("screen and (prefers-color-scheme: dark)");  // paper is white
let current = 0, heat = true, timer = null, proof = 0;

function draw(tag, attributes, text) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
}
const percent = (share) => share === null || share === undefined ? "–"
  : share === 0 || share === 1 ? `${100 * share} %` : share < 1e-6 ? "under 0.0001 %"
  : share < .001 ? `${Number((100 * share).toPrecision(2))} %`
  : share > .9999 ? "99.99 %" : (100 * share).toFixed(share > .999 ? 2 : 1) + " %";
const place = (cell) => `row ${cell[0] + 1}, column ${cell[1] + 1}`;
const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);

function heatColour(risk) {
  if (risk === 0) return "#1b8a3a";
  if (risk === 1) return "#8e1b14";
  return `hsl(${Math.round(120 * (1 - risk))} 60% 45%)`;
}

// Cells that touch no number share one risk: they are tinted lightly, and the legend says it.
function isFar(turn, row, col) {
  const risk = turn.risks?.[row][col];
  if (!(risk > 0 && risk < 1)) return false;
  for (let near = row - 1; near <= row + 1; near++)
    for (let beside = col - 1; beside <= col + 1; beside++)
      if (/[0-8]/.test(turn.board[near]?.[beside] ?? "")) return false;
  return true;
}
const tinted = (risk) => `color-mix(in srgb, ${heatColour(risk)} 25%, ${style("--hidden")})`;

function drawBoard(turn) {
  const svg = element("board"), rows = turn.board.length, cols = turn.board[0].length, side = 20, edge = 18;
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${cols * side + edge + 2} ${rows * side + edge + 2}`);
  svg.setAttribute("aria-label", `${rows} rows, ${cols} columns. ${turn.decision}`);
  const ink = dark.matches ? DARK_INK : INK;
  svg.style.setProperty("--cols", cols);
  let farRisk = null;
  for (let col = 0; col < cols; col++)
    if (cols < 12 || col === 0 || (col + 1) % 5 === 0)
      svg.append(draw("text", { x: edge + (col + .5) * side, y: 12, "font-size": 9, "text-anchor": "middle", fill: style("--soft") }, col + 1));
  for (let row = 0; row < rows; row++) {
    if (rows < 12 || row === 0 || (row + 1) % 5 === 0)
      svg.append(draw("text", { x: edge - 4, y: edge + (row + .5) * side + 3, "font-size": 9, "text-anchor": "end", fill: style("--soft") }, row + 1));
    for (let col = 0; col < cols; col++) {
      const tile = turn.board[row][col], risk = turn.risks?.[row][col];
      const x = edge + col * side, y = edge + row * side;
      const covered = "#F?".includes(tile);
      const warm = heat && covered && risk !== null && risk !== undefined;
      const far = warm && isFar(turn, row, col);
      if (far) farRisk = risk;
      const fill = far ? tinted(risk) : warm ? heatColour(risk) : covered ? style("--hidden") : tile === "X" ? "#d93025" : style("--open");
      const box = draw("rect", { x, y, width: side, height: side, fill, stroke: style("--line"), "stroke-width": .7 });
      box.append(draw("title", {}, place([row, col]) + (risk === null || risk === undefined ? "" : `: ${percent(risk)} a mine`)));
      const at = turn.proofs.findIndex((one) => one.cell[0] === row && one.cell[1] === col);
      if (at >= 0) { box.setAttribute("class", "proven"); box.addEventListener("click", () => showProof(at)); }
      svg.append(box);
      let mark = "";
      if (tile >= "1" && tile <= "8") mark = tile;
      else if (tile === "F") mark = "⚑";
      else if (tile === "*" || tile === "X") mark = "✹";
      else if (tile === "W") mark = "✗";
      else if (tile === "?") mark = "?";
      else if (warm && risk === 0) mark = "✓";
      else if (warm && risk === 1) mark = "✹";
      else if (warm && !far) mark = String(Math.min(99, Math.max(1, Math.round(100 * risk))));
      if (mark) svg.append(draw("text", { x: x + side / 2, y: y + side / 2 + (covered ? 3.5 : 5), "text-anchor": "middle", "pointer-events": "none",
        "font-size": covered && mark.length < 3 && tile !== "F" && tile !== "?" ? 9.5 : 14, "font-weight": covered ? 400 : 700,
        fill: covered && warm ? (risk < .8 && risk > 0 ? "#111" : "#fff") : ink[tile] ?? style("--text") }, mark));
    }
  }
  element("far").hidden = farRisk === null;
  if (farRisk !== null) {
    element("far-swatch").style.background = tinted(farRisk);
    element("far-risk").textContent = `beside no number: ${percent(farRisk)} each`;
  }
  const outline = (cell, colour, dash) => svg.append(draw("rect", { x: edge + cell[1] * side + 1, y: edge + cell[0] * side + 1,
    width: side - 2, height: side - 2, fill: "none", stroke: colour, "stroke-width": 2.5, "stroke-dasharray": dash }));
  for (const cell of turn.proofs[proof]?.numbers ?? []) outline(cell, style("--accent"), "4 2");
  for (const cell of turn.best ?? []) outline(cell, "#fff", "3 3");
  for (const cell of turn.moves) outline(cell, "#e8a600", "none");
  if (turn.proofs[proof]) outline(turn.proofs[proof].cell, style("--accent"), "none");
}

// Where the board is wider than the screen, scroll to the move.
function bringIntoSight(cell) {
  const svg = element("board"), box = svg.parentElement, cols = turns[current].board[0].length;
  if (cell) box.scrollLeft = (cell[1] + 1) / cols * svg.clientWidth - box.clientWidth / 2;
}

function drawChart() {
  const svg = element("chart"), width = Math.max(280, svg.clientWidth), height = 190, left = 44, right = 12, bottom = 22, top = 10;
  const steps = data.turns.length, last = steps - 1;
  const points = data.turns.map((turn, index) => [index, turn.win]).filter((point) => point[1] !== null);
  for (const name of ["chart", "chart-legend"]) element(name).toggleAttribute("hidden", !points.length);
  element("no-chart").hidden = points.length > 0;
  svg.moveCursor = () => {};
  svg.replaceChildren();
  if (!points.length) return;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("aria-label", "Chance to win, turn by turn: " +
    data.turns.filter((turn) => turn.win !== null).map((turn) => `turn ${turn.number} ${percent(turn.win)}`).join(", "));
  const x = (index) => left + (width - left - right) * index / Math.max(1, steps);
  const y = (share) => top + (height - top - bottom) * (1 - share);
  for (const share of [0, .25, .5, .75, 1]) {
    svg.append(draw("line", { x1: left, x2: width - right, y1: y(share), y2: y(share), stroke: style("--line"), "stroke-width": .7 }));
    svg.append(draw("text", { x: left - 6, y: y(share) + 4, "text-anchor": "end", "font-size": 11, fill: style("--soft") }, `${100 * share} %`));
  }
  const line = (places, colour, dash) => svg.append(draw("polyline", { points: places.map(([index, share]) => `${x(index)},${y(share)}`).join(" "),
    fill: "none", stroke: style(colour), "stroke-width": 1.8, "stroke-dasharray": dash }));
  line(points, "--accent", "none");
  const end = { won: 1, lost: 0 }[data.result];
  const mark = (index, share, kind, title) => {
    const colour = style({ mistake: "--wrong", end: "--soft" }[kind] ?? "--accent"), cx = x(index), cy = y(share);
    const dot = kind === "mistake"
      ? draw("path", { d: `M${cx} ${cy - 6}l6 6l-6 6l-6 -6z`, fill: colour, class: "point", "data-turn": index + 1 })
      : draw("circle", { cx, cy, r: kind ? 4 : 2, fill: colour, class: "point", "data-turn": index + 1 });
    dot.append(draw("title", {}, title));
    dot.addEventListener("click", () => show(index));
    svg.append(dot);
  };
  if (end !== undefined) {
    line([points.at(-1), [steps, end]], "--soft", "4 3");
    mark(steps, end, "end", `the end: ${data.result}`);
  }
  for (const [index, share] of points) {
    const turn = turns[index], kind = turn.mistake ? "mistake" : turn.guess ? "guess" : "";
    mark(index, share, kind, `turn ${turn.number}: ${percent(share)}${kind ? `, ${kind}` : ""}`);
  }
  // A mistake in a turn whose chance to win is not known stands on the line.
  const drawn = end === undefined ? points : [...points, [steps, end]];
  const onLine = (index) => {
    const [from, low] = drawn.findLast(([at]) => at <= index) ?? drawn[0], [to, high] = drawn.find(([at]) => at >= index) ?? drawn.at(-1);
    return from >= to ? low : low + (high - low) * (index - from) / (to - from);
  };
  data.turns.forEach((turn, index) => { if (turn.mistake && turn.win === null) mark(index, onLine(index), "mistake", `turn ${turn.number}: mistake`); });
  for (const index of last > 0 ? [0, last] : [0])
    svg.append(draw("text", { x: x(index), y: height - 6, "text-anchor": index ? "end" : "start", "font-size": 11, fill: style("--soft") }, `turn ${turns[index].number}`));
  svg.append(draw("line", { id: "cursor", x1: x(current), x2: x(current), y1: top, y2: height - bottom, stroke: style("--text"), "stroke-width": 1, "stroke-dasharray": "3 3" }));
  svg.moveCursor = (index) => { for (const side of ["x1", "x2"]) element("cursor").setAttribute(side, x(index)); };
}

function fill(body, rows) {
  body.replaceChildren(...rows.map((cells) => {
    const row = document.createElement("tr");
    if (cells.chosen) row.className = "chosen";
    for (const text of cells.texts) { const cell = document.createElement("td"); cell.textContent = text; row.append(cell); }
    return row;
  }));
}

function showProof(at) {
  proof = at;
  document.querySelectorAll("#why button").forEach((button, place) => button.setAttribute("aria-pressed", place === proof));
  drawBoard(turns[current]);
  element("announcement").textContent = element("why").querySelectorAll("button")[at]?.textContent ?? "";
}

function show(index, link = true) {
  proof = 0;
  current = Math.max(0, Math.min(turns.length - 1, index));
  const turn = turns[current];
  element("slider").value = current + 1;
  element("position").textContent = turn.final ? "the end" : `${current + 1} of ${data.turns.length}`;
  const picture = element("picture");
  picture.hidden = !turn.picture;
  element("no-picture").hidden = Boolean(turn.picture);
  if (turn.picture) picture.src = turn.picture; else picture.removeAttribute("src");
  picture.alt = turn.final ? "The board on the screen at the end" : `The board on the screen before turn ${turn.number}`;
  drawBoard(turn);
  bringIntoSight(turn.moves[0]);
  element("board-text").textContent = turn.board.join("\n");
  element("decision").textContent = turn.decision;
  element("reason").textContent = turn.reason;
  element("why").replaceChildren(...turn.proofs.map((one, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = `${place(one.cell)}: ${one.text}`;
    button.setAttribute("aria-pressed", at === proof);
    button.addEventListener("click", () => showProof(at));
    const item = document.createElement("li");
    item.append(button);
    return item;
  }));
  element("mistake").textContent = turn.mistake ?? "";
  element("candidates").hidden = !turn.candidates.length;
  fill(element("candidates").tBodies[0], turn.candidates.map((one) => ({
    chosen: one.chosen,
    texts: [place(one.cell), percent(one.survival), percent(one.win), percent(one.opens),
      one.numbers.map((chance, number) => [number, chance]).filter(([, chance]) => chance >= .005)
        .map(([number, chance]) => `${number}: ${Math.round(100 * chance)} %`).join(", ")] })));
  element("clicks").textContent = turn.clicks;
  for (const id of ["decision-heading", "clicks-heading"]) element(id).parentElement.hidden = Boolean(turn.final);
  element("better").hidden = !turn.best.length;
  element("times").hidden = !turn.ms;
  if (turn.ms) fill(element("times").tBodies[0], [{ texts: ["grab", "read", "decide", "send", "wait"].map((name) => `${turn.ms[name].toFixed(0)} ms`) }]);
  element("notes").textContent = turn.notes.join(" ");
  element("chart").moveCursor(current);
  document.querySelectorAll("#timeline a").forEach((mark, at) => {
    mark.tabIndex = at === current ? 0 : -1;
    if (at !== current) return mark.removeAttribute("aria-current");
    mark.setAttribute("aria-current", "step");
    const list = element("timeline"), top = mark.offsetTop - list.offsetTop;
    if (top < list.scrollTop || top + mark.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top;
  });
  element("announcement").textContent = `${turn.final ? "The end" : `Turn ${turn.number}`}. ${turn.decision} ${turn.mistake ?? ""}`;
  if (link) history.replaceState(null, "", `#turn=${current + 1}`);
}

function seek(step, wanted) {
  for (let at = current + step; at >= 0 && at < turns.length; at += step) if (wanted(turns[at])) return show(at);
}
function nextMistake() {
  const later = turns.findIndex((turn, at) => at > current && turn.mistake);
  const first = turns.findIndex((turn) => turn.mistake);
  if (later >= 0) show(later); else if (first >= 0) show(first);
}
function toggleHeat() { heat = !heat; element("heat").setAttribute("aria-pressed", heat); drawBoard(turns[current]); }
function togglePlay() {
  if (timer) { clearInterval(timer); timer = null; }
  else if (current === turns.length - 1) { show(0); return togglePlay(); }
  else timer = setInterval(() => { if (current === turns.length - 1) togglePlay(); else show(current + 1); }, 700);
  element("play").setAttribute("aria-pressed", Boolean(timer));
}
async function copyBoard() {
  const text = turns[current].board.join("\n");
  try { await navigator.clipboard.writeText(text); }
  catch {  // a page opened from a file may not reach the clipboard: select the text for copying by hand
    const area = document.createElement("textarea");
    area.value = text; document.body.append(area); area.select(); document.execCommand("copy"); area.remove();
  }
  element("announcement").textContent = "The board is copied.";
}
function fromLink() {
  const match = /^#turn=(\d+)$/.exec(location.hash);
  if (match) show(Number(match[1]) - 1, false);
}

const keys = { ArrowLeft: () => show(current - 1), ArrowRight: () => show(current + 1),
  ArrowUp: () => seek(-1, (turn) => turn.guess), ArrowDown: () => seek(1, (turn) => turn.guess),
  m: nextMistake, h: toggleHeat, p: togglePlay,
  w: () => { if (turns[current].proofs.length) showProof((proof + 1) % turns[current].proofs.length); } };
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || (event.target === element("slider") && event.key.startsWith("Arrow"))) return;
  const action = keys[event.key];
  if (action) { event.preventDefault(); action(); }
});
element("slider").max = turns.length;
element("slider").addEventListener("input", (event) => show(event.target.value - 1));
element("previous").onclick = keys.ArrowLeft;
element("next").onclick = keys.ArrowRight;
element("previous-guess").onclick = keys.ArrowUp;
element("next-guess").onclick = keys.ArrowDown;
element("next-mistake").onclick = nextMistake;
element("next-mistake").disabled = !turns.some((turn) => turn.mistake);
for (const id of ["previous-guess", "next-guess"]) element(id).disabled = !turns.some((turn) => turn.guess);
element("heat").onclick = toggleHeat;
element("play").onclick = togglePlay;
element("copy").onclick = copyBoard;
element("timeline").append(...turns.map((turn, index) => {
  const item = document.createElement("li"), mark = document.createElement("a");
  mark.href = `#turn=${index + 1}`;
  mark.title = turn.final ? "the end" : `turn ${turn.number}${turn.mistake ? ", mistake" : turn.guess ? ", guess" : ""}`;
  mark.setAttribute("aria-label", mark.title);
  mark.className = turn.mistake ? "wrong" : turn.guess ? "guess" : "";
  item.append(mark);
  return item;
}));
const mistakes = data.mistakes.map((one) => {
  const item = document.createElement("li"), link = document.createElement("a");
  link.href = `#turn=${one.turn}`;
  link.textContent = `Turn ${one.turn}: ${one.text}`;
  item.append(link);
  return item;
});
if (!mistakes.length) { const item = document.createElement("li"); item.className = "none"; item.textContent = data.turns.some((turn) => turn.guess && turn.win === null)
  ? "None was found; guesses whose chance to win is not estimated were not compared." : "None: every move was as good as the best."; mistakes.push(item); }
element("mistakes").append(...mistakes);
element("end").textContent = data.end;
dark.addEventListener("change", () => { drawChart(); show(current, false); });
addEventListener("hashchange", fromLink);
addEventListener("resize", drawChart);
drawChart();
show(data.mistakes.length ? data.mistakes[0].turn - 1 : 0, false);  // the worst one first
fromLink();
