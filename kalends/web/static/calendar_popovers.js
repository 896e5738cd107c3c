// Above the calendar: the card of an event, and a line for a new one. Without it, both are pages.
"use strict";
{
  const { DAY, texts, element: calendar, isWide, idOf, fill, ask, say, addLink, format, refresh, writeTime } = calendarPage;
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

  async function openCard(link) {
    const { event } = await ask(`/api/events/${idOf(link)}`);
    if (!event) return location.assign(link.href);
    const canEdit = link.hasAttribute("data-event");
    document.getElementById("card-title").textContent = event.title;
    part("when").textContent = event.status === "planned" ? when(event) : `${card.dataset[event.status]}: ${when(event)}`;
    part("where").textContent = event.location || "";
    part("where").hidden = !event.location;
    part("open").href = link.href;
    part("edit").href = `${link.href}/edit`;
    part("responses").href = `${link.href}/responses`;
    part("edit").hidden = part("responses").hidden = !canEdit;
    const url = event.link_url || link.href;
    part("share").hidden = !navigator.share && !navigator.clipboard;
    part("share").textContent = share;
    part("share").onclick = async () => {
      if (navigator.share) return navigator.share({ title: event.title, url }).catch(() => {});
      await navigator.clipboard.writeText(url);
      part("share").textContent = part("share").dataset.copied;
    };
    open(card, link.getBoundingClientRect());
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("#calendar .entry:not(.overflow)");
    if (!link || event.defaultPrevented || !isWide.matches || event.ctrlKey || event.metaKey || event.shiftKey) return;
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

  // Open it for the time, at a point or an element.
  calendarPage.openQuick = (time, { clientX, clientY, box }) => {
    if (!quick) return;
    const line = quick.querySelector("#line");
    line.value = ` ${describe(time)}`;
    open(quick, box || { left: clientX, top: clientY, bottom: clientY });
    line.focus();
    line.setSelectionRange(0, 0);
  };

  // Times are those of the calendar on the page: another zone of the chosen one is named.
  function addZone(form) {
    const line = form.querySelector("#line"), { zone } = calendar().dataset;
    if (form.querySelector("select").selectedOptions[0]?.dataset.zone !== zone && !line.value.includes(zone)) line.value += ` ${zone}`;
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
      if (!/\/events\/\d+$/.test(created.url)) return form.submit();
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
