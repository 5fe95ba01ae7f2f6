// The progress dependence graph: a box per group, an arrow from who waits to
// who is waited for, the least progressed on top.

const maxNodes = 30;
const maxDrawn = 240; // edges

section({
  id: "graph",
  title: "Who waits for whom",
  short: "Graph",
  when: () => groups.length > 0,
  render(body) {
    body.append(el("div", { class: "canvas" }), el("p", { class: "quiet", id: "undrawn" }), legend());
    body.append(groupList());
  },
  refresh(body) {
    const drawn = nearestShown();
    const box = body.querySelector(".canvas");
    if (drawKey !== drawn.join()) {
      drawKey = drawn.join();
      redraw(body.parentElement, box, drawn);
    }
    for (const node of box.querySelectorAll(".node")) node.setAttribute("aria-pressed", String(Number(node.dataset.group) === state.group));
    body.querySelector("#undrawn").textContent = undrawn(drawn);
    refreshList(body);
  },
});

let drawKey = null;
const halfPage = 640; // pixels; a wider graph gets a row of its own
const smallest = 0.6; // scale at which the text can still be read

function redraw(place, box, drawn) {
  if (drawn.length === 0) {
    box.replaceChildren(el("p", { class: "quiet" }, "No group passes the filter."));
    return;
  }
  const graph = drawGraph(view, drawn, { pick: selectGroup, title: "progress dependence graph" });
  place.classList.toggle("wide", Number(graph.getAttribute("width")) > halfPage);
  box.replaceChildren(graph);
  fit(box, graph);
}

// fit makes a graph as small as the box, as far as it can be read, and shows the
// part with the least-progressed groups.
function fit(box, graph) {
  const [width, height] = ["width", "height"].map((name) => Number(graph.getAttribute(name)));
  const scale = Math.max(smallest, Math.min(1, box.clientWidth / width, 560 / height));
  graph.setAttribute("width", width * scale);
  graph.setAttribute("height", height * scale);
  const least = graph.querySelector(".node.least");
  if (!least) return;
  const at = least.getBoundingClientRect();
  box.scrollLeft += (at.left + at.right) / 2 - box.getBoundingClientRect().left - box.clientWidth / 2;
}

// nearestShown are the groups that pass the filter, as many as can be looked
// at, those nearest to the least progressed first.
function nearestShown() {
  const list = visibleGroups();
  if (list.length <= maxNodes) return list;
  return list.sort((a, b) => groups[a].far - groups[b].far || groups[b].count - groups[a].count || a - b).slice(0, maxNodes).sort((a, b) => a - b);
}

function undrawn(drawn) {
  const rest = visibleGroups().length - drawn.length;
  const parts = [];
  if (rest > 0) parts.push(`${rest} more groups are listed below and not drawn`);
  if (data.left.groups > 0) parts.push(`${data.left.groups} more are in the JSON form`);
  return parts.length > 0 ? `${parts.join("; ")}.` : "";
}

const edgeStyles = [
  ["collective", "collective"], ["p2p", "point-to-point"], ["inferred", "inferred from the execution history"],
  ["undefined", "order undefined"], ["p2p weak", "weak: may be satisfied already"],
];

function legend() {
  const sample = (kind) => svgEl("svg", { width: 34, height: 10, "aria-hidden": "true" }, svgEl("line", { class: `edge ${kind}`, x1: 1, y1: 5, x2: 33, y2: 5 }));
  return el("ul", { class: "legend", "aria-label": "legend" },
    edgeStyles.map(([kind, words]) => el("li", {}, sample(kind), words)),
    el("li", {}, el("span", { class: "swatch least" }), "least progressed"));
}

// drawGraph lays out the chosen groups of a view and draws them.
function drawGraph(of, chosen, options) {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: "BT", nodesep: 28, ranksep: 46, edgesep: 14, marginx: 12, marginy: 12 });
  graph.setDefaultEdgeLabel(() => ({}));
  const wanted = new Set(chosen);
  const drawn = of.edges.filter((e) => wanted.has(e.from) && wanted.has(e.to)).slice(0, maxDrawn);
  const loops = drawn.filter((e) => e.from === e.to);
  for (const i of chosen) graph.setNode(i, nodeBox(nodeLines(of, i), loops.filter((e) => e.from === i)));
  drawn.filter((e) => e.from !== e.to).forEach((e, n) => graph.setEdge(e.from, e.to, { e, width: textWidth(kindName(e)) + 8, height: 16, labelpos: "c" }, String(n)));
  dagre.layout(graph);
  const { width, height } = graph.graph();
  return svgEl("svg", { class: "pdg", role: "group", "aria-label": options.title, viewBox: `0 0 ${width} ${height}`, width, height },
    arrowHeads(), graph.edges().map((id) => drawEdge(graph.edge(id))), loops.map((e) => drawLoop(e, graph.node(e.from))), chosen.map((i) => drawNode(of, i, graph.node(i), options)));
}

const ruler = document.createElement("canvas").getContext("2d");

function textWidth(text) {
  ruler.font = "13px system-ui, sans-serif";
  return ruler.measureText(text).width;
}

// nodeBox leaves room at both sides for waits of the group for itself.
function nodeBox(texts, loops) {
  const inner = Math.max(120, ...texts.map((t) => textWidth(t) * 1.06)) + 28;
  const side = loops.length > 0 ? 28 + Math.max(...loops.map((e) => textWidth(kindName(e)))) : 0;
  return { inner, width: inner + 2 * side, height: 14 + 18 * texts.length, texts, loops };
}

function nodeLines(of, i) {
  const g = of.groups[i];
  const s = data.states[g.state];
  const at = of === view ? whereIs(i) : s.at;
  const head = g.count > 1 ? `${g.count} ranks: ${shortSet(g.ranks, 26)}` : `rank ${g.ranks}`;
  return [head, s.does, at].filter(Boolean).map((text) => (text.length > 46 ? `${text.slice(0, 45)}…` : text));
}

function drawNode(of, i, box, options) {
  const g = of.groups[i];
  const lines = box.texts.map((text, n) => svgEl("text", { x: box.x, y: box.y - box.height / 2 + 21 + 18 * n, class: n === 0 ? "head" : "" }, text));
  const label = `${box.texts.join(", ")}${g.least ? ", least progressed" : ""}`;
  const act = options.pick && { tabindex: 0, role: "button", onclick: () => options.pick(i), onkeydown: (e) => onEnter(e, () => options.pick(i)) };
  return svgEl("g", { class: `node${g.least ? " least" : ""}`, "data-group": i, "aria-label": label, ...act },
    svgEl("rect", { x: box.x - box.inner / 2, y: box.y - box.height / 2, width: box.inner, height: box.height, rx: 5 }), lines);
}

function onEnter(event, act) {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  act();
}

const drawEdge = ({ e, points, x, y }) => drawWait(e, curve(points), { x, y: y + 4 });

// drawLoop draws a wait of a group for itself at the right of its box.
function drawLoop(e, box) {
  const x = box.x + box.inner / 2;
  const y = box.y + (box.loops.indexOf(e) - (box.loops.length - 1) / 2) * 18;
  return drawWait(e, `M${x},${y + 7} C${x + 22},${y + 12} ${x + 22},${y - 12} ${x},${y - 7}`, { x: x + 20, y: y + 4, "text-anchor": "start" });
}

function drawWait(e, d, at) {
  const end = e.kind === "undefined" ? undefined : `url(#head-${e.kind})`;
  return svgEl("g", { class: "wait" }, svgEl("title", {}, e.reason),
    svgEl("path", { class: `edge ${e.kind}${e.weak ? " weak" : ""}`, d, "marker-end": end }), svgEl("text", { class: "label", ...at }, kindName(e)));
}

// curve goes through the middles of the lines between the points.
function curve(points) {
  const [first, ...rest] = points;
  const middle = (a, b) => `${(a.x + b.x) / 2},${(a.y + b.y) / 2}`;
  const last = rest.pop();
  const bends = rest.map((p, i) => `Q${p.x},${p.y} ${middle(p, rest[i + 1] || last)}`);
  return `M${first.x},${first.y} ${bends.join(" ")} L${last.x},${last.y}`;
}

function arrowHeads() {
  const head = (kind) => svgEl("marker", {
    id: `head-${kind}`, class: `head ${kind}`, viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto",
  }, svgEl("path", { d: "M0,1 L10,5 L0,9 z" }));
  return svgEl("defs", {}, ["collective", "p2p", "inferred"].map(head));
}

// The list has every group, also those that are not drawn.
const listed = 12;

function groupList() {
  return el("table", { class: "groups" },
    el("thead", {}, el("tr", {}, ["", "ranks", "doing", "where"].map((t) => el("th", { scope: "col" }, t)))),
    el("tbody", {}), el("tfoot", {}));
}

let listAll = false;

function refreshList(body) {
  const list = visibleGroups();
  const rows = listAll ? list : list.slice(0, listed);
  body.querySelector("tbody").replaceChildren(...rows.map(groupRow));
  const rest = list.length - rows.length;
  const all = el("button", { type: "button", class: "link", id: "allgroups", onclick: () => { listAll = true; change({}); } }, `${rest} more groups`);
  body.querySelector("tfoot").replaceChildren(...(rest > 0 ? [el("tr", {}, el("td", { colspan: 4 }, all))] : []));
}

function groupRow(i) {
  const pick = el("button", { type: "button", class: "link", onclick: () => selectGroup(i) }, shortSet(groups[i].ranks, 24));
  return el("tr", { class: groups[i].least ? "least" : "", "aria-selected": String(i === state.group) },
    el("td", {}, el("span", { class: "swatch", "data-color": colorOf(i) })), el("td", {}, pick),
    el("td", {}, stateOf(i).does), el("td", {}, whereIs(i) ? code(whereIs(i)) : ""));
}
