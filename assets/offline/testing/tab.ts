/** Tabs of a browser: each has its own modules, as if its page had been loaded again. */
import { vi } from "vitest";

import { tokenFor } from "../../shared/testing/tokens";
import type { FakeServer } from "./server";

export type Tab = Awaited<ReturnType<typeof openTab>>;

/** A tab with the page of this user ("" for a visitor, null for the shell). Its modules know nothing of other tabs. */
export async function openTab(user: string | null = "ada") {
  document.head.querySelector('meta[name="study-user"]')?.remove();
  if (user !== null)
    document.head.insertAdjacentHTML("beforeend", `<meta name="study-user" content="${user}">`);
  vi.resetModules();
  const { session } = await import("../../shared/auth/browser");
  if (user) signIn({ session }, user);
  return {
    session,
    ...(await import("../account")),
    ...(await import("../devices")),
    ...(await import("../checkIn")),
    ...(await import("../clock")),
    ...(await import("../database")),
    ...(await import("../downloads")),
    ...(await import("../library")),
    ...(await import("../outbox")),
    ...(await import("../start")),
    ...(await import("../storage")),
    ...(await import("../values")),
    ...(await import("../worker/media")),
    ...(await import("../worker/shell")),
    records: await import("../lessons"),
  };
}

export function signIn({ session }: Pick<Tab, "session">, user: string): void {
  const person = { id: user, username: user, email: "", first_name: "Secret" };
  session.login({ ...person, role: "student" }, tokenFor(9000));
}

/** Wait until something is so. */
export async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  await vi.waitFor(
    async () => {
      if (!(await isSo())) throw new Error("It is not so yet");
    },
    { timeout: 15_000, interval: 5 },
  );
}

/** What the service worker of a tab answers for a resource. */
export async function readMedia(
  tab: Tab,
  lesson: string,
  name: string,
  init: RequestInit = {},
): Promise<Response> {
  const address = `${location.origin}/offline/media/${lesson}/${name}`;
  return tab.answerMedia(new Request(address, init));
}

export async function readBytes(tab: Tab, lesson: string, name: string): Promise<Uint8Array> {
  const response = await readMedia(tab, lesson, name);
  if (response.status !== 200) throw new Error(`Status ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Whether these are the same bytes. Comparing large arrays by `expect` takes minutes. */
export async function holds(
  tab: Tab,
  lesson: string,
  { name, bytes }: { name: string; bytes: Uint8Array },
): Promise<boolean> {
  return Buffer.compare(await readBytes(tab, lesson, name), bytes) === 0;
}

/** Queue lessons of the server. */
export async function queue(tab: Tab, server: FakeServer, ...uids: string[]): Promise<void> {
  const account = (await tab.readAccount()) ?? (await tab.startAccount("ada"));
  const lessons = uids.map((uid) => server.storable(uid));
  await tab.queueLessons(account, server.course, lessons, "720p");
}

export async function stateOf(tab: Tab, uid: string): Promise<string | undefined> {
  const account = await tab.readAccount();
  return account ? (await tab.readLesson(account, uid))?.state : "locked";
}
