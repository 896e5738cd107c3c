// The end of an event follows its start, and says so; and when it is, in words, because date fields follow the browser's language.
"use strict";

for (const form of document.querySelectorAll("form[data-times]")) {
  const input = (name) => form.querySelector(`[name=${name}]`);
  // Dates and times without a zone are read as if they were in UTC, which has no gaps.
  const instant = (day, clock) => Date.parse(`${day}T${clock || "00:00"}Z`);
  const start = () => instant(input("start_time").value, input("start_clock").value);
  const iso = (moment) => new Date(moment).toISOString();
  const moved = form.querySelector("[data-moved]");
  const words = form.querySelector("[data-words]");
  const { lang, dataset } = document.documentElement;
  function describe() {
    words.hidden = !Number.isFinite(start());
    if (words.hidden) return;
    const [clock, endClock] = [input("start_clock").value, input("end_clock").value];
    const hours = clock ? { hour: "2-digit", minute: "2-digit", hourCycle: dataset.hours } : {};
    const style = { weekday: "long", day: "numeric", month: "long", year: "numeric", timeZone: "UTC", ...hours };
    const format = new Intl.DateTimeFormat(lang === "en" ? "en-GB" : lang, style);
    const end = instant(input("end_time").value || input("start_time").value, endClock);
    const hasEnd = end >= start() && (!clock || endClock);
    words.textContent = hasEnd ? format.formatRange(start(), end) : format.format(start());
  }
  describe();
  form.addEventListener("input", describe);
  // The browser knows the names of time zones, which would be the heaviest part of the page.
  const zone = input("time_zone");
  zone?.addEventListener("focus", () => {
    zone.list.replaceChildren(...Intl.supportedValuesOf("timeZone").map((value) => Object.assign(document.createElement("option"), { value })));
  }, { once: true });
  let last = start();
  form.addEventListener("filled", () => { last = start(); describe(); });
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
    describe();
  });
}
