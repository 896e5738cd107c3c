// Above the calendar: the card of an event, and a line for a new one. Without it, both are pages.
"use strict";
{
  const { DAY, texts, element: calendar, idOf, fill, ask, say, addLink, format, refresh, writeTime } = calendarPage;
  const MARGIN = 8;
  const card = document.getElementById("card"), quick = document.getElementById("quick");
  const part = (name) => card.querySelector(`[data-${name}]`);
  const share = part("share").textContent;

  // Open it below the box, or where there is room.
  function open(popover, { left, top, bottom }) {
    popover.showPopover();
    const { offsetWidth: width, offsetHeight: height } = popover;
    const below = bottom + MARGIN + height < innerHeight ? bottom + MARGIN : top - MARGIN - height;
    popover.style.left = `${Math.max(MARGIN, Math.min(left, document.documentElement.clientWidth - width - MARGIN))}px`;
    popover.style.top = `${Math.max(MARGIN, Math.min(below, innerHeight - height - MARGIN))}px`;
  }

  function when({ start_time: start, end_time: end, all_day: allDay }) {
    const style = format(start, { weekday: "short", month: "short" });
    return end && (allDay || end !== start) ? style.formatRange(new Date(start), new Date(end)) : style.format(new Date(start));
  }

  // The text of a part, which is not there without one.
  function fillIn(name, text) {
    part(name).textContent = text || "";
    part(name).hidden = !text;
  }

  const isSignedIn = quick !== null;
  let shown = null;

  // What the reader may edit is asked for as it is; of all else, also what they have answered and who invited them.
  async function openCard(link) {
    const canEdit = link.hasAttribute("data-event"), isMine = isSignedIn && !canEdit;
    const { event } = await ask(`/api/${isMine ? "my_events" : "events"}/${idOf(link)}`);
    if (!event) return location.assign(link.href);
    shown = { event, link, canEdit };
    document.getElementById("card-title").textContent = event.title;
    fillIn("when", event.status === "planned" ? when(event) : `${card.dataset[event.status]}: ${when(event)}`);
    fillIn("repeats", isMine ? event.repeats : event.repeat?.text);
    fillIn("where", event.location);
    fillIn("from", event.invited_by && fill(card.dataset.invites, { name: event.invited_by }));
    fillIn("message", event.message && `“${event.message}”`);
    fillIn("calendar", canEdit ? nameOf(event.calendars[0]) : "");
    card.querySelector(".dot").setAttribute("fill", link.querySelector(".tint").getAttribute("fill"));
    part("calendar").parentElement.hidden = !part("calendar").textContent;
    fillIn("about", canEdit ? event.description : "");
    const own = new URL(event.url).pathname;
    part("open").href = isMine ? own : link.href;
    part("edit").href = `${link.href}/edit`;
    part("responses").href = `${link.href}/responses`;
    part("edit").hidden = part("responses").hidden = part("delete").hidden = !canEdit;
    part("remove").hidden = !(event.invited && !event.response && event.on_calendar);
    part("ask").hidden = !isMine || event.status === "cancelled" || new Date(event.end_time || event.start_time) < Date.now();
    part("whole").hidden = !(event.invited && event.whole_series);
    part("whole").querySelector("input").checked = !part("whole").hidden;
    part("ask").querySelector("[role=alert]").hidden = true;
    mark(event.response);
    offerSharing(event, link);
    open(card, link.getBoundingClientRect());
    part("close").focus({ focusVisible: false });
  }

  // The name of a calendar as the list of calendars has it.
  const nameOf = (calendar) =>
    document.querySelector(`#calendars [name="calendar_ids[]"][value="${calendar?.id}"]`)?.closest("label").textContent.trim() || calendar?.name;

  function offerSharing(event, link) {
    const url = event.link_url || link.href;
    part("share").hidden = !(event.public || event.link_url) || (!navigator.share && !navigator.clipboard);
    part("share").textContent = share;
    part("share").onclick = async () => {
      if (navigator.share) return navigator.share({ title: event.title, url }).catch(() => {});
      await navigator.clipboard.writeText(url);
      part("share").textContent = part("share").dataset.copied;
    };
  }

  // The chosen answer is pressed in.
  function mark(response) {
    for (const button of part("ask").querySelectorAll("button")) button.setAttribute("aria-pressed", button.value === response);
  }

  const send = (method, url, fields) =>
    ask(url, { method, headers: { "Content-Type": "application/json" }, ...(fields && { body: JSON.stringify(fields) }) });

  // The card stays open after an answer; what cannot be answered here leads to the event's page.
  part("ask").addEventListener("submit", async (event) => {
    event.preventDefault();
    const scope = part("whole").querySelector("input").checked ? "all" : "this";
    const reply = await send("PUT", `/api/my_events/${shown.event.id}`, { response: event.submitter.value, scope });
    const alert = part("ask").querySelector("[role=alert]");
    alert.hidden = !reply.problem;
    alert.textContent = reply.problem || "";
    if (reply.problem) return;
    shown.event = reply.event;
    mark(reply.event.response);
    part("remove").hidden = true;
    await refresh();
  });

  part("close").addEventListener("click", () => card.hidePopover());
  // Whoever opened the card by keyboard goes on from there, also when the calendar was drawn again meanwhile.
  card.addEventListener("toggle", ({ newState }) => {
    if (newState !== "closed" || !shown || document.activeElement !== document.body) return;
    document.querySelector(`#calendar [href="${CSS.escape(shown.link.getAttribute("href"))}"]`)?.focus({ preventScroll: true });
  });

  // Say what was done, with a button to undo it.
  function sayDone(text, undo) {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "quiet", textContent: card.dataset.undo });
    button.addEventListener("click", async () => {
      await undo();
      await refresh();
      say(card.dataset.undone);
    });
    say(text).append(" ", button);
  }

  part("remove").addEventListener("click", async () => {
    const url = `/api/my_events/${shown.event.id}`;
    const reply = await send("PUT", url, { on_calendar: false });
    if (reply.problem) return;
    card.hidePopover();
    await refresh();
    sayDone(card.dataset.removed, () => send("PUT", url, { on_calendar: true }));
  });

  // An event without guests goes to the trash at once; where there is something to ask, its page asks.
  part("delete").addEventListener("click", async () => {
    const { event, link } = shown, url = `/api/events/${event.id}`;
    const trial = event.series_id ? null : await send("DELETE", `${url}?dry_run=true`);
    if (!trial || trial.problem || trial.event.notified?.email) return location.assign(`${link.href}/delete`);
    const reply = await send("DELETE", url);
    if (reply.problem) return location.assign(`${link.href}/delete`);
    card.hidePopover();
    await refresh();
    const { event: trash } = await ask("/api/trash?limit=1");
    sayDone(card.dataset.deleted, () => send("POST", `/api/changes/${trash.trash[0].seq}/undo`));
  });

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("#calendar .entry:not(.overflow, [href^='/contacts/'])");
    if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    openCard(link);
  });

  // The time as a line that the server reads: `18 Nov 2026 20:00–21:30`, or `18 Nov 2026 – 20 Nov 2026`.
  function describe({ first, last, isTimed }) {
    const day = (moment) => new Date(moment).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
    const clock = (moment) => writeTime(moment, "day and hour").slice(11, 16);
    if (isTimed) return `${day(first)} ${clock(first)}${last ? `–${clock(last)}` : ""}`;
    return last && last - first >= DAY ? `${day(first)} – ${day(last)}` : day(first);
  }

  // The time in the language of the page.
  function show({ first, last, isTimed }) {
    const style = new Intl.DateTimeFormat(document.documentElement.lang === "en" ? "en-GB" : document.documentElement.lang, { dateStyle: "medium", timeStyle: isTimed ? "short" : undefined, timeZone: "UTC" });
    return style.formatRange(first, last || first);
  }

  // Open it for the time, at a point or an element. What was drawn stays until it is closed.
  let onClose = null;
  calendarPage.openQuick = (time, { clientX, clientY, box }, clear = null) => {
    if (!quick) return clear?.();
    onClose = clear;
    quick.querySelector("#line").value = "";
    quick.querySelector("[name=time]").value = describe(time);
    quick.querySelector("[data-when]").textContent = show(time);
    open(quick, box || { left: clientX, top: clientY, bottom: clientY });
    quick.querySelector("#line").focus();
  };

  quick?.addEventListener("toggle", ({ newState }) => {
    if (newState !== "closed") return;
    onClose?.();
    onClose = null;
  });

  // The + of a day opens it, too.
  document.addEventListener("click", (event) => {
    const add = event.target.closest?.("#calendar .add");
    if (!add || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    calendarPage.openQuick({ first: calendarPage.read(add.closest("[data-day]").dataset.day), isTimed: false }, { box: add.getBoundingClientRect() });
  });

  // Times are those of the calendar on the page: another zone of the chosen one is named.
  function addZone(form) {
    const time = form.querySelector("[name=time]"), { zone } = calendar().dataset;
    if (form.querySelector("select").selectedOptions[0]?.dataset.zone !== zone && !time.value.includes(zone)) time.value += ` ${zone}`;
  }

  quick?.querySelector("form").addEventListener("submit", async (event) => {
    const form = event.target, line = form.querySelector("#line"), button = event.submitter;
    addZone(form);
    if (button?.name === "more") return;
    event.preventDefault();
    button.disabled = true;
    try {
      const filled = await post("/events/quick", new URLSearchParams(new FormData(form)));
      const fields = new FormData(filled.page.querySelector("form[action='/events']"));
      if (!fields.get("title")) {
        line.setCustomValidity(line.dataset.untitled);
        return line.reportValidity();
      }
      const created = await post("/events", fields);
      if (created.url.endsWith("/events")) return form.submit();
      quick.hidePopover();
      await refresh();
      addLink(say(fill(texts.published, { title: fields.get("title") })), created.url, texts.open);
    } catch {
      // The service shows what is wrong with it.
      form.submit();
    } finally {
      button.disabled = false;
    }
  });
  quick?.querySelector("#line").addEventListener("input", (event) => event.target.setCustomValidity(""));

  async function post(address, body) {
    const response = await fetch(address, { method: "POST", body, headers: { Accept: "text/html" } });
    return { url: response.url, page: new DOMParser().parseFromString(await response.text(), "text/html") };
  }
}
