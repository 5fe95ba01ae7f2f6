// What the ranks did in the minutes before the hang.

section({
  id: "timeline",
  title: "Over time",
  short: "Time",
  when: () => data.timeline !== undefined,
  render(body) {
    drawTimeline(body, data.timeline);
  },
});
