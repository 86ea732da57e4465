// What do the pages do around kernels? They copy exactly what is named, and say so when a link leads
// to a region that has another name now. What listings and exercises do is in panes.js.
// Listening on the document, they need no set-up for pages that are loaded later. Without this
// script the buttons stay hidden, and every link and every text is there all the same.
(() => {
  "use strict";
  if (window.courseKernels) return;
  window.courseKernels = true;

  const root = document.documentElement;
  root.classList.add("course-scripted"); // The style sheet shows the buttons by it.

  // Copying ------------------------------------------------------------------------------------

  const spoken = document.createElement("div");
  spoken.className = "course-hidden";
  spoken.setAttribute("role", "status");
  spoken.setAttribute("aria-live", "polite");
  document.body.append(spoken);

  function say(text) {
    if (!spoken.isConnected) document.body.append(spoken);
    spoken.textContent = text;
  }

  const findCode = (button) =>
    button.closest(".highlight, .course-snippet, [data-course-directive]")?.querySelector("pre > code") ?? null;
  const findFile = (button) => button.parentElement.querySelector("a[download][href]");

  // A file of another site, such as a page of the project's sources, is not what is to be copied.
  function isReachable(link) {
    return link !== null && location.protocol !== "file:" && link.origin === location.origin;
  }

  async function fetchText(link) {
    const answer = await fetch(link.href);
    const type = answer.headers.get("content-type") ?? "";
    if (!answer.ok || type.includes("text/html")) throw new Error(`no file at ${link.href}`);
    // As pages show it: without a mark at its beginning, lines ended by LF.
    return (await answer.text()).replace(/\r\n?/g, "\n");
  }

  // Handing over a promise keeps the click's permission while a file is on its way.
  async function writeClipboard(text) {
    if (!navigator.clipboard) throw new Error("no clipboard here");
    if (text instanceof Promise && window.ClipboardItem) {
      const blob = text.then((words) => new Blob([words], { type: "text/plain" }));
      await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
    } else {
      await navigator.clipboard.writeText(await text);
    }
  }

  // The older way, which pages that are not served securely still have.
  function copyByEvent(text) {
    let taken = false;
    const take = (event) => {
      event.clipboardData.setData("text/plain", text);
      event.preventDefault();
      taken = true;
    };
    document.addEventListener("copy", take, { once: true, capture: true });
    try {
      return document.execCommand("copy") && taken;
    } catch {
      return false;
    } finally {
      document.removeEventListener("copy", take, { capture: true });
    }
  }

  const notes = new WeakMap(); // What was last said of each button.

  function note(button, text, more) {
    const told = document.createElement("span");
    told.className = "course-copy__note";
    told.append(text, more ?? "");
    const head = button.closest(
      ".course-snippet__head, .course-source__head, .course-transcript__head, .course-program__commands, .highlight",
    );
    if (head) head.after(told);
    else button.closest("li, p").append(told);
    notes.set(button, told);
    say(text);
  }

  function showDone(button) {
    const name = button.getAttribute("aria-label").replace(/^Copy /, "");
    const before = button.dataset.courseBefore ?? button.textContent;
    button.dataset.courseBefore = before;
    button.textContent = "Copied";
    say(`Copied ${name}`);
    window.setTimeout(() => (button.textContent = before), 2000);
  }

  // Nothing may write the clipboard: what is to be copied is selected for the reader to do it.
  function selectText(button, text) {
    const told = "The browser lets nothing be copied here. The text is selected: copy it by keyboard or menu.";
    const code = button.dataset.courseCopy === "code" ? findCode(button) : null;
    if (code) {
      note(button, told);
      getSelection().selectAllChildren(code);
      return;
    }
    const area = document.createElement("textarea");
    area.readOnly = true;
    area.rows = 6;
    area.setAttribute("aria-label", button.getAttribute("aria-label"));
    area.value = text;
    note(button, told, area);
    area.focus();
    area.select();
  }

  async function copy(button) {
    notes.get(button)?.remove();
    let text;
    if (button.dataset.courseCopy === "file") text = fetchText(findFile(button));
    else if (button.dataset.courseCopy === "code") text = findCode(button).textContent;
    else text = button.parentElement.querySelector("code").textContent;
    try {
      await writeClipboard(text);
      showDone(button);
      return;
    } catch {
      // Told below, by what is left to do.
    }
    try {
      text = await text;
    } catch {
      note(button, "The file could not be fetched. Try its link instead.");
      return;
    }
    if (copyByEvent(text)) showDone(button);
    else selectText(button, text);
  }

  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element && event.target.closest("[data-course-copy]");
    if (button) copy(button);
  });

  // Where the first line of code ends, in sight or not.
  function measureFirstLine(code) {
    const range = document.createRange();
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const end = text.data.indexOf("\n");
      range.setEnd(text, end < 0 ? text.length : end);
      if (end >= 0) break;
    }
    range.setStart(code, 0);
    return range.getBoundingClientRect().right;
  }

  const themes = JSON.parse(document.getElementById("__config")?.textContent ?? "{}").features ?? [];

  // Code that an author fences gets the same button as a program's, unless the theme has its own.
  function offerCopies() {
    if (themes.includes("content.code.copy")) return;
    for (const pre of document.querySelectorAll(".highlight > pre")) {
      const block = pre.parentElement;
      if (block.closest("[data-course-directive], .no-copy") || block.querySelector(".course-copy")) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "course-copy";
      button.dataset.courseCopy = "code";
      const title = block.querySelector(".filename")?.textContent.trim();
      button.setAttribute("aria-label", `Copy ${title || "this code"}`);
      button.textContent = "Copy";
      block.append(button);
      const reach = measureFirstLine(pre.querySelector("code"));
      if (!title && reach > button.getBoundingClientRect().left) block.classList.add("course-fence");
    }
  }

  function hideUseless() {
    for (const button of document.querySelectorAll("[data-course-copy='file']")) {
      button.hidden = !isReachable(findFile(button));
    }
  }

  // Links to what has another name now --------------------------------------------------------

  const KINDS = [
    ["region-", "region", ".course-source__regions a[href*='#region-']"],
    ["snippet-", "snippet", ".course-snippet[id]"],
    ["L", "line", ""],
  ];

  // A link into a fold opens it; browsers that do so themselves have scrolled already.
  function openFolds(node) {
    const folds = [];
    for (let at = node.parentElement; at; at = at.parentElement) {
      if (at instanceof HTMLDetailsElement && !at.open) folds.push(at);
    }
    if (!folds.length) return;
    for (const fold of folds) fold.open = true;
    node.scrollIntoView();
  }

  function explainAnchor() {
    document.querySelector(".course-gone")?.remove();
    let name;
    try {
      name = decodeURIComponent(location.hash.slice(1));
    } catch {
      return; // Not a name that any page gives.
    }
    const there = name && document.getElementById(name);
    if (there) openFolds(there);
    if (!name || there) return;
    const kind = KINDS.find(([start]) => name.startsWith(start));
    if (!kind || !document.querySelector("[data-course-program-source], .course-snippet[id]")) return;
    const [start, word, selector] = kind;
    if (word === "line" && !/^L\d+$/.test(name)) return;
    const told = document.createElement("p");
    told.className = "course-gone";
    told.setAttribute("role", "status");
    told.tabIndex = -1;
    const asked = document.createElement("code");
    asked.textContent = name.slice(start.length);
    told.append(`There is no ${word} `, asked, " here any more.");
    const known = selector ? [...document.querySelectorAll(selector)] : [];
    if (known.length) told.append(` The ${word}s of this page are: `);
    known.forEach((node, index) => {
      const link = document.createElement("a");
      link.href = node.getAttribute("href") ?? `#${node.id}`;
      link.textContent = (node.querySelector(".course-snippet__title") ?? node).textContent;
      told.append(index ? ", " : "", link);
    });
    if (known.length) told.append(".");
    const heading = document.querySelector("article h1, main h1, h1");
    if (heading) heading.after(told);
    else document.body.prepend(told);
    told.focus({ preventScroll: true });
    told.scrollIntoView({ block: "center" });
  }

  // The theme lets code be focused that has something to scroll; it looks at once, when code that is
  // out of sight has not been laid out, and not again.
  document.addEventListener("contentvisibilityautostatechange", (event) => {
    const code = event.target;
    if (event.skipped || !code.matches("pre > code")) return;
    if (code.scrollWidth > code.clientWidth) code.tabIndex = 0;
  });

  window.addEventListener("hashchange", explainAnchor);

  function begin() {
    offerCopies();
    hideUseless();
    explainAnchor();
  }

  // The theme loads a page into the one that is open, and says so here.
  if (window.document$) window.document$.subscribe(begin);
  else begin();
})();
