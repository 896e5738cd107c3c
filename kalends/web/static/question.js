// Questions in a dialog: the forms of the pages that the server has for them.
"use strict";
const question = (() => {
  // The question that the fields lead to, if there is one. Nothing is saved.
  async function find(url, fields) {
    fields.set("ask", "true");
    const reply = await fetch(url, { method: "POST", body: fields, headers: { Accept: "text/html" } }).catch(() => null);
    if (!reply?.ok) return null;
    return parse(await reply.text());
  }

  const parse = (text) => new DOMParser().parseFromString(text, "text/html").querySelector("form[data-question]");

  function open(form) {
    const dialog = Object.assign(document.createElement("dialog"), { className: "asking" });
    dialog.setAttribute("aria-labelledby", "question");
    dialog.append(document.adoptNode(form));
    document.body.append(dialog);
    dialog.addEventListener("close", () => dialog.remove(), { once: true });
    dialog.showModal();
    form.querySelector("[data-first]").focus();
    return dialog;
  }

  // Show it; returns what was chosen and written, or nothing if it was closed.
  function show(form) {
    const dialog = open(form);
    let answer = null;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (event.submitter.name === "notify") answer = { notify: event.submitter.value, message: form.querySelector("[name=message]").value.trim() };
      dialog.close();
    });
    return new Promise((resolve) => dialog.addEventListener("close", () => resolve(answer), { once: true }));
  }

  // The page to cancel or to delete an event opens over the page on which one is.
  async function follow(link) {
    const reply = await fetch(link.href, { headers: { Accept: "text/html" } }).catch(() => null);
    const form = reply?.ok ? parse(await reply.text()) : null;
    if (!form) return location.assign(link.href);
    const menu = link.closest("details");
    if (menu) menu.open = false;
    const dialog = open(form);
    form.querySelector("[data-keep]").addEventListener("click", (click) => { click.preventDefault(); dialog.close(); });
    dialog.addEventListener("close", () => (menu ? menu.querySelector("summary") : link).focus(), { once: true });
  }

  // Send the form, with the answer if there is a question.
  async function send(form, submitter) {
    const fields = new FormData(form, submitter);
    fields.delete("file");
    const found = await find(form.action, form.enctype === "multipart/form-data" ? fields : new URLSearchParams(fields));
    const answer = found ? await show(found) : {};
    if (!answer) return submitter?.focus();
    for (const [name, value] of Object.entries(answer)) form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
    form.removeAttribute("data-asks");
    form.requestSubmit(submitter);
  }

  return { find, show, follow, send };
})();
