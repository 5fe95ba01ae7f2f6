// What the page shows, and what the reader chose.

const data = JSON.parse(document.getElementById("data").textContent);
data.frames = data.frames.map(([name, file, line, module, note, inlined]) => ({ name, file, line, module, note: data.names[note], inlined: inlined === 1 }));
const view = data.view;
const groups = view.groups;

const state = {
  group: Math.max(0, groups.findIndex((g) => g.least)), // selected
  steps: data.slices.length > 0 ? 1 : 0, // slices in the union
  ranks: null, // spans of the filter, null: all
  name: "", // of a function
  comm: "", // id of a communicator
};

// change sets a part of the state and lets the sections follow: all but those
// that show the same whatever group is chosen.
function change(part) {
  Object.assign(state, part);
  const chosen = "group" in part || "steps" in part;
  for (const s of sections) if (s.refresh && s.body && !(chosen && s.anyGroup)) s.refresh(s.body);
}

const spansOf = groups.map((g) => parseSet(g.ranks));

// shown tells, as the filters of the command line do, whether a group has one of
// the wanted ranks; a function is wanted if a frame of the group's stacks has it
// in its name.
function shown(i) {
  let wanted = spansOf[i];
  if (state.ranks) wanted = meet(wanted, state.ranks);
  if (state.comm) wanted = meet(wanted, members(state.comm));
  return wanted.length > 0 && (state.name === "" || stacksOf(i).some(hasName));
}

const members = (id) => parseSet((data.comms.find((c) => c.id === id) || { ranks: "" }).ranks);

const hasName = (stack) => data.stacks[stack].some((f) => data.names[data.frames[f].name].includes(state.name));

const filtered = () => state.ranks !== null || state.comm !== "" || state.name !== "";

// placesOf lists where the ranks of a least-progressed group are.
const placesOf = remembered((i) => {
  if (!groups[i].least || !view.least) return [];
  return view.least.places.filter((p) => meet(parseSet(p.ranks), spansOf[i]).length > 0);
});

// remembered works out once what is known of a group.
function remembered(of) {
  const known = new Map();
  return (i) => {
    if (!known.has(i)) known.set(i, of(i));
    return known.get(i);
  };
}

const stateOf = (i) => data.states[groups[i].state];

// stacksOf lists the captured stacks of a group and that of its last MPI call.
const stacksOf = remembered((i) => [...new Set([...placesOf(i).map((p) => p.stack), stateOf(i).stack])]);

// whereIs says in a few words where a group is.
function whereIs(i) {
  const places = placesOf(i);
  if (places.length > 1) return `${places[0].place} and ${places.length - 1} more`;
  return places.length === 1 ? places[0].place : stateOf(i).at;
}

const nameOf = (i, limit = 60) => named(groups[i].ranks, limit);

const visibleGroups = () => groups.map((_, i) => i).filter(shown);

// union adds up the slices of the steps taken: "file line" to what is known of
// the line.
function union() {
  const lines = new Map();
  data.slices.slice(0, state.steps).forEach((slice, step) => {
    for (const [file, line, name, distance, kind, , now] of slice.lines) {
      const key = `${file} ${line}`;
      const known = lines.get(key);
      if (!known) lines.set(key, { file, line, name, distance, kind, step, now });
      else if (distance < known.distance) Object.assign(known, { distance, kind });
    }
  });
  return lines;
}
