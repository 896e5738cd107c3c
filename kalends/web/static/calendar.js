// The calendar with a mouse, a finger or the arrow keys: move an event, stretch it, click a free place for a new one.
"use strict";
{
  const MINUTE = 60_000, QUARTER = 15 * MINUTE, DAY = 1440 * MINUTE;
  const REACH = 5, HOLD = 350, SOON = 100, LATER = 5_000;
  const calendar = () => document.getElementById("calendar");
  const isWide = matchMedia("(min-width: 50rem)");
  const scopeDialog = document.getElementById("scope");
  const tellDialog = document.getElementById("tell");
  let drag = null;
  let justDragged = false;
  let isBusy = false;

  // Wall-clock times as numbers, and back in the form in which they were written: `2026-05-11` or `2026-05-11T20:00:00`.
  const read = (text) => Date.parse(text.length > 10 ? text.slice(0, 19) + "Z" : text);
  const written = (moment, like) => new Date(moment).toISOString().slice(0, like.length > 10 ? 19 : 10);
  const clock = (moment) => new Date(moment).toISOString().slice(11, 16);
  const idOf = (link) => link.pathname.split("/").pop();

  function say(text, isProblem = false) {
    const said = document.getElementById("said");
    said.className = isProblem ? "said problem" : "said notice";
    said.textContent = text;
    return said;
  }

  // What went wrong. Whoever is no longer signed in is led to sign in, and back here.
  function complain({ problem, isSignedOut }) {
    const said = say(problem, true);
    if (!isSignedOut) return;
    const href = `/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`;
    said.append(" ", Object.assign(document.createElement("a"), { href, textContent: "Sign in again" }));
  }

  // One change after the other.
  async function change(link, byStart, byEnd) {
    if (isBusy) return;
    isBusy = true;
    try {
      await changeTimes(link, byStart, byEnd);
    } finally {
      isBusy = false;
    }
  }

  // Change an event's start and end by this many milliseconds of local time. One without an end is shown as half an hour.
  async function changeTimes(link, byStart, byEnd) {
    const address = `/api/events/${idOf(link)}`;
    const found = await ask(address);
    if (found.problem) return complain(found);
    const { start_time: start, end_time: end, series_id: series } = found.event;
    const given = {};
    if (byStart) given.start_time = written(read(start) + byStart, start);
    const last = end ? read(end) : read(start) + 2 * QUARTER;
    if (end || !byStart) given.end_time = written(Math.max(last + byEnd, read(start) + byStart), start);
    if (series) {
      given.scope = await choose(scopeDialog);
      if (!given.scope) return link.focus();
    }
    const headers = { "Content-Type": "application/json", "If-Match": found.etag };
    const put = (fields) => ask(address, { method: "PUT", headers, body: JSON.stringify(fields) });
    const trial = await put({ ...given, dry_run: true });
    if (trial.problem) return complain(trial);
    const people = trial.event.told?.email;
    if (people) {
      document.getElementById("tell-title").textContent = `Tells ${people === 1 ? "1 person" : `${people} people`} about the new time`;
      given.notify = await choose(tellDialog);
      if (!given.notify) return link.focus();
    }
    const changed = await put(given);
    if (changed.problem) return complain(changed);
    if (!(await refresh())) return location.reload();
    say(byStart ? `Moved to ${inWords(changed.event.start_time)}.` : `Now it lasts until ${inWords(changed.event.end_time)}.`);
  }

  // A time as people here say it.
  function inWords(time) {
    const style = { weekday: "long", day: "numeric", month: "long", timeZone: "UTC" };
    if (time.length > 10) Object.assign(style, { hour: "2-digit", minute: "2-digit", timeZone: calendar().dataset.zone });
    return new Date(time).toLocaleString("en-GB", style);
  }

  // What is chosen in a dialog; nothing if it is closed with Escape.
  function choose(dialog) {
    dialog.returnValue = "";
    dialog.showModal();
    return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true }));
  }

  // The event as the API returns it, or what went wrong.
  async function ask(address, request = {}) {
    try {
      const response = await fetch(address, { ...request, headers: { Accept: "application/json", ...request.headers } });
      const event = await response.json();
      if (response.ok) return { event, etag: response.headers.get("ETag") };
      // To those who are signed out, what is private is not there.
      if ([401, 404].includes(response.status)) {
        const why = response.status === 401 ? "you are no longer signed in." : "it is gone, or you are no longer signed in.";
        return { problem: `It stays where it was: ${why}`, isSignedOut: true };
      }
      const broken = (event.errors || []).map((error) => `${error.field.replace("_", " ")} ${error.message}.`);
      return { problem: ["It stays where it was.", event.detail || event.title, ...broken].join(" ") };
    } catch {
      return { problem: "It stays where it was: the service cannot be reached." };
    }
  }

  // The server knows how everything stands now. Whoever had an event or a day in focus keeps it.
  async function refresh() {
    const response = await fetch(location.href).catch(() => null);
    if (!response?.ok) return false;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (drag) return false;
    const focused = calendar().contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    const { scrollX: x, scrollY: y } = window;
    calendar().replaceWith(document.adoptNode(page.getElementById("calendar")));
    prepare();
    if (focused) calendar().querySelector(`[href="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
    window.scrollTo(x, y);
    return true;
  }

  // Events in columns of hours get an edge to stretch them by.
  function prepare() {
    for (const link of calendar().querySelectorAll(".blocks [data-event]")) {
      link.append(Object.assign(document.createElement("span"), { className: "stretch" }));
    }
  }

  // The day under a point and, among hours, the moment.
  function placeAt(x, y) {
    const element = document.elementFromPoint(x, y)?.closest("#calendar [data-day]");
    if (!element) return null;
    const hours = element.querySelector(".blocks");
    const place = { element, day: read(element.dataset.day), at: null };
    const box = hours?.getBoundingClientRect();
    if (box && y >= box.top && y < box.bottom) {
      const week = hours.closest(".week");
      const quarters = week.querySelectorAll(".hours li").length * 4;
      place.at = week.dataset.hour * 4 * QUARTER + Math.floor(((y - box.top) / box.height) * quarters) * QUARTER;
    }
    return place;
  }

  function lift() {
    const { link } = drag;
    const box = link.getBoundingClientRect();
    drag.isLifted = true;
    drag.ghost = link.cloneNode(true);
    drag.ghost.className += " ghost";
    drag.ghost.removeAttribute("data-event");
    drag.ghost.setAttribute("aria-hidden", "true");
    Object.assign(drag.ghost.style, { width: `${box.width}px`, height: `${box.height}px` });
    drag.offset = { x: drag.x - box.left, y: drag.y - box.top };
    calendar().append(drag.ghost);
    calendar().classList.add("dragging");
    link.classList.add("lifted");
    link.setPointerCapture(drag.pointer);
  }

  function drop() {
    clearTimeout(drag.hold);
    drag.ghost?.remove();
    drag.link.classList.remove("lifted");
    drag.to?.element.classList.remove("target");
    calendar().classList.remove("dragging");
    drag = null;
  }

  // By how much the event would move: whole days, and among hours also by the quarter.
  function difference() {
    const { from, to } = drag;
    if (!from || !to) return 0;
    const days = to.day - from.day;
    return from.at === null || to.at === null ? days : days + to.at - from.at;
  }

  function follow(x, y) {
    const { ghost, link, offset } = drag;
    drag.to?.element.classList.remove("target");
    drag.to = placeAt(drag.isStretch ? drag.x : x, y) || drag.to;
    if (drag.isStretch) {
      ghost.style.height = `${Math.max(12, link.offsetHeight + y - drag.y)}px`;
      x = drag.x, y = drag.y;
    } else drag.to?.element.classList.add("target");
    ghost.style.left = `${x - offset.x}px`;
    ghost.style.top = `${y - offset.y}px`;
    const shown = ghost.querySelector("small");
    if (shown && !drag.isStretch) shown.textContent = clock(read(`1970-01-01T${link.querySelector("small").textContent}:00`) + difference());
  }

  document.addEventListener("pointerdown", (event) => {
    const link = event.target.closest?.("#calendar [data-event]");
    if (!link || event.button || !event.isPrimary || !isWide.matches) return;
    const { clientX: x, clientY: y, pointerId: pointer } = event;
    drag = { link, x, y, pointer, from: placeAt(x, y), isStretch: event.target.matches(".stretch"), isTouch: event.pointerType === "touch" };
    // A finger that moves at once scrolls; one that rests lifts.
    if (drag.isTouch) drag.hold = setTimeout(lift, HOLD);
  });

  document.addEventListener("pointermove", (event) => {
    if (!drag || event.pointerId !== drag.pointer) return;
    if (!drag.isLifted) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < REACH) return;
      if (drag.isTouch) return drop();
      lift();
    }
    follow(event.clientX, event.clientY);
  });

  document.addEventListener("pointerup", (event) => {
    if (!drag || event.pointerId !== drag.pointer) return;
    const { link, isLifted, isStretch } = drag;
    const by = isLifted ? difference() : 0;
    justDragged = Boolean(isLifted);
    setTimeout(() => { justDragged = false; });
    drop();
    if (by) change(link, isStretch ? 0 : by, by);
  });

  document.addEventListener("pointercancel", () => { if (drag) drop(); });
  document.addEventListener("dragstart", (event) => { if (event.target.closest?.("[data-event]")) event.preventDefault(); });
  document.addEventListener("contextmenu", (event) => { if (drag?.isLifted) event.preventDefault(); });
  document.addEventListener("touchmove", (event) => { if (drag?.isLifted) event.preventDefault(); }, { passive: false });

  document.addEventListener("click", (event) => {
    if (justDragged) return event.preventDefault();
    const day = event.target.closest?.("#calendar [data-day]");
    if (!day?.querySelector(".add") || event.target.closest("a") || !isWide.matches) return;
    const place = placeAt(event.clientX, event.clientY);
    const moment = place.at === null ? written(place.day, "day") : written(place.day + place.at, "day and hour").slice(0, 16);
    const zone = document.getElementById("calendar").dataset.zone;
    location.href = `/events/new?start_time=${moment}&time_zone=${encodeURIComponent(zone)}`;
  });

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && drag) return drop();
    const link = event.target.closest?.("#calendar [data-event]");
    if (!link || !event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
    const isTimed = link.closest(".blocks") !== null;
    const steps = { ArrowLeft: -DAY, ArrowRight: DAY, ArrowUp: isTimed ? -QUARTER : -7 * DAY, ArrowDown: isTimed ? QUARTER : 7 * DAY };
    if (!(event.key in steps)) return;
    event.preventDefault();
    change(link, steps[event.key], steps[event.key]);
  });

  // A guest's own zone, which only the browser knows.
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  for (const link of document.querySelectorAll("a[data-own-zone]")) {
    if (!here || here === calendar().dataset.zone) continue;
    const address = new URL(location.href);
    address.searchParams.set("time_zone", here);
    link.href = address.href;
    link.textContent = `Show those of ${here}`;
    link.hidden = false;
  }

  prepare();

  // Where the night is shown, too, a week begins with the working day.
  const week = document.querySelector(".week");
  if (week && isWide.matches && !location.hash && Number(week.dataset.hour) < 7) week.querySelectorAll(".hours li")[7 - week.dataset.hour]?.scrollIntoView({ block: "center" });

  // What others change appears by itself while the page is looked at.
  const address = calendar().dataset.stream && new URL(calendar().dataset.stream, location.href);
  let stream = null;
  let timer = 0;

  function changed(event) {
    if (event?.lastEventId) address.searchParams.set("cursor", event.lastEventId);
    clearTimeout(timer);
    timer = setTimeout(async () => {
      if (drag || isBusy || !(await refresh())) changed();
    }, event ? SOON : LATER);
  }

  function followChanges() {
    if (document.hidden) {
      stream?.close();
      stream = null;
    } else if (address && !stream) {
      stream = new EventSource(address);
      stream.addEventListener("change", changed);
    }
  }

  document.addEventListener("visibilitychange", followChanges);
  followChanges();
}
