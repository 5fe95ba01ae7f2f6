// drawTimeline puts rows over time into an element that is on the page, each drawn on a canvas: the shares of a column are stacked, and
// the time without a processor is a line above.
function drawTimeline(parent, data) {
  const kinds = [["computing", "computing"], ["waiting", "waiting in MPI"], ["io", "I/O"], ["absent", "no samples: stopped, or no processor at all"]];
  const starvedText = "no CPU: ready to run, without a processor (a part of the others)";

  // make makes an element; text is always text.
  function make(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  }

  const rankWord = (set) => (/[,-]/.test(set) ? "ranks" : "rank");

  const timeOf = (column) => new Date(Date.parse(data.begin) + 1000 * data.seconds * column).toISOString().replace("T", " ").slice(0, 19);

  const placeText = (p) => [p.mpi, p.site.function && ` at ${p.site.function}`, p.site.file && ` (${p.site.file.split("/").pop()}:${p.site.line})`].filter(Boolean).join("");

  // describe says in words what a row did in a column.
  function describe(row, at) {
    const when = `${timeOf(at)} UTC, ${data.seconds} s, ${rankWord(row.ranks)} ${row.ranks.slice(0, 60)}`;
    if (row.alive[at] === 0) return `${when}: not running`;
    const shares = [...kinds.map(([k, text]) => [row[k][at], text.split(":")[0]]), [row.starved[at], "no CPU"]].filter(([share]) => share > 0).map(([share, text]) => `${text} ${share}%`);
    const peer = row.waits_for[at];
    const place = row.place[at] >= 0 ? `; most at, or computing after, ${placeText(data.places[row.place[at]])}` : "";
    return `${when}: ${shares.join(", ")}${place}${peer >= 0 ? `; waits for rank ${peer}` : ""}`;
  }

  // drawing prepares a canvas for its size on the screen.
  function drawing(canvas) {
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.max(1, Math.round(canvas.clientWidth * ratio));
    canvas.height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    return canvas.getContext("2d");
  }

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);

  function drawRow(canvas, row, chosen) {
    const g = drawing(canvas);
    const wide = canvas.width / data.columns;
    const colours = Object.fromEntries([...kinds.map(([k]) => k), "starved", "pick"].map((k) => [k, colour(`--${k}`)]));
    for (let i = 0; i < data.columns; i++) {
      let y = canvas.height;
      const x = Math.floor(i * wide);
      const width = Math.ceil((i + 1) * wide) - x;
      for (const [k] of kinds) {
        const high = canvas.height * row[k][i] * row.alive[i] / 10000;
        g.fillStyle = colours[k];
        g.fillRect(x, y - high, width, high);
        y -= high;
      }
      if (row.starved[i] >= 10) {
        g.fillStyle = colours.starved;
        g.fillRect(x, 0, width, Math.max(2, canvas.height * row.starved[i] / 400));
      }
      if (i === chosen) {
        g.strokeStyle = colours.pick;
        g.lineWidth = 2;
        g.strokeRect(x, 1, Math.max(3, width), canvas.height - 2);
      }
    }
  }

  function drawRate(canvas, loop) {
    const g = drawing(canvas);
    const most = Math.max(...loop.rate);
    const wide = canvas.width / data.columns;
    g.fillStyle = colour("--quiet");
    loop.rate.forEach((rate, i) => g.fillRect(Math.floor(i * wide), canvas.height * (1 - rate / most), Math.ceil(wide), 2 * (window.devicePixelRatio || 1) * (rate > 0)));
  }

  const column = make("p", { class: "column", role: "status" }, "Point at a row, or choose one with Tab and a column with the arrow keys.");
  const redraws = [];

  // strip is the canvas of a row.
  function strip(row) {
    let chosen = -1;
    const canvas = make("canvas", { tabindex: "0", role: "img", "aria-label": `${rankWord(row.ranks)} ${row.ranks} over time` });
    const choose = (at) => {
      chosen = Math.min(data.columns - 1, Math.max(0, at));
      column.textContent = describe(row, chosen);
      drawRow(canvas, row, chosen);
    };
    canvas.addEventListener("mousemove", (event) => choose(Math.floor(event.offsetX / canvas.clientWidth * data.columns)));
    canvas.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -data.columns, End: data.columns }[event.key];
      if (by === undefined) return;
      event.preventDefault();
      choose(chosen + by);
    });
    redraws.push(() => drawRow(canvas, row, chosen));
    return canvas;
  }

  function legend() {
    const items = [...kinds, ["starved", starvedText]].map(([kind, text]) => make("li", {}, make("span", { class: `swatch ${kind}` }), text));
    return make("ul", { class: "legend" }, ...items);
  }

  function rowsOverTime() {
    const times = make("div", { class: "times" });
    for (const loop of data.loops.filter((l) => l.rate.some((rate) => rate > 0))) {
      const most = Math.max(...loop.rate);
      const canvas = make("canvas", { class: "rate", role: "img", "aria-label": `iterations per second, at most ${most.toPrecision(3)}` });
      times.append(make("div", { class: "label", title: placeText(data.places[loop.place]) }, `to ${most.toPrecision(3)}/s, iterations`), canvas);
      redraws.push(() => drawRate(canvas, loop));
    }
    for (const row of data.rows) times.append(make("div", { class: "label", title: `${row.ranks} on ${row.hosts.join(", ")}` }, row.count > 1 ? `${row.count} ranks ${row.ranks}` : `rank ${row.ranks}`), strip(row));
    times.append(make("div", {}), make("div", { class: "axis" }, make("span", {}, `${timeOf(0)} UTC`), make("span", {}, timeOf(data.columns))));
    return times;
  }

  const redraw = () => redraws.forEach((draw) => draw());
  parent.append(legend(), column, rowsOverTime());
  window.addEventListener("resize", redraw);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  redraw();
}
