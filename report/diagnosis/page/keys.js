// Everything can be done from the keyboard.

const keys = [
  ["j", "next group", () => moveGroup(1)],
  ["k", "previous group", () => moveGroup(-1)],
  ["l", "the least progressed group", () => selectGroup(Math.max(0, groups.findIndex((g) => g.least)))],
  ["n", "add the next group's slice", () => step(1)],
  ["b", "back: take the last slice away", () => step(-1)],
  ["/", "filter by ranks", () => input("ranks").focus()],
  ["x", "clear the filter", clearFilter],
  ["c", "copy the next command", () => { const copy = document.getElementById("copy"); if (copy) copy.click(); }],
  ["?", "these keys", () => document.getElementById("help").showModal()],
];

function helpDialog() {
  const row = (key, words) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, words)];
  return el("dialog", { id: "help", "aria-label": "keys" }, el("h2", {}, "Keys"),
    el("dl", { class: "keys" }, keys.map(([key, words]) => row(key, words)), row("1 … 9", "go to a section"), row("arrows", "move among the ranks, once the cells have the focus"), row("Tab, Enter", "everything else")),
    el("form", { method: "dialog" }, el("button", {}, "close")));
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("input, select, textarea")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (document.getElementById("help").open) return;
  const found = keys.find(([key]) => key === event.key);
  if (found && (groups.length > 0 || event.key === "?")) {
    event.preventDefault();
    found[2]();
  }
  if (/^[1-9]$/.test(event.key)) goToSection(Number(event.key) - 1);
}

function goToSection(n) {
  const target = sections.filter((s) => s.body)[n];
  if (target) target.body.parentElement.querySelector("h2").focus();
}
