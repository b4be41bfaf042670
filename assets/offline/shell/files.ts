/** The style sheets and scripts that pages of lessons need, as the shell's page names them (templates/site/offline.html). */
import { STATIC_PATH } from "../names";

type Files = { sheets: Record<string, string>; scripts: Record<string, string> };

function readFiles(): Files {
  const text = document.getElementById("offline-files")?.textContent;
  if (!text) return { sheets: {}, scripts: {} };
  // The page /offline itself is the server's; the shell is the same page with the files that this browser keeps.
  const isShell = document.querySelector(`script[src^="${STATIC_PATH}"]`) !== null;
  return JSON.parse(isShell ? text.replaceAll('"/static/', `"${STATIC_PATH}`) : text) as Files;
}

/** Load style sheets by name, and resolve when they apply: content that arrives before them would jump. */
export async function loadSheets(names: readonly string[]): Promise<void> {
  const { sheets } = readFiles();
  await Promise.all(
    names.map(async (name) => {
      const href = sheets[name];
      const isThere = [...document.querySelectorAll("link[rel=stylesheet]")].some(
        (link) => link.getAttribute("href") === href,
      );
      if (href === undefined || isThere) return;
      const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
      await new Promise<void>((resolve) => {
        link.addEventListener("load", () => resolve());
        link.addEventListener("error", () => resolve()); // plain is better than nothing
        document.head.append(link);
      });
    }),
  );
}

/** Run scripts by name. They find the page in place. */
export async function runScripts(names: readonly string[]): Promise<void> {
  const { scripts } = readFiles();
  await Promise.allSettled(
    names.map(async (name) => {
      const address = scripts[name];
      if (address !== undefined) await import(address);
    }),
  );
}
