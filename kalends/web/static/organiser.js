// What the pages of organisers gain with JavaScript.
"use strict";

// The share sheet of the phone, where the browser has one.
for (const row of navigator.share ? document.querySelectorAll("[data-share]") : []) {
  row.hidden = false;
  const button = row.querySelector("button");
  button.addEventListener("click", () => {
    // Who closes the sheet has shared nothing, which is no error.
    navigator.share({ title: button.dataset.shareTitle, url: button.dataset.shareUrl }).catch(() => {});
  });
}

// What can be done with the selected guests appears below the list, with their number, once someone is selected.
const bar = document.querySelector("[data-selection]");
if (bar) {
  const list = bar.nextElementSibling;
  const boxes = [...document.querySelectorAll("input[form=selected]")];
  list.after(bar);
  const update = () => {
    const number = boxes.filter((box) => box.checked).length;
    bar.hidden = !number;
    bar.toggleAttribute("data-on", Boolean(number));
    bar.querySelector("[data-count]").textContent = bar.dataset.selection.replace("{number}", () => number.toLocaleString(document.documentElement.lang));
  };
  for (const box of boxes) box.addEventListener("change", update);
  // Browsers tick again what was ticked, when someone comes back.
  addEventListener("pageshow", update);
  update();
}
