// Results of the search in the header while someone types; they come from the page of results. Fetched when the field gets the focus.
"use strict";
{
  const field = document.getElementById("find");
  const form = field.form;
  const panel = document.createElement("div");
  panel.className = "panel results-panel";
  panel.setAttribute("role", "region");
  panel.setAttribute("aria-label", field.dataset.list);
  panel.setAttribute("aria-live", "polite");
  panel.hidden = true;
  form.append(panel);
  document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: field.dataset.style }));
  // How many of what is coming up, and of what is past.
  const MOST = { coming: 5, past: 3 };
  const LEAST_LETTERS = 2, PAUSE = 200;
  let timer, asked;

  async function find() {
    const text = field.value.trim();
    stop();
    if (text.length < LEAST_LETTERS) return close();
    asked = new AbortController();
    const url = `/search?text=${encodeURIComponent(text)}`;
    const html = await fetch(url, { signal: asked.signal, headers: { Accept: "text/html" } })
      .then((response) => response.ok && response.text())
      .catch(() => null);
    if (!html) return;
    const page = new DOMParser().parseFromString(html, "text/html");
    const found = document.adoptNode(page.getElementById("found"));
    const shown = document.getElementById("found");
    if (shown) {
      // On the page of results itself.
      shown.replaceWith(found);
      history.replaceState(null, "", url);
    } else {
      show(found, url);
    }
  }

  function show(found, url) {
    for (const [id, most] of Object.entries(MOST)) {
      for (const row of [...found.querySelectorAll(`[aria-labelledby=${id}] li`)].slice(most)) row.remove();
    }
    for (const extra of found.querySelectorAll(".round, .meta, [aria-labelledby=calendars-title]")) extra.remove();
    // The page may have headings of the same names.
    for (const named of found.querySelectorAll("[id]")) named.removeAttribute("id");
    panel.replaceChildren(...found.children);
    if (found.dataset.all) {
      const all = document.createElement("a");
      [all.className, all.href, all.textContent] = ["all", url, found.dataset.all];
      panel.append(all);
    }
    panel.hidden = false;
  }

  function close() {
    stop();
    panel.hidden = true;
  }

  // What is asked for must not open the list again.
  function stop() {
    clearTimeout(timer);
    asked?.abort();
  }

  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(find, PAUSE);
  });
  form.addEventListener("keydown", (event) => {
    const links = [field, ...panel.querySelectorAll("a")];
    if (event.key === "Escape" && !panel.hidden) {
      close();
      field.focus();
    } else if (!panel.hidden && ["ArrowDown", "ArrowUp"].includes(event.key)) {
      const step = event.key === "ArrowDown" ? 1 : links.length - 1;
      links[(links.indexOf(document.activeElement) + step) % links.length].focus();
    } else return;
    event.preventDefault();
  });
  // The list closes when someone goes on elsewhere.
  for (const kind of ["focusin", "click"]) {
    document.addEventListener(kind, (event) => { if (!form.contains(event.target)) close(); });
  }
  // What was typed before this file was there.
  if (field.value && field.value !== field.defaultValue) find();
}
