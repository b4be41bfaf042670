import { afterEach, describe, expect, it, vi } from "vitest";
import { availableShortcuts } from "../shared/shortcuts";
import { startQueueKeys } from "./queueKeys";

let stop = (): void => undefined;

function start(): { opened: string[]; press: (key: string) => void } {
  document.body.innerHTML = `<ul data-queue><li><a href="/a">A</a></li><li><a href="/b" aria-current="true">B</a></li><li><a href="/c">C</a></li></ul>
    <a href="#answer" data-key="r">Answer <kbd>R</kbd></a><textarea id="answer"></textarea>
    <form><button type="button" data-key="a">Approve <kbd>A</kbd></button>
    <button type="button" data-key="x" data-needs-reason>Reject <kbd>X</kbd></button><textarea data-reason></textarea></form>`;
  const opened: string[] = [];
  stop = startQueueKeys(document, (address) => opened.push(new URL(address).pathname));
  const press = (key: string): void => {
    availableShortcuts()
      .find(({ keys }) => keys.includes(key))!
      .run();
  };
  return { opened, press };
}

afterEach(() => stop());

describe("startQueueKeys", () => {
  it("walks the rows and says what its keys do", () => {
    const { opened, press } = start();
    press("j");
    press("k");
    expect(opened).toEqual(["/c", "/a"]);
    const labels = availableShortcuts().map(({ caps, label }) => `${caps.join()} ${label}`);
    expect(labels).toContain("R Answer");
    expect(labels).toContain("J Next in the list");
  });

  it("leads to the field of an answer", () => {
    const { press } = start();
    press("r");
    expect(document.activeElement).toBe(document.querySelector("#answer"));
  });

  it("presses a button, and asks for a missing reason first", () => {
    const { press } = start();
    const approve = vi.fn();
    const reject = vi.fn();
    document.querySelector("[data-key=a]")!.addEventListener("click", approve);
    document.querySelector("[data-key=x]")!.addEventListener("click", reject);
    press("a");
    press("x");
    expect([approve.mock.calls.length, reject.mock.calls.length]).toEqual([1, 0]);
    const reason = document.querySelector<HTMLTextAreaElement>("[data-reason]")!;
    expect(document.activeElement).toBe(reason);
    reason.value = "Because";
    press("x");
    expect(reject).toHaveBeenCalledOnce();
  });
});
