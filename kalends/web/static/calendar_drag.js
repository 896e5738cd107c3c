// The calendar with a mouse or a finger: move an event, stretch it, draw a new one over free time or days.
"use strict";
{
  const { QUARTER, element: calendar, isWide, onShow, holds, read, writeTime, change } = calendarPage;
  const REACH = 5, HOLD = 350, EDGE = 40, NUDGE = 12;
  let drag = null, draw = null, justDragged = false, hadPopover = false;
  holds.push(() => drag || draw);

  const clock = (moment) => writeTime(moment, "day and hour").slice(11, 16);

  // Events in columns of hours get an edge to stretch them by.
  function addEdges() {
    for (const link of calendar().querySelectorAll(".blocks [data-event]")) {
      link.append(Object.assign(document.createElement("span"), { className: "stretch" }));
    }
  }
  onShow.push(addEdges);
  addEdges();

  // The day under a point and, among hours, the moment.
  function placeAt(x, y) {
    const element = document.elementFromPoint(x, y)?.closest("#calendar [data-day]");
    if (!element) return null;
    const place = { element, day: read(element.dataset.day), at: null };
    const hours = element.querySelector(".blocks");
    const isHead = document.elementFromPoint(x, y).closest(".dayhead");
    if (hours && !isHead) place.at = momentAt(hours, y);
    return place;
  }

  function momentAt(hours, y) {
    const box = hours.getBoundingClientRect();
    return Math.min(95, Math.max(0, Math.floor(((y - box.top) / box.height) * 96))) * QUARTER;
  }

  // Near the upper and the lower edge, the hours scroll.
  function nudge(y) {
    const week = calendar().querySelector(".week");
    const box = week?.getBoundingClientRect();
    if (!box) return;
    if (y > box.bottom - EDGE) week.scrollTop += NUDGE;
    else if (y < box.top + week.querySelector(".dayhead").offsetHeight + EDGE / 2) week.scrollTop -= NUDGE;
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
    nudge(y);
    drag.to?.element.classList.remove("target");
    drag.to = placeAt(drag.isStretch ? drag.x : x, y) || drag.to;
    if (drag.isStretch) {
      ghost.style.height = `${Math.max(12, link.offsetHeight + y - drag.y)}px`;
      x = drag.x, y = drag.y;
    } else drag.to?.element.classList.add("target");
    ghost.style.left = `${x - offset.x}px`;
    ghost.style.top = `${y - offset.y}px`;
    const time = ghost.querySelector("small"), start = link.querySelector("small")?.textContent;
    if (time && !drag.isStretch && /^\d\d:\d\d$/.test(start)) time.textContent = clock(read(`1970-01-01T${start}:00`) + difference());
  }

  // What is drawn for a new event: hours of one day, or days.
  function drawTo(x, y) {
    const { from } = draw;
    nudge(y);
    if (from.at === null) draw.to = placeAt(x, y) || draw.to;
    else draw.to = { ...from, at: momentAt(from.element.querySelector(".blocks"), y) };
    if (from.at === null) {
      const [first, last] = range(draw);
      for (const day of calendar().querySelectorAll("[data-day]")) {
        day.classList.toggle("drawn", first <= read(day.dataset.day) && read(day.dataset.day) <= last);
      }
      return;
    }
    const [first, last] = range(draw), hours = from.element.querySelector(".blocks"), quarter = hours.offsetHeight / 96;
    if (!draw.block) {
      draw.block = Object.assign(document.createElement("li"), { className: "drawn" });
      draw.block.setAttribute("aria-hidden", "true");
      hours.append(draw.block);
    }
    draw.block.textContent = `${clock(first)}–${clock(last)}`;
    Object.assign(draw.block.style, { top: `${((first - from.day) / QUARTER) * quarter}px`, height: `${((last - first) / QUARTER) * quarter}px` });
  }

  // The first and the last moment, in whatever direction they were drawn.
  function range({ from, to }) {
    const [a, b] = [from, to].map((place) => place.day + (place.at ?? 0));
    return from.at === null ? [Math.min(a, b), Math.max(a, b)] : [Math.min(a, b), Math.max(a, b) + QUARTER];
  }

  // Returns what takes away what was drawn.
  function endDrawing() {
    const { block } = draw;
    calendar().classList.remove("drawing");
    draw = null;
    return () => {
      block?.remove();
      for (const day of calendar().querySelectorAll(".drawn")) day.classList.remove("drawn");
    };
  }

  document.addEventListener("pointerdown", (event) => {
    // A click beside a popover closes it, and does nothing else.
    hadPopover = document.querySelector(":popover-open") !== null;
    if (event.button || !event.isPrimary || !isWide.matches || hadPopover) return;
    const { clientX: x, clientY: y, pointerId: pointer } = event;
    const link = event.target.closest?.("#calendar [data-event]");
    const isTouch = event.pointerType === "touch";
    if (!link) {
      const day = event.target.closest?.("#calendar [data-day]");
      const from = day?.querySelector(".add") && !event.target.closest("a") && !isTouch ? placeAt(x, y) : null;
      if (from) draw = { from, to: from, x, y, pointer };
      return;
    }
    drag = { link, x, y, pointer, from: placeAt(x, y), isStretch: event.target.matches(".stretch"), isTouch };
    // A finger that moves at once scrolls; one that rests lifts.
    if (drag.isTouch) drag.hold = setTimeout(lift, HOLD);
  });

  document.addEventListener("pointermove", (event) => {
    const current = drag || draw;
    if (!current || event.pointerId !== current.pointer) return;
    const isFar = Math.hypot(event.clientX - current.x, event.clientY - current.y) >= REACH;
    if (draw) {
      if (!isFar && !draw.isDrawn) return;
      draw.isDrawn = true;
      calendar().classList.add("drawing");
      return drawTo(event.clientX, event.clientY);
    }
    if (!drag.isLifted) {
      if (!isFar) return;
      if (drag.isTouch) return drop();
      lift();
    }
    follow(event.clientX, event.clientY);
  });

  document.addEventListener("pointerup", (event) => {
    const current = drag || draw;
    if (!current || event.pointerId !== current.pointer) return;
    justDragged = Boolean(current.isLifted || current.isDrawn);
    setTimeout(() => { justDragged = false; });
    if (draw) {
      const [first, last] = range(draw), { isDrawn, from } = draw;
      const clear = endDrawing();
      if (!isDrawn) clear();
      // Browsers close popovers when a pointer is released beside them: after that, it stays open.
      if (isDrawn) setTimeout(() => calendarPage.openQuick({ first, last, isTimed: from.at !== null }, event, clear));
      return;
    }
    const { link, isLifted, isStretch } = drag;
    const by = isLifted ? difference() : 0;
    drop();
    if (by) change(link, isStretch ? 0 : by, by);
  });

  function cancel() {
    if (drag) drop();
    if (draw) endDrawing()();
  }

  document.addEventListener("pointercancel", cancel);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") cancel(); });
  document.addEventListener("dragstart", (event) => { if (event.target.closest?.("[data-event]")) event.preventDefault(); });
  document.addEventListener("contextmenu", (event) => { if (drag?.isLifted) event.preventDefault(); });
  document.addEventListener("touchmove", (event) => { if (drag?.isLifted) event.preventDefault(); }, { passive: false });

  // A click on free time begins an event there; the end of a drag is not a click.
  document.addEventListener("click", (event) => {
    if (justDragged) {
      event.preventDefault();
      return event.stopImmediatePropagation();
    }
    const day = event.target.closest?.("#calendar [data-day]");
    if (!day?.querySelector(".add") || event.target.closest("a") || !isWide.matches || hadPopover) return;
    const place = placeAt(event.clientX, event.clientY);
    if (place) calendarPage.openQuick({ first: place.day + (place.at ?? 0), isTimed: place.at !== null }, event);
  }, { capture: true });
}
