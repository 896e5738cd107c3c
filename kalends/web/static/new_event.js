// The fields follow the line as it is typed. Without JavaScript, a button fills them in.
"use strict";

const quick = document.querySelector("form[data-quick]");
const form = document.querySelector("form[action='/events']");
const input = (name) => form.querySelector(`[name=${name}]`);
const filled = ["title", "start_time", "start_clock", "end_time", "end_clock", "location", "time_zone", "sentences_for"];
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
    const rule = page.querySelectorAll(".repetition [name]");
    form.querySelectorAll(".repetition [name]").forEach((field, n) => { [field.value, field.checked] = [rule[n].value, rule[n].checked]; });
    for (const part of ["[data-chips]", "[data-unread]"]) quick.querySelector(part).replaceChildren(...page.querySelector(part).childNodes);
    form.dispatchEvent(new Event("filled"));
  } catch (error) {
    // A newer line, or no network: the button is still there.
    if (error.name !== "AbortError") throw error;
  }
}

// Who sees an event that is for the people on its calendar.
const calendarOf = input("calendar_id");
const showPeople = () => { input("visibility").querySelector("[value=members]").textContent = calendarOf.selectedOptions[0].dataset.people; };
calendarOf.addEventListener("change", showPeople);
form.addEventListener("filled", showPeople);
showPeople();

// The fields follow as someone types.
if (quick) quick.querySelector("button").hidden = true;
quick?.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(fill, 250);
});
quick?.addEventListener("submit", async (event) => {
  event.preventDefault();
  clearTimeout(timer);
  await fill();
  form.querySelector(".actions button").focus();
});
