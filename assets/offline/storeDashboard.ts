/** Keeps what the dashboard shows, for when there is no connection. */
import { readNow } from "./clock";
import { DASHBOARD, STATIC_PATH } from "./names";
import type { Account } from "./types";
import { writeValue } from "./values";

/** A page as the server last rendered it. */
export type StoredPage = {
  title: string;
  mainClass: string;
  html: string;
  /** Its style sheets beside core, by name. */
  sheets: string[];
  /** Milliseconds since 1970. */
  at: number;
};

/** Ask for the dashboard again, as scripts have changed the one that is shown, and store it. */
export async function storeDashboard(account: Account): Promise<void> {
  const answer = await fetch(DASHBOARD, {
    credentials: "same-origin",
    headers: { Accept: "text/html" },
  });
  if (!answer.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const main = page.querySelector("main");
  const user = page.querySelector<HTMLMetaElement>('meta[name="study-user"]')?.content;
  // Signed out meanwhile, or as somebody else.
  if (!main || user !== account.user) return;
  const links = [...page.querySelectorAll<HTMLLinkElement>("head link[rel=stylesheet]")];
  const names = links.map((link) => /([\w-]+)-\w{8}\.css$/.exec(link.href)?.[1] ?? "");
  const stored: StoredPage = {
    title: page.title,
    mainClass: main.className,
    html: main.innerHTML.replaceAll('"/static/', `"${STATIC_PATH}`),
    sheets: names.filter((name) => name !== "" && name !== "core"),
    at: await readNow(),
  };
  await writeValue(account, "dashboard", stored);
}
