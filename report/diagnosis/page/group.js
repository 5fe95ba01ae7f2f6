// What is known of the selected group.

function selectGroup(i) {
  change({ group: i });
  say(`${nameOf(i)}: ${stateOf(i).does} ${whereIs(i)}`);
}

// moveGroup goes through the groups that pass the filter.
function moveGroup(by) {
  const list = visibleGroups();
  if (list.length === 0) return;
  const at = list.indexOf(state.group);
  selectGroup(list[at < 0 ? 0 : (at + by + list.length) % list.length]);
}

section({
  id: "group",
  title: "The group",
  short: "Group",
  when: () => groups.length > 0,
  render() {},
  refresh(body) {
    const i = state.group;
    body.replaceChildren(groupTitle(i), el("dl", { class: "facts" }, groupFacts(i).map(([term, value]) => [el("dt", {}, term), el("dd", {}, value)])), ...stackLists(i));
  },
});

function groupTitle(i) {
  const mark = groups[i].least ? el("span", { class: "tag least" }, "least progressed") : null;
  const hidden = shown(i) ? null : el("span", { class: "tag" }, "outside the filter");
  return el("h3", { id: "groupname" }, groups[i].count > 1 ? `${groups[i].count} ranks` : `Rank ${groups[i].ranks}`, " ", mark, hidden);
}

function groupFacts(i) {
  const s = stateOf(i);
  const places = placesOf(i);
  const doing = places.length > 0 ? places.map((p) => el("p", {}, places.length > 1 ? `${named(p.ranks)}: ` : "", marked(p.doing, p.place))) : el("p", {}, s.does, s.at ? [" in ", code(s.at)] : "");
  const all = [["Ranks", groups[i].count > 1 ? rankSet(groups[i].ranks) : null], ["Doing", doing], ["Waits for", waits(i, "from", "to")], ["Awaited by", waits(i, "to", "from")], ["Trouble", trouble(i)]];
  return all.filter(([, value]) => value);
}

// trouble says which ranks of the group are lost, damaged or unfinished.
function trouble(i) {
  const parts = [["lost", data.lost], ["damaged", data.damaged], ["unfinished", data.unfinished]]
    .map(([word, set]) => [word, setText(meet(parseSet(set), spansOf[i]))]).filter(([, set]) => set !== "");
  return parts.length > 0 ? parts.map(([word, set]) => el("p", {}, `${word}: ${named(set)}`)) : null;
}

const maxWaits = 8;

function waits(i, here, there) {
  const list = view.edges.filter((e) => e[here] === i && (e.from !== e.to || here === "from"));
  if (list.length === 0) return null;
  const line = (e) => el("p", {}, e.from === e.to ? "each other" : groupLink(e[there]), ", ", el("span", { class: `kind ${e.kind}` }, kindName(e)), el("span", { class: "reason" }, e.reason));
  return [...list.slice(0, maxWaits).map(line), list.length > maxWaits ? el("p", { class: "quiet" }, `… and ${list.length - maxWaits} more`) : null];
}

function stackLists(i) {
  const places = placesOf(i);
  const last = stateOf(i).stack;
  const lists = places.slice(0, maxPlaces).map((p) => stackList(places.length > 1 ? `Stack of ${named(p.ranks, 30)}` : "Stack", p.stack));
  if (!places.some((p) => p.stack === last)) lists.push(stackList(places.length > 0 ? "Stack of the last MPI call" : "Stack", last));
  if (data.left.frames > 0) lists.push(el("p", { class: "quiet" }, `${data.left.frames} frames of all stacks had no room in the page.`));
  return lists.filter(Boolean);
}

function stackList(title, stack) {
  const frames = data.stacks[stack];
  if (frames.length === 0) return null;
  return el("div", { class: "stack" }, el("h4", {}, title), el("ol", {}, frames.map(frameLine)));
}

function frameLine(index) {
  const f = data.frames[index];
  const where = f.line ? [" ", fileLine(f)] : ` ${baseName(data.modules[f.module])}`;
  return el("li", {}, el("span", { class: f.line ? "" : "system" }, code(data.names[f.name]), where),
    f.inlined ? el("span", { class: "quiet" }, " inlined") : "", f.note ? el("span", { class: "quiet" }, ` ${f.note}`) : "");
}

function fileLine(f) {
  const where = `${baseName(data.files[f.file])}:${f.line}`;
  if (!hasSource(f.file, f.line)) return el("span", { class: "at", title: data.files[f.file] }, where);
  return el("button", { type: "button", class: "link at", title: data.files[f.file], onclick: () => goToLine(f.file, f.line) }, where);
}

const baseName = (path) => path.slice(path.lastIndexOf("/") + 1);
