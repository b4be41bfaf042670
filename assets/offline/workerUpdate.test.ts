import { beforeAll, beforeEach, expect, it, vi } from "vitest";

import { UPDATE_MESSAGE } from "./names";

class Worker extends EventTarget {
  state = "installing";
  postMessage = vi.fn<(message: unknown) => void>();
}
class Registration extends EventTarget {
  active: Worker | null = new Worker();
  waiting: Worker | null = null;
  installing: Worker | null = null;
}
let registration: Registration | undefined;

/** A film in this page that plays or does not. */
function setPlaying(isPlaying: boolean): void {
  const video = document.querySelector("video") ?? document.createElement("video");
  Object.defineProperty(video, "paused", { configurable: true, value: !isPlaying });
  document.body.append(video);
}

/** Let the page offer what waits: other tabs are asked first whether something plays. */
async function offer(): Promise<void> {
  const offering = offerWorkerUpdate();
  await vi.advanceTimersByTimeAsync(1000);
  await offering;
}

const findButton = (): HTMLButtonElement | undefined =>
  [...document.querySelectorAll("button")].find((one) => one.textContent === "Update");
const settle = () => vi.advanceTimersByTimeAsync(1000);

let offerWorkerUpdate: () => Promise<void>;
let useNewestWorker: () => Promise<void>;
beforeAll(async () => {
  // A file before may have imported it with the real module of what plays.
  vi.resetModules();
  ({ offerWorkerUpdate, useNewestWorker } = await import("./workerUpdate"));
});

beforeEach(() => {
  vi.useFakeTimers();
  registration = new Registration();
  document.body.innerHTML = `<div class="toasts" data-toasts></div>`;
  const serviceWorker = { getRegistration: () => Promise.resolve(registration) };
  Object.defineProperty(navigator, "serviceWorker", { configurable: true, value: serviceWorker });
});

it("says nothing while no version waits", async () => {
  await offer();
  expect(findButton()).toBeUndefined();
});

it("says nothing of the first worker of a browser", async () => {
  registration!.active = null;
  registration!.waiting = new Worker();
  await offer();
  expect(findButton()).toBeUndefined();
});

it("waits until nothing plays, then changes when the learner agrees", async () => {
  const waiting = (registration!.waiting = new Worker());
  setPlaying(true);
  await offer();
  expect(findButton()).toBeUndefined();

  setPlaying(false);
  await vi.advanceTimersByTimeAsync(62_000);
  expect(waiting.postMessage).not.toHaveBeenCalled();
  // A film has started before the press: nothing changes, and it is offered again after it.
  setPlaying(true);
  findButton()!.click();
  await settle();
  expect(waiting.postMessage).not.toHaveBeenCalled();
  setPlaying(false);
  await vi.advanceTimersByTimeAsync(62_000);
  findButton()!.click();
  await settle();
  expect(waiting.postMessage).toHaveBeenCalledExactlyOnceWith(UPDATE_MESSAGE);
});

it("offers a version that is installed while the page is open", async () => {
  await offer();
  const worker = (registration!.installing = new Worker());
  registration!.dispatchEvent(new Event("updatefound"));
  registration!.waiting = worker;
  worker.state = "installed";
  worker.dispatchEvent(new Event("statechange"));
  await settle();
  findButton()!.click();
  await settle();
  expect(worker.postMessage).toHaveBeenCalledOnce();
});

it("doesn't ask a browser that stores its first lesson", async () => {
  registration!.waiting = new Worker();
  await useNewestWorker();
  expect(registration!.waiting.postMessage).toHaveBeenCalledExactlyOnceWith(UPDATE_MESSAGE);
  registration = undefined;
  await expect(useNewestWorker()).resolves.toBeUndefined();
  await expect(offer()).resolves.toBeUndefined();
});
