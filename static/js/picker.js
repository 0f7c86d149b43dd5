"use strict";

// The player picker: [data-combobox] holds a <select> (the value, and all there is without scripts),
// an input [data-combobox-input] whose hx-get fills [data-combobox-list] with button[data-value],
// and for several choices [data-combobox-chosen].

class Combobox {
  constructor(root) {
    this.root = root;
    this.select = root.querySelector("select");
    this.input = root.querySelector("[data-combobox-input]");
    this.list = root.querySelector("[data-combobox-list]");
    this.chosen = root.querySelector("[data-combobox-chosen]");
    this.active = -1;
    this.input.hidden = false;
    this.input.required = this.select.required && !this.chosen;
    this.select.hidden = true;
    this.select.required = false; // a hidden field that is required could not be pointed at
    for (const label of [...this.select.labels]) label.htmlFor = this.input.id;
    this.input.setAttribute("role", "combobox");
    this.input.setAttribute("aria-autocomplete", "list");
    this.input.setAttribute("aria-controls", this.list.id);
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", this.input.getAttribute("aria-label") ?? this.input.placeholder);
    // What is typed is a search: to the form around it nothing has changed before somebody is chosen.
    this.root.addEventListener("input", (event) => event.stopPropagation());
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.list.addEventListener("pointerdown", (event) => event.preventDefault());
    this.list.addEventListener("click", (event) => this.choose(event.target.closest("[data-value]")));
    this.list.addEventListener("htmx:afterSettle", () => this.filled());
    this.input.addEventListener("blur", () => this.leave());
    this.chosen?.addEventListener("click", (event) => this.remove(event.target.closest("[data-value]")));
    this.close();
    this.show();
  }

  get options() {
    return [...this.list.querySelectorAll("[data-value]")];
  }

  filled() {
    if (document.activeElement !== this.input) {
      this.close(); // the answer came after the reader had left
      return;
    }
    this.options.forEach((option, index) => {
      option.id = `${this.list.id}-${index}`;
      option.tabIndex = -1;
      option.setAttribute("role", "option");
    });
    this.input.setAttribute("aria-expanded", String(this.options.length > 0));
    this.point(this.options.length ? 0 : -1);
  }

  point(index) {
    this.active = index;
    this.options.forEach((option, at) => option.setAttribute("aria-selected", String(at === index)));
    const option = this.options[index];
    if (option) {
      this.input.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    } else {
      this.input.removeAttribute("aria-activedescendant");
    }
  }

  key(event) {
    const count = this.options.length;
    if (event.key === "Escape" && count) {
      this.close();
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && count) {
      this.point((this.active + (event.key === "ArrowDown" ? 1 : -1) + count) % count);
    } else if (event.key === "Enter") {
      this.choose(this.options[this.active]);
    } else {
      return;
    }
    event.preventDefault();
  }

  choose(option) {
    if (!option) return;
    const { value } = option.dataset;
    let item = [...this.select.options].find((known) => known.value === value);
    if (!item) {
      item = new Option(option.dataset.label ?? option.textContent.trim(), value);
      this.select.add(item);
    }
    item.selected = true;
    this.changed();
    this.input.focus();
  }

  remove(button) {
    if (!button) return;
    for (const item of this.select.options) if (item.value === button.dataset.value) item.selected = false;
    this.changed();
    this.input.focus();
  }

  changed() {
    this.close();
    this.show();
    this.select.dispatchEvent(new Event("change", { bubbles: true }));
  }

  show() {
    const selected = [...this.select.selectedOptions].filter((item) => item.value);
    if (!this.chosen) {
      this.input.value = selected[0]?.text ?? "";
      return;
    }
    this.input.value = "";
    this.chosen.replaceChildren(...selected.map((item) => {
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.value = item.value;
      button.textContent = item.text;
      button.setAttribute("aria-label", (this.chosen.dataset.remove ?? "%s").replace("%s", item.text));
      return button;
    }));
  }

  // Text that was typed but not chosen means no choice; an emptied input clears a single one.
  leave() {
    this.close();
    if (this.chosen) {
      this.input.value = "";
    } else if (!this.input.value && this.select.value) {
      this.select.value = "";
      this.changed();
    } else {
      this.show();
    }
  }

  close() {
    this.list.replaceChildren();
    this.input.setAttribute("aria-expanded", "false");
    this.point(-1);
  }
}

const comboboxes = new WeakSet();

function startComboboxes(root) {
  for (const element of root.querySelectorAll("[data-combobox]")) {
    if (comboboxes.has(element)) continue;
    comboboxes.add(element);
    new Combobox(element);
  }
}

startComboboxes(document);
document.addEventListener("htmx:afterSettle", (event) => startComboboxes(event.target));
