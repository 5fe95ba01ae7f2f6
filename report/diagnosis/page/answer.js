// The first screen: which rank, where, since when, who waits, how sure, what is
// missing, what to do next.

function answer() {
  return el("header", {},
    runLine(),
    el("h1", {}, data.headline),
    el("div", { class: "places" }, places()),
    el("dl", { class: "facts" }, facts().map(([term, value]) => [el("dt", {}, term), el("dd", {}, value)])));
}

function runLine() {
  const r = data.run;
  const parts = [["run ", code(r.dir)], r.command && [code(r.command)], r.job && ["job ", r.job], r.created && [time(r.created)]];
  return el("p", { class: "run" }, el("b", {}, "laggard"), parts.filter(Boolean).map((part) => [" · ", ...part]));
}

const time = (iso) => iso.replace("T", " ").replace(/(\.\d+)?Z$/, " UTC");

const maxPlaces = 4;

function places() {
  const list = view.least ? view.least.places : [];
  const out = list.slice(0, maxPlaces).map((p) => el("p", { class: "where" }, list.length > 1 || p.ranks !== view.least.set ? `${named(p.ranks)} ` : "", marked(p.doing, p.place)));
  if (list.length > maxPlaces) out.push(el("p", { class: "where" }, `… and ${list.length - maxPlaces} more places`));
  return out;
}

// marked sets the place in a sentence apart.
function marked(sentence, place) {
  const at = sentence.indexOf(place);
  if (place === "" || at < 0) return [sentence];
  return [sentence.slice(0, at), el("strong", {}, code(place)), sentence.slice(at + place.length)];
}

function facts() {
  const all = [
    ["Since", since()], ["Exceptions", lines(data.exceptions || [])], ["Deadlock", lines(data.cycles)],
    ["Messages", lines(data.taken)], ["Waiting", waiting()], ["How sure", sure()],
    ["Lost", lines(data.loss_lines)], ["Record", record()], ["Note", lines(data.notes)], ["Next", next()],
  ];
  return all.filter(([, value]) => value);
}

const lines = (list) => (list.length > 0 ? list.map((text) => el("p", {}, text)) : null);

function since() {
  const texts = view.least ? view.least.places.slice(0, maxPlaces).map((p) => p.process).filter(Boolean) : [];
  return lines(texts);
}

// waiting tells who waits for the least progressed; in a deadlock, first those
// outside of it.
function waiting() {
  const direct = view.edges.filter((e) => groups[e.to].least && e.kind !== "undefined").sort((a, b) => groups[a.from].least - groups[b.from].least);
  if (direct.length === 0) return null;
  const waiters = joinSpans(direct.filter((e) => e.from !== e.to).flatMap((e) => spansOf[e.from].map((s) => [...s])));
  const several = el("p", {}, `${countRanks(waiters)} of ${data.ranks} ranks wait directly:`);
  return [direct.length > 1 && waiters.length > 0 ? several : null, direct.slice(0, maxPlaces).map(waitLine), more(direct.length - maxPlaces)];
}

const more = (n) => (n > 0 ? el("p", { class: "quiet" }, `… and ${n} more, under each group`) : null);

function waitLine(e) {
  const self = e.from === e.to;
  return el("p", {},
    groupLink(e.from), self ? " wait among themselves, " : [` ${groups[e.from].count > 1 ? "wait" : "waits"} for `, groupLink(e.to), ", "],
    el("span", { class: `kind ${e.kind}` }, kindName(e)),
    el("span", { class: "reason" }, e.reason));
}

const kindName = (e) => (e.weak ? `${e.kind}, weak` : e.kind);

const groupLink = (i, limit = 60) => el("button", { type: "button", class: "link", onclick: () => selectGroup(i) }, nameOf(i, limit));

function sure() {
  const l = view.least;
  if (!l) return null;
  const same = data.compared ? `; ${data.compared.algorithm} ${data.same ? "says the same" : "differs, see Algorithms"}` : "";
  return el("p", {},
    `${l.confidence.toFixed(2)}, by ${l.method}`,
    l.reason ? `: ${l.reason}` : "", same);
}

function record() {
  if (data.ranks === 0) return null;
  if (!data.damaged && data.problems.length === 0) return el("p", {}, "read without a problem");
  const what = data.damaged ? `missing or damaged data of ${named(data.damaged)}` : `${data.problems.length + data.left.problems} problems with the data`;
  return el("p", {}, what, "; the rest was used. ", el("a", { href: "#record" }, "details"));
}

function next() {
  const n = data.next;
  if (!n) return null;
  const lead = `${n.when.replace(/^, /, "")}${n.host ? `${n.when ? ", " : ""}on ${n.host}` : ""}`;
  const copy = el("button", { type: "button", id: "copy", onclick: () => copyText(n.command, copy) }, "copy");
  return el("p", {}, lead ? `${lead}: ` : "", n.aim, el("code", { class: "command" }, n.command), n.also, " ", copy);
}

// copyText works in a page from a file too, where the clipboard of the navigator
// may ask for leave, or never answer.
async function copyText(text, button) {
  const area = el("textarea", { class: "unseen" }, text);
  document.body.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  if (!copied) await navigator.clipboard.writeText(text);
  button.textContent = "copied";
  say(`copied: ${text}`);
}
