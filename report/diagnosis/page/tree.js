// The stacks of all groups as one tree, outermost frame first.

const openNodes = 40; // shown until the reader asks for more
let allNodes = false;

section({
  id: "stacks",
  title: "Stacks",
  anyGroup: true,
  when: () => data.tree.children.length > 0,
  render(body) {
    body.append(el("div", { id: "tree" }));
  },
  refresh(body) {
    const room = { left: allNodes ? Infinity : openNodes, cut: 0 };
    const list = treeList(data.tree.children, new Set(visibleGroups()), room);
    body.querySelector("#tree").replaceChildren(list || el("p", { class: "quiet" }, "No stack passes the filter."), ...restOfTree(room.cut));
  },
});

const partSpans = data.parts.map((p) => (p.ranks === "" ? spansOf[p.group] : parseSet(p.ranks)));

// Each node knows the parts that go through it.
function spread(node) {
  node.through = node.ends.concat(node.children.flatMap(spread));
  return node.through;
}

spread(data.tree);

// treeList shows the nodes that a wanted group goes through. Calls that all the
// same ranks go through share a line.
function treeList(nodes, wanted, room) {
  const items = [];
  for (const node of nodes) {
    const through = node.through.filter((p) => wanted.has(data.parts[p].group));
    if (through.length === 0) continue;
    if (room.left <= 0) {
      room.cut++;
      continue;
    }
    room.left--;
    const chain = chainFrom(node, through.length, wanted);
    items.push(el("li", {}, treeLine(chain, through), treeList(chain[chain.length - 1].children, wanted, room)));
  }
  return items.length > 0 ? el("ul", {}, items) : null;
}

function chainFrom(node, ranks, wanted) {
  const chain = [node];
  for (;;) {
    const on = node.children.filter((child) => child.through.some((p) => wanted.has(data.parts[p].group)));
    if (on.length !== 1 || on[0].through.filter((p) => wanted.has(data.parts[p].group)).length < ranks) return chain;
    [node] = on;
    chain.push(node);
  }
}

function treeLine(chain, through) {
  const spans = joinSpans(through.flatMap((p) => partSpans[p].map((s) => [...s])));
  const own = [...new Set(through.map((p) => data.parts[p].group))];
  const set = shortSet(setText(spans), 30);
  const pick = own.length === 1 ? el("button", { type: "button", class: "link", onclick: () => selectGroup(own[0]) }, set) : set;
  const least = own.every((i) => groups[i].least);
  const calls = chain.map((node, n) => [n > 0 ? el("span", { class: "quiet" }, " › ") : "", code(node.text)]);
  return el("div", { class: `call${least ? " least" : ""}` }, el("span", {}, calls), el("span", { class: "quiet" }, `${countRanks(spans)}: `, pick));
}

function restOfTree(n) {
  if (n > 0) return [el("button", { type: "button", class: "link", id: "alltree", onclick: () => { allNodes = true; change({}); } }, "the rest of the tree")];
  return data.left.tree > 0 ? [el("p", { class: "quiet" }, `${data.left.tree} deeper branches are in the JSON form.`)] : [];
}
