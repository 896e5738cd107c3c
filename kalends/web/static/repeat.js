// The dates of a rule, and the sentences for the start, follow what people choose. Without JavaScript, a button shows them.
"use strict";

for (const form of document.querySelectorAll("form[data-preview]")) {
  const delay = 300;
  let timer, controller;

  async function update() {
    controller?.abort();
    controller = new AbortController();
    const body = new URLSearchParams(new FormData(form));
    body.set("preview", "live");
    try {
      const reply = await fetch(form.action, { method: "POST", body, headers: { Accept: "text/html" }, signal: controller.signal });
      if (!reply.ok) return;
      const page = new DOMParser().parseFromString(await reply.text(), "text/html");
      const fresh = page.querySelector("form[data-preview]");
      if (!fresh) return;
      form.querySelector("[data-dates]").replaceChildren(...fresh.querySelector("[data-dates]").childNodes);
      form.querySelector("[name=sentences_for]").value = fresh.querySelector("[name=sentences_for]").value;
      const sentences = fresh.querySelectorAll("[data-sentence]");
      form.querySelectorAll("[data-sentence]").forEach((line, n) => { line.textContent = sentences[n].textContent; });
      form.dispatchEvent(new Event("described"));
    } catch (error) {
      // A newer choice, or no network: the button is still there.
      if (error.name !== "AbortError") form.querySelector("[name=preview]").hidden = false;
    }
  }

  form.querySelector("[name=preview]").hidden = true;
  form.addEventListener("input", (event) => {
    // A date or a number chooses the end that it belongs to.
    const end = { end_date: "on", count: "after" }[event.target.name];
    if (end && event.target.value) form.querySelector(`[name=ends][value=${end}]`).checked = true;
    if (!event.target.closest(".repetition") && !["start_time", "start_clock", "time_zone", "calendar_id"].includes(event.target.name)) return;
    clearTimeout(timer);
    timer = setTimeout(update, delay);
  });
  const isRepeated = () => !form.querySelector("[name=repeat][value=none]")?.checked;
  // The line or a draft has filled in another start, or the repetition.
  form.addEventListener("filled", update);
  if (isRepeated()) update();
}
