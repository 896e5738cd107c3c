// The calendar by keyboard: arrow keys in the grids, each of which is one tab stop, and shortcuts, which can be switched off.
"use strict";
{
  const { QUARTER, DAY, element: calendar, onShow, read, writeTime, change } = calendarPage;
  const FOCUS = "kalends-focus", OFF = "kalends-keys-off";
  const dialog = document.getElementById("keys");

  // A grid of days: the cells, the attribute that has their date, and their links from top to bottom.
  const grids = [
    { part: "calendar", name: "day", links: ".date, .entry, .more" },
    { part: "mini", name: "date", links: "a" },
  ];
  const cellsOf = ({ part, name }) => [...document.querySelectorAll(`#${part} [data-${name}]`)];
  const linksOf = (grid, cell) => [...cell.querySelectorAll(grid.links)].filter((link) => link.checkVisibility({ visibilityProperty: true }));

  function prepare(grid) {
    const cells = cellsOf(grid);
    if (!cells.length) return;
    const root = cells[0].closest("table, .week");
    root.setAttribute("role", "grid");
    if (!root.ariaLabel) root.setAttribute("aria-label", document.querySelector("h1").textContent);
    root.querySelector(".columns")?.setAttribute("role", "row");
    for (const cell of cells) if (cell.matches(".day")) cell.setAttribute("role", "gridcell");
    for (const link of root.querySelectorAll("a")) link.tabIndex = -1;
    const start = cells.find((cell) => cell.dataset[grid.name] === calendar().dataset.chosen) || cells[0];
    start.querySelector(grid.links).tabIndex = 0;
  }

  const gridOf = (link) => grids.find(({ part }) => link.closest?.(`#${part} [role=grid]`));

  function focus(link) {
    link.focus();
    link.scrollIntoView({ block: "nearest" });
  }

  // The link that had the focus last is the tab stop.
  document.addEventListener("focusin", ({ target }) => {
    const grid = target.matches("a") && gridOf(target);
    if (!grid) return;
    for (const link of target.closest("[role=grid]").querySelectorAll("a[tabindex='0']")) link.tabIndex = -1;
    target.tabIndex = 0;
  });

  // Go to another day, on this page or on that of the day.
  function goTo(grid, moment, index = 0, view = calendar().dataset.view) {
    const day = writeTime(moment, "day");
    const cell = view === calendar().dataset.view && cellsOf(grid).find((each) => each.dataset[grid.name] === day);
    if (cell) {
      const links = linksOf(grid, cell);
      return focus(links.at(index < 0 ? index : Math.min(index, links.length - 1)));
    }
    const url = new URL(location.href);
    url.searchParams.set("view", view);
    url.searchParams.set("date", day);
    sessionStorage.setItem(FOCUS, `${grid.part} ${day}`);
    location.assign(url);
  }

  function restoreFocus() {
    const [part, day] = (sessionStorage.getItem(FOCUS) || "").split(" ");
    sessionStorage.removeItem(FOCUS);
    const grid = grids.find((each) => each.part === part);
    const cell = grid && cellsOf(grid).find((each) => each.dataset[grid.name] === day);
    if (cell) linksOf(grid, cell)[0].focus({ preventScroll: part === "mini" });
  }

  // The same day of another month, or the last one that it has.
  function inMonths(moment, months) {
    const date = new Date(moment);
    const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months + 1, 0));
    return last.setUTCDate(Math.min(date.getUTCDate(), last.getUTCDate()));
  }

  const hasPage = (months) => document.querySelector(months < 0 ? "[rel=prev]" : "[rel=next]");

  function move(grid, link, key, isShift) {
    const cell = link.closest(`[data-${grid.name}]`), moment = read(cell.dataset[grid.name]);
    const links = linksOf(grid, cell), index = links.indexOf(link);
    const isMonth = link.closest("table") !== null, weekday = (new Date(moment).getUTCDay() + 6) % 7;
    const step = key === "ArrowDown" || key === "PageDown" ? 1 : -1;
    switch (key) {
      case "ArrowLeft": return goTo(grid, moment - DAY, index);
      case "ArrowRight": return goTo(grid, moment + DAY, index);
      case "ArrowUp":
      case "ArrowDown":
        if (links[index + step]) return focus(links[index + step]);
        return isMonth ? goTo(grid, moment + step * 7 * DAY, step < 0 ? -1 : 0) : undefined;
      case "Home": return goTo(grid, moment - weekday * DAY);
      case "End": return goTo(grid, moment + (6 - weekday) * DAY);
      case "PageUp":
      case "PageDown":
        if (!hasPage(step)) return undefined;
        if (isMonth) return goTo(grid, inMonths(moment, step * (isShift ? 12 : 1)));
        return goTo(grid, moment + step * (calendar().dataset.view === "week" ? 7 : 1) * DAY);
      default: return focus(links[0]);
    }
  }

  // Shift moves an event, and plus and minus stretch it.
  function moveEvent(link, key, isShift) {
    const isTimed = link.closest(".blocks") !== null;
    const steps = { ArrowLeft: -DAY, ArrowRight: DAY, ArrowUp: isTimed ? -QUARTER : -7 * DAY, ArrowDown: isTimed ? QUARTER : 7 * DAY };
    if (isShift && key in steps) change(link, steps[key], steps[key]);
    else if (["+", "=", "-"].includes(key)) change(link, 0, 0, key === "-" ? -1 : 1);
    else return false;
    return true;
  }

  const KEYS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown", "Escape"];

  document.addEventListener("keydown", (event) => {
    const { key, target, shiftKey: isShift } = event;
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open], :popover-open")) return;
    const link = target.closest?.("a"), grid = link && gridOf(link);
    const isEvent = link?.hasAttribute("data-event");
    if (isEvent && moveEvent(link, key, isShift)) event.preventDefault();
    else if (grid && key === "Enter" && isShift && grid.part === "calendar") {
      event.preventDefault();
      createOn(link);
    } else if (grid && KEYS.includes(key) && (!isShift || key.startsWith("Page"))) {
      event.preventDefault();
      move(grid, link, key, isShift);
    } else if (!target.matches("input, textarea, select, [contenteditable]") && !localStorage.getItem(OFF)) press(event, grid && link);
  });

  function createOn(link) {
    const day = (link || document.body).closest("[data-day]")?.dataset.day || calendar().dataset.chosen;
    const box = (link || document.querySelector("h1")).getBoundingClientRect();
    calendarPage.openQuick({ first: read(day), isTimed: false }, { box });
  }

  // A shortcut: the link or field with this key. Views open on the day in focus.
  function press(event, link) {
    const aim = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (event.key === "?") dialog.showModal();
    else if (event.key === "n" && document.getElementById("quick")) createOn(link);
    else if (!aim) return;
    else if (link && aim.closest(".views")) {
      const day = link.closest("[data-day], [data-date]").dataset;
      goTo(grids[0], read(day.day || day.date), 0, new URL(aim.href).searchParams.get("view"));
    } else aim.click();
    event.preventDefault();
  }

  const isOn = document.getElementById("keys-on");
  isOn.checked = !localStorage.getItem(OFF);
  isOn.addEventListener("change", () => (isOn.checked ? localStorage.removeItem(OFF) : localStorage.setItem(OFF, "1")));
  const button = document.getElementById("show-keys");
  button.hidden = false;
  button.addEventListener("click", () => dialog.showModal());

  const prepareAll = () => grids.forEach(prepare);
  onShow.unshift(prepareAll);
  prepareAll();
  restoreFocus();
}
