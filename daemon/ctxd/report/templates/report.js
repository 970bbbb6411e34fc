"use strict";
(() => {
  const root = document.documentElement;
  const $ = (id) => document.getElementById(id);
  const remember = (key, value) => {
    try {
      if (value === undefined) return localStorage.getItem(key);
      localStorage.setItem(key, value);
    } catch { /* a file opened from disk may not remember anything */ }
    return null;
  };

  // Light or dark: what the system prefers, until the reader chooses.
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const theme = $("theme");
  const isDark = () => (root.dataset.theme || (prefersDark.matches ? "dark" : "light")) === "dark";
  const showTheme = () => {
    theme.textContent = isDark() ? "Light" : "Dark";
    theme.setAttribute("aria-label", isDark() ? "Show it light" : "Show it dark");
  };
  const chosen = remember("ctxd-theme");
  if (chosen === "dark" || chosen === "light") root.dataset.theme = chosen;
  theme.hidden = false;
  theme.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    remember("ctxd-theme", root.dataset.theme);
    showTheme();
  });
  prefersDark.addEventListener("change", showTheme);
  showTheme();

  // The list: all words of a search have to be in an item, in any order.
  const form = $("search");
  const box = $("words");
  const items = [...document.querySelectorAll(".items > li")];
  const texts = items.map((item) => item.textContent.toLowerCase());
  let kind = "";
  const filter = () => {
    const wanted = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    items.forEach((item, index) => {
      const fits = (!kind || item.dataset.kind === kind)
        && wanted.every((word) => texts[index].includes(word));
      item.hidden = !fits;
      shown += fits;
    });
    $("found").textContent = shown === items.length
      ? `${shown} ${shown === 1 ? "item" : "items"}`
      : `${shown} of ${items.length} items`;
    $("nothing").hidden = shown > 0;
  };
  if (form) {
    form.hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    box.addEventListener("input", filter);
    form.querySelectorAll("[data-kind]").forEach((button, _, all) => {
      button.addEventListener("click", () => {
        kind = button.dataset.kind;
        all.forEach((one) => one.setAttribute("aria-pressed", String(one === button)));
        filter();
      });
    });
  }

  // Keys: letters only where the reader leaves them on, and never while somebody types.
  const letters = $("keys");
  $("shortcuts").hidden = false;
  letters.checked = remember("ctxd-keys") !== "off";
  letters.addEventListener("change", () => remember("ctxd-keys", letters.checked ? "on" : "off"));
  const step = (by) => {
    const lines = [...document.querySelectorAll("main summary")]
      .filter((line) => line.checkVisibility());
    const here = lines.indexOf(document.activeElement);
    const next = here < 0 ? (by > 0 ? 0 : lines.length - 1) : here + by;
    if (lines[next]) {
      lines[next].focus();
      lines[next].scrollIntoView({ block: "nearest" });
    }
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const at = event.target;
    if (at === box) {
      if (event.key === "Escape") {
        box.value = "";
        filter();
        box.blur();
      } else if (event.key === "ArrowDown") {
        const first = items.find((item) => !item.hidden);
        if (first) first.querySelector("summary").focus();
        event.preventDefault();
      }
      return;
    }
    const onLine = at instanceof Element && at.matches("summary");
    const moves = { ArrowDown: onLine && 1, ArrowUp: onLine && -1 };
    if (letters.checked) Object.assign(moves, { j: 1, k: -1 });
    if (letters.checked && event.key === "/" && form) {
      box.focus();
      box.select();
      event.preventDefault();
    } else if (moves[event.key]) {
      step(moves[event.key]);
      event.preventDefault();
    }
  });
})();
