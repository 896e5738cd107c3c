// The calendar page: changes of events, what others change, and the calendars that are shown. Other scripts use `calendarPage`.
"use strict";
const calendarPage = (() => {
  const MINUTE = 60_000, QUARTER = 15 * MINUTE, DAY = 1440 * MINUTE;
  const SOON = 100, LATER = 5_000, WORKING_DAY = 8;
  const element = () => document.getElementById("calendar");
  const isWide = matchMedia("(min-width: 50rem)");
  const hasRail = matchMedia("(min-width: 62.5rem)");
  // Functions to call whenever the calendar has been drawn, and those that say that it must stay as it is now.
  const onShow = [], holds = [];
  let isBusy = false;

  // Wall-clock times as numbers, and back in the form in which they were written: `2026-05-11` or `2026-05-11T20:00:00`.
  const read = (text) => Date.parse(text.length > 10 ? text.slice(0, 19) + "Z" : text);
  const writeTime = (moment, like) => new Date(moment).toISOString().slice(0, like.length > 10 ? 19 : 10);
  const language = document.documentElement.lang === "en" ? "en-GB" : document.documentElement.lang;
  // The texts are in the page, in the reader's language.
  const texts = document.getElementById("said").dataset;
  const fill = (text, values) => text.replace(/{(\w+)}/g, (_, name) => values[name]);
  const idOf = (link) => link.pathname.split("/").pop();

  function say(text, isProblem = false) {
    const box = document.getElementById("said");
    const message = Object.assign(document.createElement("p"), { textContent: text });
    box.className = isProblem ? "said problem" : "notice";
    box.replaceChildren(message);
    if (!isProblem) showNotice(box);
    return message;
  }

  // What was changed, with a button to undo it: Ctrl+Z presses it, too.
  async function sayChanged(text, id) {
    const { event: history } = await ask(`/api/events/${id}/changes?limit=1`);
    const message = say(text);
    if (!history?.changes.length) return;
    const form = Object.assign(document.createElement("form"), { method: "post", action: `/changes/${history.changes[0].seq}/undo` });
    form.append(Object.assign(document.createElement("input"), { type: "hidden", name: "next", value: location.pathname + location.search }));
    form.append(Object.assign(document.createElement("button"), { className: "quiet", textContent: texts.undo }));
    message.after(form);
  }

  function addLink(message, href, textContent) {
    message.append(" ", Object.assign(document.createElement("a"), { href, textContent }));
  }

  // What went wrong. Anyone who is no longer signed in is led to sign in, and back here.
  function complain({ problem, isSignedOut }) {
    const message = say(problem, true);
    if (isSignedOut) addLink(message, `/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`, texts.signIn);
  }

  // One change after the other.
  async function change(link, byStart, byEnd, steps = 0) {
    if (isBusy) return;
    isBusy = true;
    try {
      await changeTimes(link, byStart, byEnd, steps);
    } finally {
      isBusy = false;
    }
  }

  // Change an event's start and end by these milliseconds of local time, or its end by steps: quarters of an hour, or days. One
  // without an end is shown as half an hour.
  async function changeTimes(link, byStart, byEnd, steps) {
    const url = `/api/events/${idOf(link)}`;
    const reply = await ask(url);
    if (reply.problem) return complain(reply);
    const { start_time: start, end_time: end, series_id: series } = reply.event;
    const changes = {};
    if (byStart) changes.start_time = writeTime(read(start) + byStart, start);
    const last = end ? read(end) : read(start) + 2 * QUARTER;
    const by = byEnd + steps * (start.length > 10 ? QUARTER : DAY);
    if (end || !byStart) changes.end_time = writeTime(Math.max(last + by, read(start) + byStart), start);
    if (series) {
      changes.scope = await choose(document.getElementById("scope"));
      if (!changes.scope) return link.focus();
    }
    const headers = { "Content-Type": "application/json", "If-Match": reply.etag };
    const put = (fields) => ask(url, { method: "PUT", headers, body: JSON.stringify(fields) });
    const trial = await put({ ...changes, dry_run: true });
    if (trial.problem) return complain(trial);
    let mail = "";
    if (trial.event.notified?.email) {
      const version = reply.etag.match(/\d+-\d+/)[0];
      await loadQuestion();
      const found = await question.find(url.slice(4), new URLSearchParams({ version, ...changes }));
      const { auto, none } = found?.dataset ?? {};
      const answer = found ? await question.show(found) : null;
      if (!answer) return link.focus();
      mail = answer.notify === "auto" ? auto : none;
      changes.notify = answer.notify;
      if (answer.message) changes.message = answer.message;
    }
    const changed = await put(changes);
    if (changed.problem) return complain(changed);
    if (!(await refresh())) return location.reload();
    const time = inWords(byStart ? changed.event.start_time : changed.event.end_time);
    await sayChanged([fill(byStart ? texts.moved : texts.lasts, { time }), mail].join(" ").trim(), idOf(link));
  }

  // A format for times as people here say them; without hours, for whole days.
  function format(time, extra = {}) {
    const style = { weekday: "long", day: "numeric", month: "long", timeZone: "UTC", ...extra };
    if (time.length > 10) Object.assign(style, { hour: "2-digit", minute: "2-digit", timeZone: element().dataset.zone, hourCycle: document.documentElement.dataset.hours });
    return new Intl.DateTimeFormat(language, style);
  }

  const inWords = (time) => format(time).format(new Date(time));

  // What is chosen in a dialog; nothing if it is closed with Escape.
  function choose(dialog) {
    dialog.returnValue = "";
    dialog.showModal();
    return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true }));
  }

  // The event as the API returns it, or what went wrong.
  async function ask(url, request = {}) {
    try {
      const response = await fetch(url, { ...request, headers: { Accept: "application/json", ...request.headers } });
      const event = await response.json();
      if (response.ok) return { event, etag: response.headers.get("ETag") };
      // To those who are signed out, what is private is not there.
      if ([401, 404].includes(response.status)) {
        return { problem: response.status === 401 ? texts.signedOut : texts.gone, isSignedOut: true };
      }
      const broken = (event.errors || []).map((error) => `${error.field.replace("_", " ")} ${error.message}.`);
      return { problem: [texts.refused, event.detail || event.title, ...broken].join(" ") };
    } catch {
      return { problem: texts.unreachable };
    }
  }

  // The server knows how everything stands now. Anyone who had an event or a day in focus keeps it.
  async function refresh(url = location.href) {
    const response = await fetch(url).catch(() => null);
    if (!response?.ok) return null;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (!page.getElementById("calendar") || holds.some((isHeld) => isHeld())) return null;
    const active = document.activeElement;
    const part = active.closest("#calendar, #mini")?.id;
    const focused = part && active.getAttribute("href");
    const { scrollX: x, scrollY: y } = window;
    const scrolled = document.querySelector(".week")?.scrollTop;
    for (const id of ["calendar", "mini"]) document.getElementById(id).replaceWith(document.adoptNode(page.getElementById(id)));
    for (const show of onShow) show();
    if (focused) document.querySelector(`#${part} [href="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
    const week = document.querySelector(".week");
    if (week) week.scrollTop = scrolled;
    window.scrollTo(x, y);
    return response.url;
  }

  // Ticks of calendars apply at once, one after the other; the server remembers them.
  let ticking = Promise.resolve();
  document.addEventListener("change", ({ target }) => {
    const form = target.closest("#calendars");
    if (!form) return;
    ticking = ticking.then(async () => {
      const url = await refresh(`${form.action}?${new URLSearchParams(new FormData(form))}`);
      if (!url) return form.submit();
      // The links of a page that shows selected calendars repeat the selection.
      if (new URLSearchParams(location.search).has("calendar_ids")) location.replace(url);
    });
  });
  for (const part of document.querySelectorAll("[data-without-script]")) part.hidden = true;

  // Where the rail is below the calendar, it is closed at first.
  const rail = document.querySelector(".side details");
  const fold = () => { rail.open = hasRail.matches; };
  hasRail.addEventListener("change", fold);
  fold();

  // On a phone, a day of the month is chosen, and its events are listed below.
  document.addEventListener("click", async (event) => {
    const date = event.target.closest?.(".month .date");
    if (!date || isWide.matches || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const url = new URL(date.href);
    url.searchParams.set("view", "month");
    if (!(await refresh(url))) return location.assign(date.href);
    history.replaceState(null, "", url);
    const add = document.querySelector(".plus");
    if (add) add.href = `/events/new?start_time=${url.searchParams.get("date")}`;
  });

  // On a phone, the calendar goes on to the next days with a finger, and back.
  const SWIPE = 60;
  let touch = null;
  document.addEventListener("touchstart", ({ target, touches }) => {
    touch = !isWide.matches && touches.length === 1 && target.closest?.("#calendar") ? touches[0] : null;
  }, { passive: true });
  document.addEventListener("touchend", ({ changedTouches: [end] }) => {
    if (!touch) return;
    const across = end.clientX - touch.clientX, along = Math.abs(end.clientY - touch.clientY);
    touch = null;
    if (Math.abs(across) < SWIPE || along > Math.abs(across) / 2) return;
    const isForward = across < 0 === (document.documentElement.dir !== "rtl");
    document.querySelector(isForward ? ".steps [rel=next]" : ".steps [rel=prev]")?.click();
  }, { passive: true });

  // A guest's own zone, which only the browser knows.
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  for (const link of document.querySelectorAll("a[data-own-zone]")) {
    if (!here || here === element().dataset.zone) continue;
    const url = new URL(location.href);
    url.searchParams.set("time_zone", here);
    link.href = url.href;
    link.textContent = fill(link.dataset.named, { zone: here });
    link.hidden = false;
  }

  // Hours begin with the working day. They scroll by themselves, so the page stays where it is.
  const week = document.querySelector(".week");
  if (week && !week.scrollTop) week.scrollTop = WORKING_DAY * document.querySelector(".hours li").offsetHeight;

  // What others change appears by itself while the page is looked at.
  const url = element().dataset.stream && new URL(element().dataset.stream, location.href);
  let stream = null;
  let timer = 0;

  function changed(event) {
    if (event?.lastEventId) url.searchParams.set("cursor", event.lastEventId);
    clearTimeout(timer);
    timer = setTimeout(async () => {
      if (isBusy || !(await refresh())) changed();
    }, event ? SOON : LATER);
  }

  function followChanges() {
    if (document.hidden) {
      stream?.close();
      stream = null;
    } else if (url && !stream) {
      stream = new EventSource(url);
      stream.addEventListener("change", changed);
    }
  }

  document.addEventListener("visibilitychange", followChanges);
  followChanges();
  // The line of the current time moves on.
  setInterval(() => { if (!document.hidden && !isBusy && document.querySelector(".now")) refresh(); }, QUARTER);

  return { QUARTER, DAY, texts, element, isWide, onShow, holds, read, writeTime, idOf, fill, say, addLink, complain, change, ask, format, refresh };
})();
