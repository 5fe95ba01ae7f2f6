// The page of a timeline: the rows, and what is said of the run.

const data = JSON.parse(document.getElementById("data").textContent);

function list(title, texts) {
  if (texts.length === 0) return [];
  const heading = document.createElement("h2");
  heading.textContent = title;
  const items = document.createElement("ul");
  items.className = "events";
  items.append(...texts.map((text) => {
    const item = document.createElement("li");
    item.textContent = text;
    return item;
  }));
  return [heading, items];
}

const page = document.getElementById("page");
drawTimeline(page, data);
page.append(...list("Events", data.events.map((e) => e.text)), ...list("Notes", data.notes), ...list("Missing and damaged", data.problems));
