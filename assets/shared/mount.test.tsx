import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { useState } from "react";
import { beforeEach, expect, it, vi } from "vitest";

import type { IslandModule } from "../islands/registry";
import { ApiError, problemOf } from "./api/errors";
import { useAuth } from "./auth/AuthProvider";
import { session } from "./auth/browser";
import { NotFound } from "./errors/views";
import { mount } from "./mount";

beforeEach(() => {
  // React reports what a boundary caught; that is what these tests bring about.
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});

function spotOf(attributes: string, props: unknown): HTMLElement {
  const json = JSON.stringify(props).replaceAll("<", "\\u003c");
  document.body.innerHTML = `<div ${attributes}><p>Fallback</p></div><script type="application/json">${json}</script>`;
  return document.querySelector<HTMLElement>("[data-island]")!;
}

const island = (Island: IslandModule["Island"]) => ({
  thing: () => Promise.resolve({ Island }),
});
const show = (spot: HTMLElement, islands: Parameters<typeof mount>[1]): Promise<void> =>
  act(() => mount(spot, islands));

it("replaces the fallback with the island and its props", async () => {
  const spot = spotOf('data-island="thing"', { title: "</script>\u2028 “quoted”" });
  await show(
    spot,
    island(({ title }: { title: string }) => <h2>{title}</h2>),
  );

  expect(screen.getByRole("heading").textContent).toBe("</script>\u2028 “quoted”");
  expect(screen.queryByText("Fallback")).toBeNull();
});

it("lets the island read the server form before it is replaced", async () => {
  const spot = spotOf('data-island="thing"', { n: 3 });
  const seen: string[] = [];
  const readServerForm = (at: HTMLElement, { n }: { n: number }) =>
    seen.push(`${at.textContent} ${n}`);
  await show(spot, {
    thing: () => Promise.resolve({ Island: () => <h2>Here</h2>, readServerForm }),
  });

  expect(seen).toEqual(["Fallback 3"]);
});

it("mounts once", async () => {
  const spot = spotOf('data-island="thing"', {});
  const islands = island(() => <h2>Here</h2>);
  await show(spot, islands);
  await show(spot, islands);

  expect(screen.getAllByRole("heading")).toHaveLength(1);
});

it("says which island does not exist", async () => {
  const spot = spotOf('data-island="nothing"', {});

  await expect(mount(spot, {})).rejects.toThrow("No island is called “nothing”");
});

it("shows the default error view, whose error can be shown and hidden", async () => {
  const spot = spotOf('data-island="thing"', {});
  await show(
    spot,
    island(() => {
      throw new Error("The lesson list arrived incomplete");
    }),
  );
  expect(screen.getByRole("alert").textContent).toContain("Something went wrong!");
  expect(screen.queryByText("The lesson list arrived incomplete")).toBeNull();

  fireEvent.click(screen.getByRole("button", { name: "Show Error" }));
  expect(screen.getByText("The lesson list arrived incomplete")).toBeDefined();

  fireEvent.click(screen.getByRole("button", { name: "Hide Error" }));
  expect(screen.queryByText("The lesson list arrived incomplete")).toBeNull();
});

it("recovers when tried again", async () => {
  let isBroken = true;
  const spot = spotOf('data-island="thing"', {});
  await show(
    spot,
    island(() => {
      if (isBroken) throw new Error("once");
      return <h2>Here</h2>;
    }),
  );
  isBroken = false;
  fireEvent.click(screen.getByRole("button", { name: "Try Again" }));

  expect(screen.getByRole("heading").textContent).toBe("Here");
});

it.each([
  ["NotFound", new NotFound()],
  ["a 404", new ApiError(404, problemOf("COURSE_NOT_FOUND", 404))],
])("shows the not-found view for %s", async (_, error) => {
  const spot = spotOf('data-island="thing"', {});
  await show(
    spot,
    island(() => {
      throw error;
    }),
  );

  expect(screen.getByText("Not Found")).toBeDefined();
});

it("shows the crash screen for an island that is the main content", async () => {
  document.head.innerHTML = '<meta name="study-support" content="help@study.example">';
  const spot = spotOf('data-island="thing" data-scope="page"', {});
  await show(
    spot,
    island(() => {
      throw new Error("chapters");
    }),
  );

  expect(screen.getByRole("heading").textContent).toBe("Oops! Something went wrong");
  expect(screen.getByRole("alert").textContent).toContain(
    "An unexpected error occurred while loading the page. Don't worry, our team has been notified and is working on it.",
  );
  expect(screen.getByText("chapters")).toBeDefined();
  expect(screen.getByRole("button", { name: "Try Again" })).toBeDefined();
  expect(screen.getByRole("button", { name: "Reload Page" })).toBeDefined();
  expect(screen.getByRole("link", { name: "Go to Homepage" }).getAttribute("href")).toBe("/");
  expect(screen.getByRole("link", { name: "help@study.example" })).toBeDefined();
});

it("says once that the error is unexpected, and names the code", async () => {
  const spot = spotOf('data-island="thing" data-scope="page"', {});
  await show(
    spot,
    island(() => {
      throw new ApiError(500, { ...problemOf("UNKNOWN_ERROR", 500), request_id: "4f2a9c" });
    }),
  );

  expect(screen.getByText("UNKNOWN_ERROR, 4f2a9c")).toBeDefined();
  expect(screen.getByRole("alert").textContent.match(/notified/g)).toHaveLength(1);
});

it("shows the error of an island that cannot be loaded in its place", async () => {
  const spot = spotOf('data-island="thing"', {});
  await show(spot, { thing: () => Promise.reject(new TypeError("Failed to fetch the module")) });

  expect(await screen.findByText("Something went wrong!")).toBeDefined();
});

it("keeps the failure of an island in its place", async () => {
  document.body.innerHTML = '<div data-island="good"></div><div data-island="bad"></div>';
  const [good, bad] = document.querySelectorAll<HTMLElement>("[data-island]");
  const islands = {
    good: () => Promise.resolve({ Island: () => <h2>Good</h2> }),
    bad: () =>
      Promise.resolve({
        Island: () => {
          throw new Error("bad");
        },
      }),
  };
  await show(good!, islands);
  await show(bad!, islands);

  expect(screen.getByRole("heading").textContent).toBe("Good");
  expect(screen.getByText("Something went wrong!")).toBeDefined();
});

it("provides the session to islands only", async () => {
  session.clear();
  const spot = spotOf('data-island="thing"', {});
  await show(
    spot,
    island(() => <p>{useAuth().isAuthenticated ? "in" : "out"}</p>),
  );
  expect(screen.getByText("out")).toBeDefined();

  document.body.innerHTML = "";
  const { renderToString } = await import("react-dom/server");
  const Outside = (): null => {
    useAuth();
    return null;
  };
  expect(() => renderToString(<Outside />)).toThrow("useAuth must be used within AuthProvider");
});

it("gives the focus of the fallback to the same control of the island, once it is there", async () => {
  const spot = spotOf('data-island="thing"', {});
  spot.innerHTML = "<a href='/'>Overview</a><button>Play</button>";
  spot.querySelector("button")!.focus();
  let finish = (): void => undefined;
  const Thing = () => {
    const [isReady, setReady] = useState(false);
    finish = () => setReady(true);
    return isReady ? (
      <>
        <button>Mute</button>
        <button>Play</button>
      </>
    ) : (
      <p>Wait</p>
    );
  };
  await show(spot, island(Thing));
  expect(document.activeElement).toBe(document.body);
  act(() => finish());

  await waitFor(() => expect(document.activeElement?.textContent).toBe("Play"));
});

it("keeps the focus in the field in which somebody types, with the caret in its place", async () => {
  const spot = spotOf('data-island="thing"', {});
  const fields = '<input name="title" value="One"><input name="summary" value="Two words">';
  const answers = '<section id="q2"><input value="a"><input value="bcd"></section>';
  const Thing = () => (
    <>
      <a href="/">Step</a>
      <input data-field="title" defaultValue="One" />
      <input data-field="summary" defaultValue="Two words" />
      <section id="q2">
        <input defaultValue="a" />
        <input defaultValue="bcd" />
      </section>
    </>
  );
  const readServerForm = () => undefined;
  for (const [type, place, value] of [
    ["[name=summary]", 3, "Two words"],
    ["section input:last-child", 1, "bcd"],
  ] as const) {
    const one = spot.cloneNode() as HTMLElement;
    document.body.replaceChildren(one);
    one.innerHTML = fields + answers;
    const field = one.querySelector<HTMLInputElement>(type)!;
    field.focus();
    field.setSelectionRange(place, place);
    // Not in `act`: nothing may happen between the reading of the form and its replacement.
    await mount(one, { thing: () => Promise.resolve({ Island: Thing, readServerForm }) });

    const now = document.activeElement as HTMLInputElement;
    expect([now.value, now.selectionStart]).toEqual([value, place]);
    expect(now).not.toBe(field);
  }
});

it("does not go on in another field than the one in which somebody types", async () => {
  const spot = spotOf('data-island="thing"', {});
  spot.innerHTML = '<input name="summary">';
  spot.querySelector("input")!.focus();
  const Thing = () => (
    <>
      <input data-field="title" aria-label="Title" />
      <button>Next</button>
    </>
  );
  await show(spot, island(Thing));
  expect(document.activeElement?.textContent).toBe("Next");
});

it("puts one island in its place when it is asked for twice", async () => {
  const spot = spotOf('data-island="thing"', {});
  const complained = vi.spyOn(console, "error");
  let starts = 0;
  const Thing = () => {
    const [number] = useState(() => (starts += 1));
    return <p>{number}</p>;
  };
  const islands = { thing: () => Promise.resolve({ Island: Thing }) };
  await act(() => Promise.all([mount(spot, islands), mount(spot, islands)]));

  expect(complained).not.toHaveBeenCalled();
  expect(spot.querySelectorAll("p")).toHaveLength(1);
});

const FORM =
  '<section role="alert" hidden data-failed><p>Kept</p><button>Try Again</button></section>' +
  '<form><textarea name="text">From the server</textarea></form>';

it("keeps a form whose island cannot be loaded, and what was typed, and tries again", async () => {
  const spot = spotOf('data-island="thing"', {});
  spot.innerHTML = FORM;
  const field = spot.querySelector("textarea")!;
  field.value = "Typed";
  let isOffline = true;
  const read: string[] = [];
  const islands = {
    thing: () =>
      isOffline
        ? Promise.reject(new TypeError("Failed to fetch the module"))
        : Promise.resolve({
            Island: () => <h2>Here</h2>,
            readServerForm: (at: HTMLElement) => read.push(at.querySelector("textarea")!.value),
          }),
  };
  await show(spot, islands);

  expect(spot.firstElementChild).toBe(screen.getByRole("alert"));
  expect(spot.querySelector("textarea")).toBe(field);
  expect(field.value).toBe("Typed");

  const retry = screen.getByRole("button", { name: "Try Again" });
  fireEvent.click(retry); // still offline
  await act(() => Promise.resolve());
  expect(screen.getAllByRole("alert")).toHaveLength(1);
  expect(document.activeElement).toBe(retry);
  expect(field.value).toBe("Typed");

  isOffline = false;
  fireEvent.click(retry);
  expect(await screen.findByRole("heading")).toBeDefined();
  expect(read).toEqual(["Typed"]);
  await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
});
