// "Try it" for each operation of the API reference: a form made of its parameters, sent to this very site.
"use strict";

for (const article of document.querySelectorAll("article[data-method]")) {
  const details = document.createElement("details");
  const summary = document.createElement("summary");
  summary.textContent = "Try it";
  details.append(summary);
  details.addEventListener("toggle", () => { if (details.open && !details.querySelector("form")) details.append(form(article)); });
  article.append(details);
}

// Followed links open the record that they lead to.
const open = () => { const target = document.getElementById(location.hash.slice(1)); if (target?.tagName === "DETAILS") target.open = true; };
addEventListener("hashchange", open);
open();

function form(article) {
  const made = document.createElement("form");
  made.className = "try";
  const terms = [...article.querySelectorAll("dt[data-name]")];
  const inputs = terms.map((term, index) => {
    const { name, place } = term.dataset;
    const input = document.createElement("input");
    const isFile = term.textContent.includes("file,") && place === "body";
    Object.assign(input, { id: `${article.id}-${index}`, name, type: isFile ? "file" : /password|secret/.test(name) ? "password" : "text" });
    const label = document.createElement("label");
    Object.assign(label, { htmlFor: input.id, textContent: name });
    made.append(label, input);
    return { name, place, input };
  });
  const button = document.createElement("button");
  button.textContent = `Send ${article.dataset.method}`;
  const output = document.createElement("pre");
  Object.assign(output, { className: "scroll", tabIndex: 0, hidden: true });
  output.setAttribute("role", "status");
  made.append(button, output);
  made.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    output.hidden = false;
    output.textContent = await send(article, inputs).catch((error) => `Nothing came back: ${error.message}`);
    button.disabled = false;
  });
  return made;
}

async function send(article, inputs) {
  const used = inputs.filter(({ place, input }) => place === "path" || input.value);
  const at = (wanted) => used.filter(({ place }) => place === wanted);
  let path = article.dataset.path;
  for (const { name, input } of at("path")) path = path.replace(`{${name}}`, encodeURIComponent(input.value));
  const query = new URLSearchParams(at("query").map(({ name, input }) => [name, input.value]));
  const headers = Object.fromEntries(at("header").map(({ name, input }) => [name, input.value]));
  const options = { method: article.dataset.method, headers };
  const body = at("body");
  if (body.length) {
    options.body = new FormData();
    for (const { name, input } of body) options.body.append(name, input.files ? input.files[0] : input.value);
    if (!body.some(({ input }) => input.files)) options.body = new URLSearchParams(options.body);
  }
  const reply = await fetch(path + (query.size ? `?${query}` : ""), options);
  const text = await reply.text();
  const content = /json/.test(reply.headers.get("content-type") ?? "") ? JSON.stringify(JSON.parse(text), null, 2) : text;
  return `${options.method} ${path}\n${reply.status} ${reply.statusText}\n\n${content}`;
}
