// What both drivers share: a Chromium that reaches nothing but this machine, and an accessibility checker.

import { createRequire } from "node:module";
import { mkdirSync, readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const isSoak = process.env.SOAK === "1";
// Every combination that people use: phones and a screen, light and dark. An ordinary run has the narrowest in the dark and
// the widest in the light, because a page is laid out alike in both, and checks in one look the accessibility rules that do
// not depend on it.
const all = [360, 390, 1440].flatMap((width) =>
  ["light", "dark"].map((colorScheme) => ({
    width,
    colorScheme,
    everyRule: (width === 360 && colorScheme === "dark") || (isSoak && width === 1440 && colorScheme === "light"),
  })),
);
const isOrdinary = ({ width, colorScheme }) => (colorScheme === "dark" ? width === 360 : width === 1440);
export const looks = all.filter((look) => isSoak || isOrdinary(look));

// A driver that hangs exits by itself, and says so.
const DRIVER_MS_MAX = 300_000;

export async function start() {
  setTimeout(() => {
    console.error(`the driver took longer than ${DRIVER_MS_MAX} ms`);
    process.exit(1);
  }, DRIVER_MS_MAX).unref();
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    // The tests may run as root, for whom Chromium has no sandbox of its own.
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
  });
}

// A page in its own context that records whatever a person should never see.
export async function open(browser, { width, height = 900, colorScheme, token, baseAllowed }) {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    // The accessibility checker is injected from outside; the page's own policy is checked by what it refuses.
    bypassCSP: false,
    extraHTTPHeaders: token ? { Authorization: `Bearer ${token}` } : {},
  });
  const troubles = [];
  const page = await context.newPage();
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) troubles.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => troubles.push(`script: ${error.message}`));
  page.on("dialog", (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", (request) => {
    const url = new URL(request.url());
    const local = ["file:", "data:", "about:"].includes(url.protocol) || (baseAllowed && url.host === baseAllowed);
    if (!local) troubles.push(`request to ${request.url()}`);
  });
  return { context, page, troubles };
}

// Rules that can fail in one look and pass in another: colours and layout.
const ofLooks = ["color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size"];

// Accessibility violations, each with the first places where it occurs: of every rule, or of those that depend on the look.
export async function violations(page, { everyRule }) {
  // Evaluated by the debugger, which the page's content security policy does not affect.
  await page.evaluate(axeSource);
  const options = { resultTypes: ["violations"], ...(everyRule ? {} : { runOnly: { type: "rule", values: ofLooks } }) };
  const found = await page.evaluate((asked) => globalThis.axe.run(document, asked), options);
  return found.violations.map((rule) => {
    const places = rule.nodes.slice(0, 3).map((node) => `${node.target.join(" ")}: ${node.failureSummary}`);
    return `${rule.id} (${rule.help}): ${places.join(" | ")}`;
  });
}

// Whether a person must scroll sideways to read the page.
export async function overflow(page) {
  return page.evaluate(() => {
    const root = document.documentElement;
    if (root.scrollWidth <= root.clientWidth) return null;
    const wide = [...document.querySelectorAll("body *")]
      .filter((element) => element.getBoundingClientRect().right > root.clientWidth + 1)
      .map((element) => `${element.tagName.toLowerCase()}.${element.className?.baseVal ?? element.className}`);
    return `${root.scrollWidth} of ${root.clientWidth}: ${wide.slice(0, 5).join(", ")}`;
  });
}

// Content that is cut off, or that needs sideways scrolling within the page.
export async function outOfSight(page) {
  return page.evaluate(() => {
    // Hidden on purpose, and only for screen readers.
    const isHidden = (element) => {
      for (let at = element; at; at = at.parentElement) {
        const style = getComputedStyle(at);
        if (style.clipPath !== "none" || style.visibility === "hidden" || style.display === "none") return true;
        if (at.matches(".skip")) return true;
      }
      return false;
    };
    // Lines of code and drawings keep their shape; our own text and figures can be rearranged.
    const mayScroll = (element) => element.closest(".panel, .picture") !== null;
    const cuts = (overflow) => ["hidden", "clip"].includes(overflow);
    const scrolls = (overflow) => ["auto", "scroll"].includes(overflow);
    const name = (element) => `${element.tagName.toLowerCase()}.${element.className} “${element.textContent.trim().slice(0, 40)}”`;
    const width = document.documentElement.clientWidth;
    const found = [];
    for (const element of document.querySelectorAll("body *")) {
      if (!(element instanceof HTMLElement) || isHidden(element)) continue;
      const style = getComputedStyle(element);
      const isBox = element.clientWidth > 0;
      const isWide = isBox && element.scrollWidth > element.clientWidth + 1;
      const isHigh = isBox && element.scrollHeight > element.clientHeight + 1;
      if ((isWide && cuts(style.overflowX)) || (isHigh && cuts(style.overflowY))) found.push(`cut off: ${name(element)}`);
      if (isWide && scrolls(style.overflowX) && !mayScroll(element)) found.push(`out of sight: ${name(element)}`);
      const box = element.getBoundingClientRect();
      if (box.width > 0 && (box.right > width + 1 || box.left < -1) && !mayScroll(element)) found.push(`beyond the edge: ${name(element)}`);
    }
    return found.slice(0, 5);
  });
}

export function folder(path) {
  mkdirSync(path, { recursive: true });
  return path;
}
