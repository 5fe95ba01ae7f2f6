// The filters mean what those of the command line mean. The answer itself is
// never filtered.

function filterBar() {
  const ranks = el("input", { id: "ranks", type: "text", placeholder: "0-3,7", size: 8, autocomplete: "off", spellcheck: "false", oninput: applyFilter });
  const name = el("input", { id: "function", type: "text", placeholder: "part of it", size: 10, autocomplete: "off", spellcheck: "false", oninput: applyFilter });
  const clear = el("button", { type: "button", id: "clear", onclick: clearFilter }, "clear");
  return el("form", { class: "filter", role: "search", "aria-label": "filter", onsubmit: (e) => e.preventDefault() },
    el("label", {}, "ranks ", ranks), el("label", {}, "function ", name), commChoice(), clear,
    el("span", { id: "filtered", role: "status" }));
}

function commChoice() {
  if (data.comms.length === 0) return null;
  const label = (c) => c.name || `${c.world ? "MPI_COMM_WORLD" : c.id} (${countRanks(parseSet(c.ranks))} ranks)`;
  const options = data.comms.map((c) => el("option", { value: c.id }, label(c)));
  const left = data.left.comms > 0 ? el("option", { disabled: true }, `${data.left.comms} more, with --comm`) : null;
  return el("label", {}, "communicator ", el("select", { id: "comm", onchange: applyFilter }, el("option", { value: "" }, "any"), options, left));
}

const input = (id) => document.getElementById(id);

function applyFilter() {
  const field = input("ranks");
  let ranks = null;
  try {
    if (field.value.trim() !== "") ranks = wantedRanks(field.value);
  } catch (error) {
    field.setAttribute("aria-invalid", "true");
    input("filtered").textContent = error.message;
    return;
  }
  field.removeAttribute("aria-invalid");
  const comm = input("comm");
  change({ ranks, name: input("function").value.trim(), comm: comm ? comm.value : "" });
  const n = visibleGroups().length;
  input("filtered").textContent = filtered() ? `${n} of ${groups.length} groups` : "";
}

function wantedRanks(text) {
  const spans = parseSet(text);
  const last = spans[spans.length - 1][1];
  if (last >= data.ranks) throw new Error(`there is no rank ${last}, the run has ranks 0-${data.ranks - 1}`);
  return spans;
}

function clearFilter() {
  input("ranks").value = "";
  input("function").value = "";
  if (input("comm")) input("comm").value = "";
  applyFilter();
}
