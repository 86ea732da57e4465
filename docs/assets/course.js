// What do the pages do beyond what the style sheet can? A claim's proof stands beside its claim,
// inside the window, and Escape closes it. Listening on the document, it needs no set-up for pages
// that are loaded later; without it a proof is shown at the window's foot. And a record's date says
// how old it is on the day it is read.
(() => {
  "use strict";
  const CLOSED = "course-claim--closed";
  const MARGIN = 8; // pixels between a proof and the window's edge

  if (window.courseProofs) return;
  window.courseProofs = true;

  const findClaim = (node) => (node instanceof Element ? node.closest(".course-claim") : null);
  const findProof = (claim) => claim.querySelector(":scope > .course-proof");

  let open = null;

  // Below the claim where there is room, else above; never across an edge of the window.
  function place(claim) {
    const proof = findProof(claim);
    const text = claim.querySelector(":scope > .course-claim__text");
    if (!proof || !text) return;
    const around = text.getClientRects()[0] || text.getBoundingClientRect();
    const last = [...text.getClientRects()].pop() || around;
    proof.style.bottom = "auto";
    proof.style.left = "0";
    proof.style.top = "0";
    const { width, height } = proof.getBoundingClientRect();
    const right = document.documentElement.clientWidth - MARGIN - width;
    const foot = window.innerHeight - MARGIN - height;
    const below = last.bottom;
    const above = around.top - height;
    const top = below <= foot || above < MARGIN ? below : above;
    proof.style.left = `${Math.max(MARGIN, Math.min(around.left, right))}px`;
    proof.style.top = `${Math.max(MARGIN, Math.min(top, foot))}px`;
  }

  function enter(event) {
    const claim = findClaim(event.target);
    if (!claim || (event.relatedTarget && claim.contains(event.relatedTarget))) return;
    claim.classList.remove(CLOSED);
    open = claim;
    place(claim);
  }

  function leave(event) {
    const claim = findClaim(event.target);
    if (!claim || (event.relatedTarget && claim.contains(event.relatedTarget))) return;
    if (open === claim && !claim.matches(":hover, :focus-within")) open = null;
  }

  document.addEventListener("mouseover", enter);
  document.addEventListener("focusin", enter);
  document.addEventListener("mouseout", leave);
  document.addEventListener("focusout", leave);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const claim of document.querySelectorAll(".course-claim:hover, .course-claim:focus-within")) {
      claim.classList.add(CLOSED);
    }
  });

  // A proof stands still in the window while its claim moves: follow.
  const follow = () => open && place(open);
  document.addEventListener("scroll", follow, { capture: true, passive: true });
  window.addEventListener("resize", follow);

  const DAY = 24 * 60 * 60 * 1000;

  // As an attribute that the style sheet shows: the page's own text stays what was checked.
  function tellAges() {
    for (const time of document.querySelectorAll("time[data-course-age]")) {
      const days = Math.floor((Date.now() - Date.parse(time.dateTime)) / DAY);
      if (days >= 0) {
        time.dataset.courseAge = days === 0 ? "today" : days === 1 ? "1 day ago" : `${days} days ago`;
      }
    }
  }

  // The theme gives each block of code a landmark, all of one name, when it comes into view.
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) {
      for (const node of addedNodes) {
        if (node.nodeName === "NAV" && node.className === "md-code__nav") node.role = "none";
      }
    }
  }).observe(document.documentElement, { childList: true, subtree: true });

  // The theme loads a page into the one that is open, and says so here.
  if (window.document$) window.document$.subscribe(tellAges);
  else tellAges();
})();
