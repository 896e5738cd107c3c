// The fields follow the line as it is typed, and the end follows the start. Without JavaScript, a button fills them in.
"use strict";

const quick = document.querySelector("form[data-quick]");
const form = document.querySelector("form[action='/events']");
const input = (name) => form.querySelector(`[name=${name}]`);
const filled = ["title", "start_time", "start_clock", "end_time", "end_clock", "location", "time_zone"];
let timer, controller;

async function fill() {
  controller?.abort();
  controller = new AbortController();
  const body = new URLSearchParams(new FormData(quick));
  try {
    const reply = await fetch(quick.action, { method: "POST", body, headers: { Accept: "text/html" }, signal: controller.signal });
    if (!reply.ok) return;
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    for (const name of filled) input(name).value = page.querySelector(`form[action='/events'] [name=${name}]`).value;
    quick.querySelector("[data-chips]").replaceChildren(...page.querySelector("[data-chips]").childNodes);
    last = start();
    form.dispatchEvent(new Event("filled"));
  } catch (error) {
    // A newer line, or no network: the button is still there.
    if (error.name !== "AbortError") throw error;
  }
}

quick.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(fill, 250);
});
quick.addEventListener("submit", async (event) => {
  event.preventDefault();
  clearTimeout(timer);
  await fill();
  form.querySelector(".actions button").focus();
});

// Dates and times without a zone are read as if they were in UTC, which has no gaps.
const instant = (day, clock) => Date.parse(`${day}T${clock || "00:00"}Z`);
const start = () => instant(input("start_time").value, input("start_clock").value);
const iso = (moment) => new Date(moment).toISOString();
let last = start();
form.addEventListener("change", (event) => {
  if (!["start_time", "start_clock"].includes(event.target.name) || !Number.isFinite(start())) return;
  const [day, clock] = [input("end_time"), input("end_clock")];
  // An end without a date is on the first day.
  const end = instant(day.value || (Number.isFinite(last) ? iso(last).slice(0, 10) : ""), clock.value) + start() - last;
  if (Number.isFinite(end) && (day.value || clock.value)) {
    const [endDay, time] = iso(end).split("T");
    day.value = endDay === input("start_time").value ? "" : endDay;
    if (clock.value) clock.value = time.slice(0, 5);
  }
  last = start();
});
