// What the page to invite people gains with JavaScript: one tick for all, and addresses as chips that can be removed.
"use strict";

// All contacts in view with one tick, and how many are ticked.
const all = document.querySelector("[data-all]");
if (all) {
  const [whole, ...boxes] = all.parentElement.querySelectorAll("input:not(:disabled)");
  const line = document.querySelector("[data-selected]");
  const update = () => {
    const number = boxes.filter((box) => box.checked).length;
    whole.checked = number > 0 && number === boxes.length;
    whole.indeterminate = number > 0 && number < boxes.length;
    line.hidden = !number;
    line.textContent = line.dataset.selected.replace("{number}", () => number.toLocaleString(document.documentElement.lang));
  };
  all.hidden = !boxes.length;
  whole.addEventListener("change", () => {
    for (const box of boxes) box.checked = whole.checked;
    update();
  });
  for (const box of boxes) box.addEventListener("change", update);
  addEventListener("pageshow", update);
  update();
}

// The text field, which the form sends, has all of them.
const addresses = document.querySelector("[data-addresses]");
if (addresses) {
  const [field, list] = [addresses.querySelector("textarea"), document.createElement("ul")];
  const input = document.createElement("input");
  const label = addresses.querySelector("label");
  const SEPARATORS = /[\s,;]+/;
  const chosen = new Map();
  const write = () => { field.value = [...chosen.keys()].join("\n"); };
  const remove = (address) => { chosen.get(address).remove(); chosen.delete(address); write(); };
  function add(address) {
    const [item, button] = [document.createElement("li"), document.createElement("button")];
    const name = Object.assign(document.createElement("bdi"), { textContent: address });
    Object.assign(button, { type: "button", className: "plain", textContent: "×", ariaLabel: addresses.dataset.addresses.replace("{address}", () => address) });
    button.addEventListener("click", () => { remove(address); input.focus(); });
    item.className = "chip";
    item.append(name, button);
    list.append(item);
    chosen.set(address, item);
  }
  function take(text) {
    for (const address of text.split(SEPARATORS)) if (address && !chosen.has(address)) add(address);
    input.value = "";
    write();
  }
  // What follows the last separator is still being typed.
  input.addEventListener("input", () => { if (SEPARATORS.test(input.value)) take(input.value); });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && input.value.trim()) { event.preventDefault(); take(input.value); }
    if (event.key === "Backspace" && !input.value && chosen.size) {
      event.preventDefault();
      input.value = [...chosen.keys()].pop();
      remove(input.value);
    }
  });
  input.addEventListener("paste", (event) => { event.preventDefault(); take(`${input.value} ${event.clipboardData.getData("text")}`); });
  input.addEventListener("blur", () => take(input.value));
  Object.assign(input, { id: field.id, type: "text", autocomplete: "off", inputMode: "email" });
  for (const name of ["aria-describedby", "aria-invalid"]) if (field.hasAttribute(name)) input.setAttribute(name, field.getAttribute(name));
  field.removeAttribute("id");
  field.hidden = true;
  list.className = "chips";
  label.after(input, list);
  take(field.value);
}
