// Where the members of a communicator part: who did what instead of what the others
// did, what they did last in common, and the branch that decided.

section({
  id: "parting",
  title: "First divergence",
  short: "Parting",
  when: () => (data.partings || []).length > 0,
  render(body) {
    for (const p of data.partings) {
      body.append(el("p", {}, p.where), partingTable(p));
      (p.branches ?? []).forEach((b, i) => body.append(el("p", {}, i ? "or at " : "Decided at ",
        el("strong", {}, code(b.at)), b.text && ": ", b.text && code(b.text))));
    }
    if (data.left.partings > 0) body.append(el("p", { class: "quiet" }, `${data.left.partings} more communicators are in the JSON form.`));
  },
});

function partingTable(p) {
  const rows = [...p.sides];
  if (p.then) rows.unshift({ ranks: "", how: "then matching, from different places", calls: p.then });
  if (p.last) rows.unshift({ ranks: "", how: "last in common", calls: [p.last] });
  return el("table", {}, el("tbody", {}, rows.map((side) => el("tr", {},
    el("th", { scope: "row" }, side.ranks ? rankSet(side.ranks) : "all"), el("td", {}, side.how),
    el("td", {}, side.calls.map((call) => el("p", {}, code(call))))))));
}
