// Passkeys: a form with data-passkey asks an authenticator, puts its answer into the field `passkey`, and is sent.
"use strict";

const supported = window.PublicKeyCredential?.parseRequestOptionsFromJSON && window.PublicKeyCredential?.parseCreationOptionsFromJSON;
let waiting = null;

async function ask(form, request = {}) {
  const response = await fetch(form.dataset.options, { method: "POST", headers: { Accept: "application/json" } });
  if (!response.ok) throw new Error(response.statusText);
  const options = JSON.parse((await response.json()).options);
  return form.dataset.passkey === "create"
    ? navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options), ...request })
    : navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options), ...request });
}

function send(form, credential) {
  form.elements.passkey.value = JSON.stringify(credential);
  form.submit();
}

for (const form of supported ? document.querySelectorAll("form[data-passkey]") : []) {
  form.hidden = false;
  form.querySelector("button").hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const problem = form.querySelector("[role=alert]");
    problem.hidden = true;
    // One question at a time: the list of passkeys below the field ends first.
    waiting?.abort();
    try {
      send(form, await ask(form));
    } catch {
      problem.hidden = false;
    }
  });
}

// The browser lists passkeys below the field of the user name, where it can.
(async () => {
  const form = document.querySelector("form[data-passkey=get]");
  if (!supported || !form || !(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  waiting = new AbortController();
  try {
    send(form, await ask(form, { mediation: "conditional", signal: waiting.signal }));
  } catch {
    // Nobody chose one, or the button asked.
  }
})();
