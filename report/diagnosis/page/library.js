// What ranks do inside the MPI library, where all calls match and nothing moves, and the
// public issues that this looks like.

section({
  id: "library",
  title: "Inside the library",
  short: "Library",
  when: () => data.library,
  render(body) {
    const { title, stacks, left, known } = data.library;
    body.append(el("p", {}, title), el("table", {}, el("tbody", {}, stacks.map((s) => el("tr", {},
      el("th", { scope: "row" }, rankSet(s.ranks)), el("td", {}, code(s.names.join(" < "))))))));
    if (left > 0) body.append(el("p", { class: "quiet" }, `${left} more stacks are in the JSON form.`));
    for (const issue of known) body.append(knownIssue(issue));
  },
});

// The page refers to nothing outside it, so the reference is no link.
function knownIssue({ title, reference, workaround, why }) {
  return el("div", {}, el("p", {}, "This looks like a known issue: ", el("strong", {}, title)),
    el("p", {}, code(reference)), el("p", {}, `In common: ${why.join("; ")}`), workaround && el("p", {}, `Try: ${workaround}`));
}
