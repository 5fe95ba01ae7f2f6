// What the record lacks: lost, damaged and unfinished ranks, and each problem.

section({
  id: "record",
  title: "Missing and damaged",
  short: "Record",
  when: () => [data.lost, data.damaged, data.unfinished].some(Boolean) || data.problems.length > 0,
  render(body) {
    const rows = [...data.losses.map((l) => ["lost", l.ranks, l.reason]), data.damaged && ["damaged", data.damaged, "data missing or damaged, the rest was used"], data.unfinished && ["unfinished", data.unfinished, "had not come to MPI_Finalize when last seen, although others had"]].filter(Boolean);
    if (rows.length > 0) body.append(el("table", {}, el("tbody", {}, rows.map(([word, set, why]) => el("tr", {}, el("th", { scope: "row" }, word), el("td", {}, rankSet(set)), el("td", {}, why))))));
    if (data.problems.length > 0) body.append(el("ul", { class: "problems" }, data.problems.map((p) => el("li", {}, p))));
    if (data.left.problems > 0) body.append(el("p", { class: "quiet" }, `${data.left.problems} more problems are in the JSON form.`));
  },
});
