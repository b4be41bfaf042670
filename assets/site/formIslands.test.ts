import { expect, it, vi } from "vitest";

import { loadWithForm } from "./formIslands";

function open(draft = ""): {
  spot: HTMLElement;
  load: ReturnType<typeof vi.fn<() => Promise<void>>>;
} {
  document.body.innerHTML = `<form><div data-draft="${draft}"><div id="spot"><i data-tool="bold"></i></div>
    <textarea></textarea></div></form><button>Elsewhere</button>`;
  const load = vi.fn(() => Promise.resolve());
  const spot = document.getElementById("spot")!;
  loadWithForm(spot, load);
  return { spot, load };
}

it("loads the island once, when its form gets the focus", () => {
  const { load } = open();
  document.querySelector("button")!.focus();
  expect(load).not.toHaveBeenCalled();

  document.querySelector("textarea")!.focus();
  document.querySelector("form")!.dispatchEvent(new Event("dragenter", { bubbles: true }));
  expect(load).toHaveBeenCalledTimes(1);
});

it("remembers the tool that was pressed", () => {
  const { spot, load } = open();
  document.querySelector("i")!.dispatchEvent(new Event("pointerdown", { bubbles: true }));
  expect(load).toHaveBeenCalledTimes(1);
  expect(spot.dataset["start"]).toBe("bold");
});

it("loads the island at once if this device has a draft", () => {
  localStorage.setItem("study.draft:ada:topic-1", "{}");
  expect(open("study.draft:ada:topic-2").load).not.toHaveBeenCalled();
  expect(open("study.draft:ada:topic-1").load).toHaveBeenCalledTimes(1);
});
