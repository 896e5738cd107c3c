// A new event as its card will look, beside the form, and a draft of it in this tab until it is published.
"use strict";

{
  const form = document.querySelector("form[action='/events']");
  const card = document.querySelector("[data-card]");
  const notice = document.querySelector("[data-draft]");
  const language = document.documentElement.lang === "en" ? "en-GB" : document.documentElement.lang;
  // Drafts belong to the account, and end with the tab: the next one at a shared machine does not see them.
  const key = `draft of a new event ${notice.dataset.draft}`;
  const names = ["title", "start_time", "start_clock", "end_time", "end_clock", "location", "time_zone", "calendar_id", "visibility", "description", "tag_list",
    ...new Set([...form.querySelectorAll(".repetition [name]")].map((field) => field.name))];
  const read = () => { const data = new FormData(form); return Object.fromEntries(names.map((name) => [name, data.getAll(name).join(",")])); };
  const initial = JSON.stringify(read());

  // In twelve hours, where the reader has those.
  const { hours } = document.documentElement.dataset;
  const inHours = (clock) => !hours ? clock : new Date(`2000-01-01T${clock}Z`).toLocaleTimeString(language, { hour: "numeric", minute: "2-digit", hourCycle: hours, timeZone: "UTC" });

  // A rule that ends, or is without a sentence of its own, is described with its dates.
  function describeRule(repeat) {
    if (repeat === "none") return "";
    const isWhole = repeat !== "custom" && form.querySelector("[name=ends]:checked").value === "never";
    const described = !isWhole && form.querySelector("[data-dates] strong");
    return (described || form.querySelector("[name=repeat]:checked + [data-sentence]")).textContent;
  }

  function show() {
    const event = read();
    const start = new Date(`${event.start_time}T${event.start_clock || "00:00"}Z`);
    const day = new Intl.DateTimeFormat(language, { weekday: "long", day: "numeric", month: "long", timeZone: "UTC" });
    const clocks = [event.start_clock, event.end_clock].filter(Boolean).map(inHours).join("–");
    card.querySelector("[data-time]").textContent = Number.isNaN(start.getTime()) ? "" : [day.format(start), clocks].filter(Boolean).join(", ");
    card.querySelector("[data-repeat]").textContent = describeRule(event.repeat);
    card.querySelector("[data-title]").textContent = event.title || card.dataset.untitled;
    card.querySelector("[data-place]").textContent = event.location;
    const calendar = form.querySelector("[name=calendar_id]");
    card.querySelector("[data-calendar]").textContent = calendar.selectedOptions[0]?.textContent ?? "";
    const tags = event.tag_list.split(",").map((tag) => tag.trim()).filter(Boolean).slice(0, 4);
    card.querySelector("[data-tags]").replaceChildren(...tags.map((tag) => { const chip = document.createElement("bdi"); chip.className = "chip"; chip.textContent = tag; return chip; }));
    card.hidden = false;
  }

  // Private windows may have no storage: then nothing is kept.
  const storage = (action) => { try { return action(sessionStorage); } catch { return null; } };

  function keep() {
    const text = JSON.stringify(read());
    if (text === initial) return;
    storage((session) => session.setItem(key, text));
    notice.hidden = false;
  }

  function fill(text) {
    const draft = JSON.parse(text);
    for (const name of names.filter((each) => typeof draft[each] === "string")) {
      const fields = form.querySelectorAll(`[name="${name}"]`);
      if (["radio", "checkbox"].includes(fields[0]?.type)) fields.forEach((field) => { field.checked = draft[name].split(",").includes(field.value); });
      else if (fields[0] && !(fields[0].tagName === "SELECT" && ![...fields[0].options].some((option) => option.value === draft[name]))) fields[0].value = draft[name];
    }
    // The repetition is among the options.
    if (draft.repeat !== "none") form.querySelector(".repetition").closest("details").open = true;
    notice.hidden = false;
  }

  const draft = storage((session) => session.getItem(key));
  // What the address, a line or an error has filled in goes before the draft.
  if (draft && notice.dataset.fresh) {
    fill(draft);
    form.dispatchEvent(new Event("filled"));
  }
  notice.querySelector("button").addEventListener("click", () => {
    fill(initial);
    form.dispatchEvent(new Event("filled"));
    storage((session) => session.removeItem(key));
    notice.hidden = true;
    form.querySelector("[name=title]").focus();
  });
  // A picture that was chosen has been read for the form.
  const picture = document.getElementById("picture-preview");
  picture.addEventListener("load", () => {
    const image = card.querySelector("img");
    [image.src, image.hidden] = [picture.src, false];
  });
  form.addEventListener("input", () => { show(); keep(); });
  form.addEventListener("change", show);
  form.addEventListener("filled", () => { show(); keep(); });
  form.addEventListener("described", show);
  // If publishing fails, the form comes back with what was typed.
  form.addEventListener("submit", () => storage((session) => session.removeItem(key)));
  show();
}
