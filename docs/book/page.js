// What mdBook's search asks of a page; which chapter this is; and what is wider than the page.
"use strict";
const path_to_root = document.documentElement.dataset.root;
const mdbook_something_else_has_focus = ({ target }) => target.matches("input, select, textarea");
document.documentElement.classList.add("scripted");
document.addEventListener("DOMContentLoaded", () => {
  const here = location.href.split(/[?#]/)[0].replace(/\/$/, "/index.html");
  for (const chapter of document.querySelectorAll("#contents a")) {
    if (chapter.href === here) chapter.setAttribute("aria-current", "page");
  }
  // Whatever is scrolled sideways can be reached with the keyboard.
  for (const wide of document.querySelectorAll("pre, .table-wrapper")) {
    if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0;
  }
});
