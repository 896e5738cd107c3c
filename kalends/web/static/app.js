// What pages gain with JavaScript. Without it they do the same, a click or two more.
"use strict";

// The first thing that is wrong, or that was done, is read out.
document.querySelector("[data-focus]")?.focus();

// A notice lies at the lower edge of the window for eight seconds, of which the style sheet keeps the time; a long one stays where it is.
const SHORT = 100;
function showNotice(box) {
  if (box.textContent.length > SHORT + (box.querySelector("form") ? 20 : 0)) return;
  const close = Object.assign(document.createElement("button"), { type: "button", className: "plain close", textContent: "×", ariaLabel: box.dataset.close });
  const end = () => { box.replaceChildren(); box.className = ""; };
  close.addEventListener("click", end);
  box.addEventListener("animationend", end, { once: true });
  // A notice that replaces another one has its own eight seconds.
  box.className = "";
  void box.offsetWidth;
  box.className = "notice toast";
  box.append(close);
}
for (const box of document.querySelectorAll("main > .notice[data-close]")) showNotice(box);
document.addEventListener("keydown", (event) => {
  if (event.key !== "z" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.target.matches("input, textarea, select, [contenteditable]")) return;
  const undo = document.querySelector(".notice form");
  if (!undo) return;
  event.preventDefault();
  undo.requestSubmit();
});

// Scripts that few visits need are fetched when they are needed.
const fetchScript = (src) => new Promise((resolve, reject) => {
  document.head.append(Object.assign(document.createElement("script"), { src, onload: resolve, onerror: reject }));
});
let questionScript;
const loadQuestion = () => (questionScript ??= fetchScript(document.querySelector("[data-question]").dataset.question));

// What asks first does so in a dialog; without the script of it, on a page.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-asks]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  loadQuestion().then(() => question.follow(link), () => location.assign(link.href));
});
document.addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  if (!form.matches("[data-asks]") || submitter?.name === "preview") return;
  event.preventDefault();
  loadQuestion().then(() => question.send(form, submitter), () => { form.removeAttribute("data-asks"); form.requestSubmit(submitter); });
});

// A menu closes when someone goes on elsewhere.
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details.menu[open]")) { menu.open = false; menu.querySelector("summary").focus(); }
});

// The / key goes to the search, unless keys are turned off in the calendar; its list of results is fetched then.
const find = document.getElementById("find");
find?.addEventListener("focus", () => { fetchScript(find.dataset.script); }, { once: true });
if (find) find.form.querySelector("kbd").hidden = false;
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.altKey || event.metaKey || !find?.offsetParent) return;
  if (event.target.matches("input, textarea, select, [contenteditable]") || document.querySelector("dialog[open], :popover-open")) return;
  if (localStorage.getItem("kalends-keys-off")) return;
  event.preventDefault();
  find.focus();
  find.select();
});

// A form that a person fills in is not taken for a program's, however quick the browser was.
const byHand = (event) => {
  if (event.isTrusted) for (const input of document.querySelectorAll("input[name=by_hand]")) input.value = "1";
};
for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, byHand, { passive: true });

// The browser's zone is the best guess for someone who signs up. It takes long to find, so not before they begin to fill in the form.
const zone = document.querySelector("input[data-guess-zone]");
zone?.form.addEventListener("focusin", () => {
  if (!zone.value || zone.value === zone.dataset.guessZone) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
}, { once: true });

// A picture is shown as soon as it is chosen.
for (const input of document.querySelectorAll("input[data-picture]")) {
  const image = document.getElementById(input.dataset.picture);
  input.addEventListener("change", () => {
    const reader = new FileReader();
    reader.addEventListener("load", () => { image.src = reader.result; image.hidden = false; });
    if (input.files[0]) reader.readAsDataURL(input.files[0]);
  });
}

// URLs to copy, where the browser lets pages do it: on https, and on this machine.
const { copied } = document.currentScript.dataset;
for (const button of navigator.clipboard ? document.querySelectorAll("button[data-copy]") : []) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).value);
    button.textContent = copied;
  });
}
