// The end of an event follows its start, and says so.
"use strict";

for (const form of document.querySelectorAll("form[data-times]")) {
  const input = (name) => form.querySelector(`[name=${name}]`);
  // Dates and times without a zone are read as if they were in UTC, which has no gaps.
  const instant = (day, clock) => Date.parse(`${day}T${clock || "00:00"}Z`);
  const start = () => instant(input("start_time").value, input("start_clock").value);
  const iso = (moment) => new Date(moment).toISOString();
  const moved = form.querySelector("[data-moved]");
  let last = start();
  form.addEventListener("filled", () => { last = start(); });
  form.addEventListener("change", (event) => {
    moved.textContent = "";
    if (!["start_time", "start_clock"].includes(event.target.name) || !Number.isFinite(start())) return;
    const [day, clock] = [input("end_time"), input("end_clock")];
    // An end without a date is on the first day.
    const end = instant(day.value || (Number.isFinite(last) ? iso(last).slice(0, 10) : ""), clock.value) + start() - last;
    if (Number.isFinite(end) && end !== instant(day.value || input("start_time").value, clock.value) && (day.value || clock.value)) {
      const [endDay, time] = iso(end).split("T");
      day.value = endDay === input("start_time").value ? "" : endDay;
      if (clock.value) clock.value = time.slice(0, 5);
      moved.textContent = moved.dataset.moved;
    }
    last = start();
  });
}
