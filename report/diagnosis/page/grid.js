// A cell for every rank, coloured by its group.

section({
  id: "grid",
  title: "Ranks",
  when: () => data.ranks > 0 && groups.length > 0,
  render(body) {
    const canvas = el("canvas", { tabindex: 0, role: "img", "aria-label": gridLabel(), onclick: (e) => pickRank(rankAt(e)), onmousemove: (e) => tellRank(rankAt(e)), onmouseleave: () => tellRank(cursor), onkeydown: moveCursor });
    body.append(el("div", { class: "cells" }, canvas), el("p", { id: "cell", role: "status" }), el("ul", { class: "legend", id: "colors" }));
    new ResizeObserver(() => drawGrid(canvas)).observe(body);
    for (const query of ["(prefers-color-scheme: dark)", "print"]) matchMedia(query).addEventListener("change", () => drawGrid(canvas));
  },
  refresh(body) {
    drawGrid(body.querySelector("canvas"));
    body.querySelector("#colors").replaceChildren(...colorLegend());
    tellRank(cursor);
  },
});

const maxColors = 7;
let cursor = -1; // rank

// groupOf has the group of each rank, -1 for one without.
const groupOf = new Int32Array(data.ranks).fill(-1);
spansOf.forEach((spans, i) => spans.forEach(([a, b]) => groupOf.fill(i, a, b + 1)));

const flagged = new Map(); // rank to what is wrong with it
for (const [word, set] of [["unfinished", data.unfinished], ["damaged", data.damaged], ["lost", data.lost]]) {
  for (const [a, b] of parseSet(set)) for (let rank = a; rank <= b && rank < data.ranks; rank++) flagged.set(rank, word);
}

// The largest groups that are not least progressed have colours of their own.
const colorful = groups.map((g, i) => i).filter((i) => !groups[i].least).sort((a, b) => groups[b].count - groups[a].count || a - b).slice(0, maxColors);
const colorIndex = new Map(colorful.map((i, n) => [i, n]));

function colorOf(i) {
  if (i < 0) return "rest";
  if (groups[i].least) return "least";
  return colorIndex.has(i) ? `c${colorIndex.get(i)}` : "rest";
}

// layout finds how many ranks fit in a row, and how large a cell is.
function layout(width) {
  let size = 30;
  while (size > 2 && Math.ceil(data.ranks / Math.floor(width / size)) * size > 460) size--;
  return { size, columns: Math.max(1, Math.floor(width / size)) };
}

let cells = { size: 1, columns: 1 };

function drawGrid(canvas) {
  const width = canvas.parentElement.clientWidth;
  if (width === 0) return;
  cells = layout(width);
  const rows = Math.ceil(data.ranks / cells.columns);
  const scale = Math.max(1, window.devicePixelRatio || 1);
  canvas.width = Math.min(data.ranks, cells.columns) * cells.size * scale;
  canvas.height = rows * cells.size * scale;
  canvas.style.width = `${canvas.width / scale}px`;
  canvas.style.height = `${canvas.height / scale}px`;
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  paintCells(pen, canvasColors());
}

function canvasColors() {
  const style = getComputedStyle(document.documentElement);
  const named = (name) => style.getPropertyValue(`--${name}`).trim();
  return { named, ink: named("ink"), paper: named("paper") };
}

function paintCells(pen, colors) {
  const inset = cells.size > 4 ? 1 : 0;
  const seen = groups.map((_, i) => shown(i));
  const paint = new Map();
  for (let rank = 0; rank < data.ranks; rank++) {
    const i = groupOf[rank];
    const name = colorOf(i);
    if (!paint.has(name)) paint.set(name, colors.named(`group-${name}`));
    pen.globalAlpha = i >= 0 && seen[i] && inWanted(rank) ? 1 : 0.18;
    pen.fillStyle = paint.get(name);
    const [x, y] = corner(rank);
    pen.fillRect(x, y, cells.size - inset, cells.size - inset);
    decorate(pen, rank, x, y, colors);
  }
  pen.globalAlpha = 1;
  if (cells.size < 12) ringLeast(pen, colors);
}

const maxRings = 100;

// ringLeast makes cells that are only a few pixels wide stand out.
function ringLeast(pen, colors) {
  if (!view.least || view.least.count > maxRings) return;
  pen.strokeStyle = colors.named("least");
  pen.lineWidth = 2.5;
  for (const [first, last] of parseSet(view.least.set)) {
    for (let rank = first; rank <= last; rank++) {
      const [x, y] = corner(rank);
      pen.beginPath();
      pen.arc(x + cells.size / 2, y + cells.size / 2, cells.size / 2 + 7, 0, 7);
      pen.stroke();
    }
  }
}

const inWanted = (rank) => state.ranks === null || state.ranks.some(([a, b]) => rank >= a && rank <= b);

const corner = (rank) => [(rank % cells.columns) * cells.size, Math.floor(rank / cells.columns) * cells.size];

// decorate writes the number into a cell that has room, crosses out a rank that
// something is wrong with, and frames those of the selected group.
function decorate(pen, rank, x, y, colors) {
  const size = cells.size - 1;
  if (cells.size >= 22) {
    pen.fillStyle = colors.named("cell-ink");
    pen.font = `${cells.size >= 26 ? 11 : 9}px system-ui, sans-serif`;
    pen.textAlign = "center";
    pen.fillText(String(rank), x + size / 2, y + size / 2 + 4);
  }
  if (flagged.has(rank)) cross(pen, x, y, size, colors.ink);
  if (cells.size >= 8 && (groupOf[rank] === state.group || rank === cursor)) {
    pen.strokeStyle = colors.ink;
    pen.lineWidth = rank === cursor ? 3 : 1;
    pen.strokeRect(x + 0.5, y + 0.5, size - 1, size - 1);
  }
}

function cross(pen, x, y, size, color) {
  pen.strokeStyle = color;
  pen.lineWidth = size > 8 ? 1.5 : 0.8;
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(x + size, y + size);
  pen.moveTo(x + size, y);
  pen.lineTo(x, y + size);
  pen.stroke();
}

function rankAt(event) {
  const box = event.currentTarget.getBoundingClientRect();
  const column = Math.floor((event.clientX - box.left) / cells.size);
  const rank = Math.floor((event.clientY - box.top) / cells.size) * cells.columns + column;
  return column >= 0 && column < cells.columns && rank >= 0 && rank < data.ranks ? rank : -1;
}

function tellRank(rank) {
  const out = document.getElementById("cell");
  if (rank < 0) {
    out.textContent = "Point at a cell, or use the arrow keys, to see its rank.";
    return;
  }
  const i = groupOf[rank];
  const what = i < 0 ? "in a group that is not in the page" : `${stateOf(i).does}${whereIs(i) ? ` in ${whereIs(i)}` : ""}`;
  out.textContent = `Rank ${rank}: ${what}${flagged.has(rank) ? ` (${flagged.get(rank)})` : ""}`;
}

function pickRank(rank) {
  if (rank < 0) return;
  cursor = rank;
  if (groupOf[rank] >= 0) selectGroup(groupOf[rank]);
  else change({});
}

function moveCursor(event) {
  const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -cells.columns, ArrowDown: cells.columns }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  pickRank(cursor < 0 ? 0 : Math.min(data.ranks - 1, Math.max(0, cursor + by)));
}

function gridLabel() {
  const least = view.least ? `; least progressed: ${named(view.least.set)}` : "";
  return `${data.ranks} ranks in ${groups.length} groups${least}`;
}

function colorLegend() {
  const own = groups.map((_, i) => i).filter((i) => groups[i].least).slice(0, 3).concat(colorful);
  const items = own.map((i) => el("li", {}, el("span", { class: "swatch", "data-color": colorOf(i) }), groupLink(i, 24), ` ${whereIs(i) || stateOf(i).does}`));
  if (groups.length + data.left.groups > own.length) items.push(el("li", {}, el("span", { class: "swatch", "data-color": "rest" }), "other groups"));
  if (flagged.size > 0) items.push(el("li", {}, "× lost, damaged or unfinished"));
  return items;
}
