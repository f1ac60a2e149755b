// Takes a picture of the top of a page: node picture.mjs ADDRESS FILE.png

import { open, start } from "./common.mjs";

const [address, file] = process.argv.slice(2);
const browser = await start();
const { page } = await open(browser, { width: 1000, height: 1040, colorScheme: "light" });
await page.goto(address);
await page.screenshot({ path: file });
await browser.close();
