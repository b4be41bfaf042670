import { act, fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, it, vi } from "vitest";

import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { Menu } from "./Menu";
import { ProgressBar } from "./ProgressBar";
import { Skeleton } from "./Skeleton";
import { Tabs } from "./Tabs";

const focused = (): unknown => document.activeElement?.textContent;

it("a button works with Enter and space, and takes no press while busy", async () => {
  const press = vi.fn();
  const { rerender } = render(<Button onClick={press}>Save</Button>);
  await userEvent.tab();
  await userEvent.keyboard("{Enter} ");
  expect(press).toHaveBeenCalledTimes(2);

  rerender(
    <Button onClick={press} isBusy>
      Save
    </Button>,
  );
  const button = screen.getByRole("button", { name: "Save" });
  await userEvent.keyboard("{Enter}");
  await userEvent.click(button);
  expect(press).toHaveBeenCalledTimes(2);
  expect(button.getAttribute("aria-busy")).toBe("true");
  expect(document.activeElement).toBe(button);
});

it("a busy submit button does not send its form", async () => {
  const send = vi.fn((event: { preventDefault: () => void }) => event.preventDefault());
  render(
    <form onSubmit={send}>
      <Button type="submit" isBusy>
        Send
      </Button>
    </form>,
  );
  await userEvent.click(screen.getByRole("button"));

  expect(send).not.toHaveBeenCalled();
});

function Asking({ hasUnsavedChanges = false }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Ask
      </button>
      {isOpen && (
        <Dialog
          title="Unpublish?"
          hasUnsavedChanges={hasUnsavedChanges}
          onClose={() => setOpen(false)}
          actions={
            <>
              <Button data-autofocus onClick={() => setOpen(false)}>
                Keep
              </Button>
              <Button look="danger-fill">Unpublish</Button>
            </>
          }
        >
          <p>Nobody new will find it.</p>
        </Dialog>
      )}
    </>
  );
}

it("a dialog focuses the safe answer and returns the focus", async () => {
  render(<Asking />);
  const opener = screen.getByRole("button", { name: "Ask" });
  await userEvent.click(opener);
  expect(screen.getByRole("dialog", { name: "Unpublish?" })).toBeDefined();
  expect(focused()).toBe("Keep");

  await userEvent.keyboard("{Enter}");
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(document.activeElement).toBe(opener);
});

it("a dialog closes on Escape unless input would be lost", async () => {
  const { unmount } = render(<Asking />);
  await userEvent.click(screen.getByRole("button", { name: "Ask" }));
  const cancel = (): void => {
    fireEvent(screen.getByRole("dialog"), new Event("cancel", { cancelable: true }));
  };
  cancel();
  expect(screen.queryByRole("dialog")).toBeNull();
  unmount();

  render(<Asking hasUnsavedChanges />);
  await userEvent.click(screen.getByRole("button", { name: "Ask" }));
  cancel();
  expect(screen.getByRole("dialog")).toBeDefined();
  await userEvent.click(screen.getByRole("button", { name: "Close" }));
  expect(screen.queryByRole("dialog")).toBeNull();
});

const speeds = ["0.5", "1", "1.25", "2"].map((id) => ({ id, title: id, isChecked: id === "1" }));

it("a menu opens on its choice, moves by arrows and letters, and returns the focus", async () => {
  const choose = vi.fn();
  const pageKey = vi.fn();
  document.addEventListener("keydown", pageKey);
  render(<Menu label="Speed: 1×" button="1×" items={speeds} onChoose={choose} />);
  const opener = screen.getByRole("button", { name: "Speed: 1×" });
  opener.focus();
  pageKey.mockClear();
  await userEvent.keyboard("{ArrowDown}");
  expect(focused()).toBe("1");
  expect(screen.getByRole("menuitemradio", { checked: true }).textContent).toBe("1");

  const seen: unknown[] = [];
  for (const key of ["{ArrowDown}", "{End}", "{ArrowDown}", "{ArrowUp}", "{Home}", "2"]) {
    await userEvent.keyboard(key);
    seen.push(focused());
  }
  expect(seen).toEqual(["1.25", "2", "0.5", "2", "0.5", "2"]);
  // Arrows and letters mean something else to the page behind, e.g. to the player.
  expect(pageKey).not.toHaveBeenCalled();

  await userEvent.keyboard("{Enter}");
  expect(choose).toHaveBeenCalledExactlyOnceWith("2");
  expect(screen.queryByRole("menu")).toBeNull();
  expect(document.activeElement).toBe(opener);
  document.removeEventListener("keydown", pageKey);
});

it.each(["{Escape}", "{Tab}"])("a menu closes on %s without a choice", async (key) => {
  const choose = vi.fn();
  render(<Menu label="Speed" button="1×" items={speeds} onChoose={choose} />);
  await userEvent.click(screen.getByRole("button", { name: "Speed" }));
  await userEvent.keyboard(key);

  expect(screen.queryByRole("menu")).toBeNull();
  expect(choose).not.toHaveBeenCalled();
});

it("a menu closes on a press outside", async () => {
  render(
    <>
      <p>Beside</p>
      <Menu label="Speed" button="1×" items={speeds} onChoose={vi.fn()} />
    </>,
  );
  await userEvent.click(screen.getByRole("button", { name: "Speed" }));
  await userEvent.click(screen.getByText("Beside"));

  expect(screen.queryByRole("menu")).toBeNull();
});

it("tabs move by arrows, Home and End, and only the selected one is in the tab order", async () => {
  const change = vi.fn();
  const tabs = ["One", "Two", "Three"].map((title) => ({
    id: title,
    title,
    content: () => `Content ${title}`,
  }));
  render(<Tabs label="Views" tabs={tabs} onChange={change} />);
  await userEvent.tab();
  const seen: string[] = [];
  for (const key of ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "Home", "End"]) {
    await userEvent.keyboard(`{${key}}`);
    seen.push(screen.getByRole("tab", { selected: true }).textContent);
  }

  expect(seen).toEqual(["Two", "Three", "One", "Three", "One", "Three"]);
  expect(screen.getByRole("tabpanel", { name: "Three" }).textContent).toBe("Content Three");
  expect(screen.getAllByRole("tab").map((tab) => tab.tabIndex)).toEqual([-1, -1, 0]);
  expect(change).toHaveBeenLastCalledWith("Three");
});

it("a progress bar says its value, within bounds", () => {
  render(<ProgressBar label="Course" percent={141.7} />);

  const bar = screen.getByRole("progressbar", { name: "Course" });
  expect(bar.getAttribute("aria-valuenow")).toBe("100");
});

it("a skeleton shows after a second of waiting, then for at least half a second", () => {
  vi.useFakeTimers();
  const parts = { shapes: <i data-testid="shape" />, children: () => <p>Here</p> };
  const { rerender } = render(<Skeleton isLoading {...parts} />);
  const tick = (ms: number): void => act(() => void vi.advanceTimersByTime(ms));
  tick(999);
  expect(screen.queryByTestId("shape")).toBeNull();
  tick(1);
  expect(screen.getByTestId("shape")).toBeDefined();

  tick(100);
  rerender(<Skeleton isLoading={false} {...parts} />);
  tick(399);
  expect(screen.queryByText("Here")).toBeNull();
  tick(1);
  expect(screen.getByText("Here")).toBeDefined();
});

it("a skeleton does not show for content that loads within a second", () => {
  vi.useFakeTimers();
  const parts = { shapes: <i data-testid="shape" />, children: () => <p>Here</p> };
  const { rerender } = render(<Skeleton isLoading {...parts} />);
  act(() => void vi.advanceTimersByTime(900));
  rerender(<Skeleton isLoading={false} {...parts} />);

  expect(screen.getByText("Here")).toBeDefined();
  act(() => void vi.advanceTimersByTime(2000));
  expect(screen.queryByTestId("shape")).toBeNull();
});
