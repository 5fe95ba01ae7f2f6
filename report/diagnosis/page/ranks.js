// Rank sets, written as on the command line: "0-3,7". In memory they are
// ascending spans [first, last] that do not touch.

function parseSet(text) {
  if (text.trim() === "") return [];
  return joinSpans(text.split(",").map((piece) => parseSpan(piece.trim())));
}

function parseSpan(piece) {
  const match = /^(\d+)(?:-(\d+))?$/.exec(piece);
  if (!match) throw new Error(`“${piece.slice(0, 40)}” is not a rank or range of ranks such as 3 or 0-7`);
  const first = Number(match[1]);
  const last = match[2] === undefined ? first : Number(match[2]);
  if (first > last) throw new Error(`“${piece.slice(0, 40)}” ends before it starts`);
  return [first, last];
}

function joinSpans(spans) {
  const out = [];
  for (const [first, last] of spans.sort((a, b) => a[0] - b[0])) {
    const end = out[out.length - 1];
    if (end && first <= end[1] + 1) end[1] = Math.max(end[1], last);
    else out.push([first, last]);
  }
  return out;
}

function meet(a, b) {
  const out = [];
  for (let i = 0, k = 0; i < a.length && k < b.length;) {
    const first = Math.max(a[i][0], b[k][0]);
    const last = Math.min(a[i][1], b[k][1]);
    if (first <= last) out.push([first, last]);
    if (a[i][1] < b[k][1]) i++;
    else k++;
  }
  return out;
}

const countRanks = (spans) => spans.reduce((sum, [first, last]) => sum + last - first + 1, 0);

const setText = (spans) => spans.map(([a, b]) => (a === b ? `${a}` : `${a}-${b}`)).join(",");

// shortSet cuts a set at a comma and says how many ranks it has. The set may have
// been cut before.
function shortSet(text, limit) {
  if (text.length <= limit) return text;
  const before = /… \((\d+)\)$/.exec(text);
  const cut = text.lastIndexOf(",", limit);
  return `${text.slice(0, Math.max(0, cut))},… (${before ? before[1] : countRanks(parseSet(text))})`;
}

const rankWord = (text) => (/[,-]/.test(text) ? "ranks" : "rank");

const named = (text, limit = 60) => `${rankWord(text)} ${shortSet(text, limit)}`;
