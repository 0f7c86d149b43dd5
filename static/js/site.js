// Everything works without this file; it makes live tables pleasant.
"use strict";

// --- Live fragments: no polling while nobody looks, nothing swapped when nothing changed.

const lastAnswers = new Map();

document.addEventListener("htmx:beforeRequest", (event) => {
  if (document.hidden && event.target.matches("[data-live]")) event.preventDefault();
});

document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  for (const element of document.querySelectorAll("[data-live]")) htmx.trigger(element, "refresh");
});

document.addEventListener("htmx:beforeSwap", (event) => {
  const { target, serverResponse, requestConfig } = event.detail;
  const answer = `${requestConfig.path}\n${serverResponse}`;
  if (requestConfig.elt.matches("[data-live]") && lastAnswers.get(target.id) === answer) event.detail.shouldSwap = false;
  lastAnswers.set(target.id, answer);
});

// --- What moved while the page stood open: a new data-key, or another data-value than before the swap.
// A row with a name needs neither: it is known by its link, and its value is where it stands and its first number.

const KEYED = "[data-key], .table tr:has(a.name)";
let valuesBefore = new Map();

const keyOf = (each) => each.dataset.key ?? each.querySelector("a.name").href;
const valueOf = (each) => each.dataset.value ?? `${each.rowIndex} ${each.querySelector("td:has(a.name) ~ .num")?.innerText.split("\n")[0]}`;
const values = (root) => new Map([...root.querySelectorAll(KEYED)].map((each) => [keyOf(each), valueOf(each)]));

document.addEventListener("htmx:beforeSwap", (event) => {
  const { target, requestConfig } = event.detail;
  valuesBefore = requestConfig.elt.matches("[data-live]") ? values(target) : new Map();
});

document.addEventListener("htmx:afterSettle", (event) => {
  for (const each of valuesBefore.size ? event.target.querySelectorAll(KEYED) : []) {
    if (valuesBefore.get(keyOf(each)) !== valueOf(each)) each.classList.add("moved");
  }
  const told = event.target.closest("[data-status]");
  const status = document.getElementById("live-status");
  if (told && status.textContent !== told.dataset.status) status.textContent = told.dataset.status;
});

// --- Search: what the address says beside the search (sort, filter) stays, the page begins anew.

document.addEventListener("htmx:configRequest", (event) => {
  if (!event.target.matches(".search input")) return;
  for (const [name, value] of new URLSearchParams(location.search)) {
    if (name !== "q" && !name.endsWith("page")) event.detail.parameters[name] = value;
  }
});

// --- Details with an id stay as the reader left them when what they stand in is swapped.

let openBefore = new Map();

document.addEventListener("htmx:beforeSwap", (event) => {
  openBefore = new Map([...event.detail.target.querySelectorAll("details[id]")].map((each) => [each.id, each.open]));
});

document.addEventListener("htmx:afterSwap", () => {
  for (const [id, open] of openBefore) {
    const details = document.getElementById(id);
    if (details) details.open = open;
  }
});

// --- An act that was refused says why: the sentence of the error page. A live fragment asks again by itself.

document.addEventListener("htmx:responseError", (event) => {
  if (event.detail.elt.matches("[data-live]")) return;
  const page = new DOMParser().parseFromString(event.detail.xhr.responseText, "text/html");
  window.alert(page.querySelector("main p")?.textContent ?? event.detail.error);
});

// --- Confirmation: data-confirm="sentence" on a form or on the button that sends it.

document.addEventListener("submit", (event) => {
  const sentence = event.submitter?.dataset.confirm ?? event.target.dataset.confirm;
  if (sentence && !window.confirm(sentence)) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
}, true);

// --- A new league is most often where its maker is.

const ownZone = document.querySelector("[data-own-zone]");
if (ownZone) ownZone.value = Intl.DateTimeFormat().resolvedOptions().timeZone || ownZone.value;
