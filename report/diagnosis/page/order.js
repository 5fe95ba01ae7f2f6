// The ranks by progress.

const maxLevels = 20;
let allLevels = false;

section({
  id: "order",
  title: "Progress, least first",
  short: "Progress",
  anyGroup: true,
  when: () => view.order.length > 0,
  render(body) {
    body.append(el("ol", { class: "levels" }));
  },
  refresh(body) {
    const wanted = filtered() ? joinSpans(visibleGroups().flatMap((i) => spansOf[i].map((s) => [...s]))) : null;
    const levels = view.order.map((level, n) => [n, level, inLevel(level, wanted)]).filter(([, , spans]) => spans.length > 0);
    const list = allLevels ? levels : levels.slice(0, maxLevels);
    body.querySelector("ol").replaceChildren(...list.map(([n, level, spans]) => el("li", { value: n + 1 }, levelText(level, spans))), ...restOfLevels(levels.length - list.length));
  },
});

// A level is a set, or the position of a group that is all of it. inLevel are its
// ranks that are wanted, null: all.
function inLevel(level, wanted) {
  const spans = typeof level === "number" ? spansOf[level] : parseSet(level);
  return wanted === null ? spans : meet(spans, wanted);
}

function levelText(level, spans) {
  const there = typeof level === "number" ? [level] : groups.map((_, i) => i).filter((i) => meet(spansOf[i], spans).length > 0);
  const where = there.slice(0, 3).map((i) => whereIs(i) || stateOf(i).does);
  return [rankSet(setText(spans), 60), el("span", { class: "quiet" }, ` ${[...new Set(where)].join("; ")}${there.length > 3 ? `; … (${there.length} groups)` : ""}`)];
}

function restOfLevels(rest) {
  const out = [];
  if (rest > 0) out.push(el("li", { class: "rest" }, el("button", { type: "button", class: "link", id: "alllevels", onclick: () => { allLevels = true; change({}); } }, `${rest} more levels`)));
  else if (data.left.order > 0) out.push(el("li", { class: "rest" }, `${data.left.order} more levels are in the JSON form`));
  return out;
}
