// Opens pages in every look and tells what is wrong with them, one JSON line a page.
//
// Argument: a JSON file {"pages": [{"name", "url"}], "shots": folder, "host": the only host that may be asked, "token"}.

import { readFileSync } from "node:fs";
import { folder, looks, open, overflow, start, violations } from "./common.mjs";

const { pages, shots, host, token } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const browser = await start();
folder(shots);
for (const { name, url } of pages) {
  const wrong = [];
  for (const look of looks) {
    const { context, page, troubles } = await open(browser, { ...look, token, baseAllowed: host });
    const title = `${look.width} ${look.colorScheme}`;
    await page.goto(url, { waitUntil: "load" });
    const sideways = await overflow(page);
    if (sideways) wrong.push(`${title}: wider than the screen, ${sideways}`);
    for (const violation of await violations(page)) wrong.push(`${title}: ${violation}`);
    await page.screenshot({ path: `${shots}/${name}-${look.width}-${look.colorScheme}.png`, fullPage: true });
    wrong.push(...troubles.map((trouble) => `${title}: ${trouble}`));
    await context.close();
  }
  // In print nothing is lost at the side, and the page is black on white.
  const { context, page } = await open(browser, { width: 700, colorScheme: "dark", token, baseAllowed: host });
  await page.goto(url, { waitUntil: "load" });
  await page.emulateMedia({ media: "print" });
  const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  if (!["rgb(255, 255, 255)", "rgba(0, 0, 0, 0)"].includes(background)) wrong.push(`print: on ${background}`);
  await page.pdf({ path: `${shots}/${name}.pdf` });
  await context.close();
  console.log(JSON.stringify({ name, wrong }));
}
await browser.close();
