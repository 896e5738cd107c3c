// The question whether guests are emailed, in a dialog: the form of the page that the server has for it.
"use strict";
const question = (() => {
  // The question that the fields lead to, if there is one. Nothing is saved.
  async function find(url, fields) {
    fields.set("ask", "true");
    const reply = await fetch(url, { method: "POST", body: fields, headers: { Accept: "text/html" } }).catch(() => null);
    if (!reply?.ok) return null;
    return new DOMParser().parseFromString(await reply.text(), "text/html").querySelector("form[data-question]");
  }

  // Show it; returns what was chosen and written, or nothing if it was closed.
  function show(form) {
    const dialog = Object.assign(document.createElement("dialog"), { className: "asking" });
    dialog.setAttribute("aria-labelledby", "question");
    dialog.append(document.adoptNode(form));
    document.body.append(dialog);
    let answer = null;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (event.submitter.name === "notify") answer = { notify: event.submitter.value, message: form.querySelector("[name=message]").value.trim() };
      dialog.close();
    });
    dialog.showModal();
    form.querySelector("[data-first]").focus();
    return new Promise((resolve) => dialog.addEventListener("close", () => { dialog.remove(); resolve(answer); }, { once: true }));
  }

  for (const form of document.querySelectorAll("form[data-asks]")) {
    let isAnswered = false;
    form.addEventListener("submit", async (event) => {
      if (isAnswered || event.submitter?.name === "preview") return;
      event.preventDefault();
      const fields = new FormData(form, event.submitter);
      fields.delete("file");
      const found = await find(form.action, form.enctype === "multipart/form-data" ? fields : new URLSearchParams(fields));
      const answer = found ? await show(found) : {};
      if (!answer) return event.submitter?.focus();
      for (const [name, value] of Object.entries(answer)) form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
      isAnswered = true;
      form.requestSubmit(event.submitter);
    });
  }
  return { find, show };
})();
