// The wrong use of MPI that explains the hang, of a run that recorded its calls.

section({
  id: "explained",
  title: "What the program does wrongly",
  short: "Wrong use",
  when: () => (data.explained || []).length > 0,
  render(body) {
    for (const line of data.explained) body.append(el("p", {}, line));
  },
});
