// Elements are made one by one and text is always text: nothing of a run
// directory is ever read as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value);
  }
  node.append(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

const svgEl = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

const code = (text) => el("code", {}, text);

// A set of ranks that fills lines is cut until it is clicked.
function rankSet(text, limit = 120) {
  const short = shortSet(text, limit);
  const node = el("span", { class: "set" }, short);
  if (short === text) return node;
  const all = el("button", {
    type: "button", class: "link", onclick: () => { node.textContent = text; all.remove(); },
  }, "all");
  return el("span", {}, node, " ", all);
}

// say tells a screen reader what a key or a click changed.
function say(text) {
  document.getElementById("said").textContent = text;
}

// sections of the page, in the order they are shown in. A section has an id, a
// title (and a short one for the bar), a test whether there is anything to show (when), a function that fills
// its body once (render), and one that is called after each change of the state
// (refresh), or only when the filter changed (anyGroup).
const sections = [];

function section(description) {
  sections.push(description);
}
