// Puts the sections on the page.

function build() {
  const root = document.getElementById("page");
  const present = sections.filter((s) => s.when());
  const links = present.map((s, n) => el("a", { href: `#${s.id}`, title: `key ${n + 1}` }, s.short || s.title));
  const help = el("button", { type: "button", id: "keys", "aria-label": "keys", onclick: () => document.getElementById("help").showModal() }, "?");
  root.append(answer(),
    el("div", { class: "bar" }, el("nav", { "aria-label": "sections" }, links), groups.length > 0 ? filterBar() : null, help),
    el("main", {}, present.map(place)), el("p", { id: "said", class: "unseen", role: "status" }), helpDialog());
  for (const s of present) s.render(s.body);
  change({});
  document.addEventListener("keydown", onKey);
}

function place(s) {
  s.body = el("div", { class: "body" });
  return el("section", { id: s.id, "aria-labelledby": `title-${s.id}` }, el("h2", { id: `title-${s.id}`, tabindex: -1 }, s.title), s.body);
}

build();
