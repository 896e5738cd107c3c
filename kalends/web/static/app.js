// What pages gain with JavaScript. Without it they do the same, a click or two more.
"use strict";

// The first thing that is wrong, or that was done, is read out.
document.querySelector("[data-focus]")?.focus();

// A menu closes when someone goes on elsewhere.
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details.menu[open]")) { menu.open = false; menu.querySelector("summary").focus(); }
});

// A form that a person fills in is not taken for a program's, however quick the browser was.
const byHand = (event) => {
  if (event.isTrusted) for (const input of document.querySelectorAll("input[name=by_hand]")) input.value = "1";
};
for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, byHand, { passive: true });

// Times also in the reader's own zone, which only the browser knows of a guest, unless a clock on the page shows the same.
for (const line of document.querySelectorAll("[data-local]")) {
  const style = { weekday: "long", day: "numeric", month: "long", hour: "2-digit", minute: "2-digit" };
  const language = document.documentElement.lang === "en" ? "en-GB" : document.documentElement.lang;
  if (document.documentElement.dataset.hours) style.hourCycle = document.documentElement.dataset.hours;
  const [start, end] = [new Date(line.dataset.start), new Date(line.dataset.end)];
  const inZone = (timeZone) => new Intl.DateTimeFormat(language, { ...style, timeZone });
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!here || line.dataset.zones.split(" ").some((zone) => inZone(zone).format(start) === inZone(here).format(start))) continue;
  line.textContent = line.dataset.local.replace("{time}", () => inZone(here).formatRange(start, end)).replace("{zone}", () => here);
  line.hidden = false;
}

// The browser's zone is the best guess for someone who signs up. It takes long to find, so not before they begin to fill in the form.
const zone = document.querySelector("input[data-guess-zone]");
zone?.form.addEventListener("focusin", () => {
  if (!zone.value || zone.value === zone.dataset.guessZone) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
}, { once: true });

// A picture is shown as soon as it is chosen.
for (const input of document.querySelectorAll("input[data-picture]")) {
  const image = document.getElementById(input.dataset.picture);
  input.addEventListener("change", () => {
    const reader = new FileReader();
    reader.addEventListener("load", () => { image.src = reader.result; image.hidden = false; });
    if (input.files[0]) reader.readAsDataURL(input.files[0]);
  });
}

// URLs to copy, where the browser lets pages do it: on https, and on this machine.
for (const button of navigator.clipboard ? document.querySelectorAll("button[data-copy]") : []) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).value);
    button.textContent = "Copied";
  });
}
