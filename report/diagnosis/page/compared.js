// What the two algorithms say of the run, side by side.

section({
  id: "algorithms",
  title: "Algorithms",
  when: () => data.compared !== null,
  render(body) {
    const both = [view, data.compared];
    const row = (title, cell) => el("tr", {}, el("th", { scope: "row" }, title), both.map((v) => el("td", {}, cell(v))));
    body.append(
      el("p", {}, data.same ? "Both name the same ranks." : "They name different ranks."),
      el("table", { class: "compared" }, el("thead", {}, el("tr", {}, el("td", {}), both.map((v) => el("th", { scope: "col" }, v.algorithm)))),
        el("tbody", {}, row("Least progressed", leastCell), row("How sure", sureCell), row("Because", (v) => (v.least ? v.least.reason : "")),
          row("Edges", edgeCell), row("Progress, least first", orderCell), row("Graph", graphCell))));
  },
});

const leastCell = (v) => (v.least ? shortSet(v.least.set, 300) : "none");

const sureCell = (v) => (v.least ? `${v.least.confidence.toFixed(2)}, by ${v.least.method}` : "");

function edgeCell(v) {
  const counts = new Map();
  for (const e of v.edges) counts.set(e.kind, (counts.get(e.kind) || 0) + 1);
  return [...counts].map(([kind, n]) => `${n} ${kind}`).join(", ") || "none";
}

const orderCell = (v) => el("ol", { class: "levels" }, v.order.slice(0, 6).map((level) => el("li", {}, shortSet(typeof level === "number" ? v.groups[level].ranks : level, 40))), v.order.length > 6 ? el("li", { class: "rest" }, `${v.order.length - 6} more levels`) : null);

const maxSmall = 12; // groups drawn side by side

const graphCell = (v) => el("div", { class: "canvas small" }, drawGraph(v, v.groups.map((_, i) => i).slice(0, maxSmall), { title: `graph by ${v.algorithm}` }));
