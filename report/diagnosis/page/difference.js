// By what ranks differ that nothing else tells apart.

section({
  id: "difference",
  title: "What they differ in",
  short: "Differences",
  when: () => (data.differences || []).length > 0,
  render(body) {
    body.append(el("table", {}, el("tbody", {}, data.differences.map(differenceRows))));
  },
});

function differenceRows(d) {
  return d.classes.map((c, n) => el("tr", {},
    el("th", { scope: "row" }, n === 0 ? d.what : ""), el("td", {}, c.value), el("td", {}, rankSet(c.ranks))));
}
