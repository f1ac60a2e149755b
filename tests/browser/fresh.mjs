// Leaves pages open, and says when each shows what it should without having been loaded again.
//
// Argument: a JSON file {"host", "pages": [{"url", "selector", "text"}], "drop": {"file", "text"}}: the file is written
// once all pages are live, and then each page has to have an element with that text.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { open, start, violations } from "./common.mjs";

const PATIENCE = 120_000;
const { host, pages, drop } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const browser = await start();
const opened = [];
for (const { url, selector, text } of pages) {
  const { page, troubles } = await open(browser, { width: 1440, colorScheme: "light", baseAllowed: host });
  await page.goto(url);
  await page.evaluate(() => { globalThis.sameDocument = true; });
  await page.waitForFunction(() => document.getElementById("link")?.textContent === "live", null, { timeout: PATIENCE });
  assert.equal(await page.locator(selector, { hasText: text }).count(), 0, `${url} shows ${text} already`);
  opened.push({ page, troubles, url, selector, text });
}
mkdirSync(dirname(drop.file), { recursive: true });
writeFileSync(`${process.argv[2]}.drop`, drop.text);
renameSync(`${process.argv[2]}.drop`, drop.file);
for (const { page, troubles, url, selector, text } of opened) {
  await page.locator(selector, { hasText: text }).first().waitFor({ state: "attached", timeout: PATIENCE });
  assert.equal(await page.evaluate(() => globalThis.sameDocument), true, `${url} was loaded anew`);
  assert.deepEqual(await violations(page, { everyRule: true }), []);
  troubles.forEach((trouble) => assert.fail(`${url}: ${trouble}`));
}
await browser.close();
console.log("done");
