// Why it got there: the slices of the groups, added one by one in the order of
// the graph, over the source text around the stacks.

const kinds = { data: ["D", "computes a value that is used"], control: ["C", "decides whether a line runs"], call: ["F", "calls, or passes an argument"], communication: ["M", "sends what was received"] };

const farLines = 300; // more lines of the slices, at each click
let nearLines = 30; // that are shown

section({
  id: "source",
  title: "Source, and why it got there",
  short: "Source",
  when: () => data.slices.length > 0 || data.sources.length > 0,
  render(body) {
    if (data.slices.length > 0) body.append(stepper());
    body.append(el("div", { id: "text" }), kindLegend());
    if (sourceText.size > 0) body.append(textOf());
  },
  refresh(body) {
    if (data.slices.length > 0) refreshStepper(body);
    body.querySelector("#text").replaceChildren(...sourceBlocks());
  },
});

function stepper() {
  return el("div", { class: "stepper" },
    el("button", { type: "button", id: "back", onclick: () => step(-1) }, "back"),
    el("button", { type: "button", id: "next", onclick: () => step(1) }, "next"),
    el("span", { id: "step", role: "status" }), el("ol", { id: "steps" }, data.slices.map((s) => el("li", {}, s.text || named(s.ranks)))),
    el("div", { id: "stepnotes", class: "quiet" }));
}

// step adds the slice of the next group to the union, or takes the last away.
function step(by) {
  if (data.slices.length === 0) return;
  const steps = Math.min(data.slices.length, Math.max(0, state.steps + by));
  const at = data.slices[Math.max(0, steps - 1)].group;
  change(at >= 0 ? { steps, group: at } : { steps });
}

function refreshStepper(body) {
  const n = data.slices.length;
  body.querySelector("#back").disabled = state.steps === 0;
  body.querySelector("#next").disabled = state.steps === n;
  body.querySelector("#step").textContent = `${state.steps} of ${n} slices, ${union().size} lines`;
  body.querySelectorAll("#steps li").forEach((item, i) => item.classList.toggle("taken", i < state.steps));
  body.querySelector("#stepnotes").replaceChildren(...stepNotes());
}

function stepNotes() {
  const texts = new Set();
  for (const s of data.slices.slice(0, state.steps)) {
    if (s.truncated) texts.add(`the slice of ${named(s.ranks)} is not complete`);
    s.notes.filter((n) => !saidOfFile(n)).forEach((n) => texts.add(n));
  }
  if (data.left.lines > 0) texts.add(`${data.left.lines} lines are in the JSON form only`);
  return [...texts].slice(0, 6).map((t) => el("p", {}, t));
}

// What is said of a changed file stands above its text.
const saidOfFile = (note) => data.changed.some((file) => note.startsWith(`${data.files[file]} was changed`));

// text maps a file to its lines, as far as the page has them.
const sourceText = new Map();
for (const e of data.sources) {
  if (!sourceText.has(e.file)) sourceText.set(e.file, new Map());
  e.text.forEach((line, i) => sourceText.get(e.file).set(e.first + i, line));
}

const hasSource = (file, line) => sourceText.has(file) && sourceText.get(file).has(line);

// textOf names the files, for whoever hands the page on.
function textOf() {
  const files = [...sourceText].map(([file, lines]) => el("li", {}, `${data.files[file]}, ${lines.size} lines`));
  return el("details", { class: "quiet", id: "textof" }, el("summary", {}, `The page has source text of ${files.length === 1 ? "one file" : `${files.length} files`}`), el("ul", {}, files));
}

// marksByFile collects what there is to say of lines: file to line to mark.
function marksByFile() {
  const files = new Map();
  const at = (file, line) => {
    if (!files.has(file)) files.set(file, new Map());
    if (!files.get(file).has(line)) files.get(file).set(line, {});
    return files.get(file).get(line);
  };
  for (const stack of stacksOf(state.group)) {
    for (const f of data.stacks[stack].map((index) => data.frames[index])) if (hasSource(f.file, f.line)) at(f.file, f.line).frame = f;
  }
  const lines = [...union().values()].sort((a, b) => a.distance - b.distance);
  for (const l of lines.slice(0, nearLines)) at(l.file, l.line).slice = l;
  return { files, rest: Math.max(0, lines.length - nearLines) };
}

function sourceBlocks() {
  const { files, rest } = marksByFile();
  const blocks = [...files].map(([file, marks]) => sourceBlock(file, marks));
  if (rest > 0) blocks.push(el("button", { type: "button", id: "alllines", onclick: () => { nearLines += farLines; change({}); } }, `${rest} more lines, farther away`));
  if (data.left.source > 0) blocks.push(el("p", { class: "quiet" }, `${data.left.source} lines of text had no room in the page.`));
  return blocks.length > 0 ? blocks : [el("p", { class: "quiet" }, "The page has no source text for this group.")];
}

const around = 3; // lines of context

function sourceBlock(file, marks) {
  const numbers = new Set();
  for (const line of marks.keys()) for (let n = line - around; n <= line + around; n++) if (marks.has(n) || hasSource(file, n)) numbers.add(n);
  const rows = [];
  let before = null;
  for (const n of [...numbers].sort((a, b) => a - b)) {
    if (before !== null && n > before + 1) rows.push(el("tr", { class: "gap" }, el("td", { colspan: 3 }, "⋯")));
    rows.push(sourceRow(file, n, marks.get(n) || {}));
    before = n;
  }
  return el("table", { class: "source" }, el("caption", {}, data.files[file], data.changed.includes(file) ? " (changed after the run began; may not be what was compiled)" : ""), el("tbody", {}, rows));
}

function sourceRow(file, n, mark) {
  const s = mark.slice;
  const newest = s && s.step === state.steps - 1 && state.steps > 1;
  const text = hasSource(file, n) ? sourceText.get(file).get(n) : `(no text) ${data.names[(s || mark.frame).name] || ""}`;
  const said = [mark.frame ? "on the stack" : "", s ? `${s.kind}, distance ${s.distance}` : ""].filter(Boolean).join("; ");
  return el("tr", { id: `line-${file}-${n}`, class: `${s ? s.kind : ""}${mark.frame ? " frame" : ""}${newest ? " newest" : ""}`, title: said || null },
    el("td", { class: "number" }, String(n)),
    el("td", { class: "mark", "aria-label": said || null }, s ? (kinds[s.kind] || ["?"])[0] : "", mark.frame ? "▸" : ""),
    el("td", { class: "text" }, text, s && s.now ? el("span", { class: "quiet" }, s.now) : ""));
}

function kindLegend() {
  const list = data.slices.length > 0 ? Object.entries(kinds).map(([kind, [letter, words]]) => el("li", {}, el("span", { class: `letter ${kind}` }, letter), words)) : [];
  const held = data.slices.some((slice) => slice.lines.some((line) => line[6])) ? el("li", {}, el("span", { class: "letter" }, "<-"), "values when the rank was examined") : "";
  return el("ul", { class: "legend" }, list, el("li", {}, el("span", { class: "letter" }, "▸"), "on the stack"), held);
}

function goToLine(file, line) {
  const row = document.getElementById(`line-${file}-${line}`);
  if (!row) return;
  row.scrollIntoView({ block: "center" });
  row.classList.add("found");
  setTimeout(() => row.classList.remove("found"), 1500);
}
