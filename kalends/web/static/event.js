// What the pages of an event gain with JavaScript for its guests: their time, the decision, the ticket.
"use strict";

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

// How many people: one fewer, one more.
for (const stepper of document.querySelectorAll("[data-step]")) {
  const [select, buttons] = [stepper.querySelector("select"), stepper.querySelectorAll("button")];
  const update = () => {
    buttons[0].disabled = !select.selectedIndex;
    buttons[1].disabled = select.selectedIndex === select.length - 1;
  };
  for (const button of buttons) {
    button.hidden = false;
    button.addEventListener("click", () => { select.selectedIndex += Number(button.dataset.by); update(); });
  }
  select.addEventListener("change", update);
  update();
}

// The decision: the bar is in view while the card is not, and chooses in it.
const [respond, reach] = [document.getElementById("respond"), document.querySelector(".reach")];
// A finger or a mouse goes on to the name; the keyboard stays, as arrow keys choose.
respond?.addEventListener("click", (event) => {
  if (!event.detail || event.target.name !== "response" || event.target.type !== "radio") return;
  if (respond.getBoundingClientRect().bottom > innerHeight) respond.scrollIntoView();
  const name = respond.querySelector("[name=name]");
  if (name?.offsetParent && !name.value) name.focus({ preventScroll: true });
});
if (respond && reach) {
  new IntersectionObserver(([entry]) => { reach.hidden = entry.isIntersecting; }).observe(respond);
  reach.addEventListener("click", (event) => {
    const radio = respond.querySelector(`[name=response][value=${event.target.dataset.choose}]`);
    if (!radio) return;
    event.preventDefault();
    radio.click();
    respond.scrollIntoView();
  });
}
if (location.hash === "#ticket") document.getElementById("ticket")?.focus();

// The phone's own way to share, where it has one.
for (const share of navigator.share ? document.querySelectorAll("[data-share]") : []) {
  share.addEventListener("click", (event) => {
    if (!event.target.closest("summary")) return;
    event.preventDefault();
    navigator.share({ title: document.title, url: share.dataset.share }).catch(() => {});
  });
}
